import { now } from './wire/clock.ts'
import { type Connection, openConnection } from './wire/connection.ts'
import { type Latencies, summarize } from './wire/latencies.ts'
import { createPace } from './wire/pace.ts'
import { type Pauses, watchPauses } from './wire/pauses.ts'
import { requestTemplate, type Template } from './wire/template.ts'
import { answerParent } from './worker.ts'

export interface LoadJob {
  /** Connections go to them in turn. */
  ports: number[]
  /** Events go to them in turn. */
  paths: string[]
  connections: number
  /** Number of the first event; each is sent once. */
  from: number
  warmUpSeconds: number
  seconds: number
  /** Open loop: so many a second, whatever the server does. Without it a closed loop. */
  rate?: number
  /** Closed loop: no more than these. */
  count?: number
  /** Whether the times of each event are wanted. */
  trace?: boolean
}

/** All but `sent`, `statuses` and `trace` are of the time after the warm-up. */
export interface LoadResult extends Latencies {
  sent: number
  statuses: Record<string, number>
  /** Those that should have been accepted and were not. */
  failed: number
  /** Accepted ones: 202, and the 204 of the baseline. A 200 is a duplicate: these events are unique. */
  perSecond: number
  startedAt: number
  endedAt: number
  /** Of one core. */
  cpuShare: number
  /** The one that took longest: seconds from the start to its sending, and how long of its time this load itself stood still (milliseconds). */
  slowest: { afterSeconds: number; ownMs: number }
  /** By event, from the first one on; in an open loop `sentAt` is when it was due. */
  trace: { sentAt: Float64Array; answeredAt: Float64Array } | null
}

interface Sender {
  connection: Connection
  requests: Template[]
  event: number
}

/** Node's shortest timer: an event of an open loop may leave so much too late, which counts as its latency. */
const TICK_MS = 1

/** How long answers may take after the last request was sent. */
const PATIENCE_MS = 10_000

answerParent(run)

async function run(job: LoadJob): Promise<LoadResult> {
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
  const sentAt: number[] = []
  const answeredAt: number[] = []
  const statuses: Record<string, number> = {}
  const pauses = watchPauses()
  const free = await Promise.all(Array.from({ length: job.connections }, openSender))
  const all = [...free]

  const pace = createPace(job, now())
  const startedAt = pace.begin + job.warmUpSeconds * 1000
  let accepted = 0
  let cpu = process.cpuUsage()
  const warm = setTimeout(() => (cpu = process.cpuUsage()), job.warmUpSeconds * 1000)
  const tick = setInterval(pump, TICK_MS)
  const patience = setTimeout(finish, (job.warmUpSeconds + job.seconds) * 1000 + PATIENCE_MS)
  pump()
  try {
    await Promise.race([finished, failed])
  } finally {
    for (const timer of [warm, tick, patience]) clearTimeout(timer)
    pauses.end()
    for (const { connection } of all) connection.close()
  }
  const endedAt = Math.min(now(), pace.end)
  const { user, system } = process.cpuUsage(cpu)
  return {
    ...measure(sentAt, answeredAt, startedAt, endedAt),
    sent: sentAt.length,
    statuses,
    failed: Math.max(sentAt.length, pace.due(pace.end)) - accepted,
    startedAt,
    endedAt,
    slowest: slowestOf(sentAt, answeredAt, startedAt, pauses),
    cpuShare: (user + system) / 1000 / (now() - startedAt),
    trace: job.trace ? { sentAt: Float64Array.from(sentAt), answeredAt: Float64Array.from(answeredAt) } : null,
  }

  function pump(): void {
    const time = now()
    while (free.length > 0 && sentAt.length < pace.due(time)) {
      const sender = free.shift()
      if (sender) send(sender, time)
    }
    if (free.length === all.length && pace.isOver(time, sentAt.length)) finish()
  }

  function send(sender: Sender, time: number): void {
    sender.event = sentAt.length
    sentAt.push(pace.dueAt(sender.event) ?? time)
    answeredAt.push(Number.NaN)
    const request = sender.requests[(job.from + sender.event) % sender.requests.length]
    if (!request) throw new Error('A load needs a path.')
    request.set(job.from + sender.event)
    sender.connection.send(request.buffer)
  }

  async function openSender(_: unknown, index: number): Promise<Sender> {
    const port = job.ports[index % job.ports.length] ?? 0
    const connection = await openConnection(port, { onAnswer, onError: fail })
    const sender = { connection, requests: job.paths.map(requestTemplate), event: -1 }
    return sender

    function onAnswer(status: number): void {
      if (status === 202 || status === 204) {
        answeredAt[sender.event] = now()
        accepted++
      }
      statuses[status] = (statuses[status] ?? 0) + 1
      free.push(sender)
      pump()
    }
  }
}

/** The longest wait for an answer may be this process's own: it says how long of it nothing here ran. */
function slowestOf(sentAt: number[], answeredAt: number[], startedAt: number, pauses: Pauses) {
  let sent = startedAt
  let answered = startedAt
  for (const [event, at] of answeredAt.entries()) {
    const from = sentAt[event] ?? Number.NaN
    if (from >= startedAt && at - from > answered - sent) [sent, answered] = [from, at]
  }
  return { afterSeconds: (sent - startedAt) / 1_000, ownMs: pauses.longestBetween(sent, answered) }
}

/** The rate counts answers, the latencies requests: those that waited at the end are in. */
function measure(sentAt: number[], answeredAt: number[], from: number, to: number) {
  let answered = 0
  const latencies: number[] = []
  answeredAt.forEach((at, event) => {
    const sent = sentAt[event] ?? Number.NaN
    if (at >= from && at <= to) answered++
    if (sent >= from && at >= sent) latencies.push(at - sent)
  })
  return { perSecond: answered / ((to - from) / 1000), ...summarize(latencies) }
}
