import { connect, type Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { now } from '../../bench/wire/clock.ts'
import { answerEnd } from '../../bench/wire/connection.ts'
import { requestTemplate } from '../../bench/wire/template.ts'
import { answerParent } from '../../bench/worker.ts'
import { watchPace } from './pace.ts'

export interface HonestJob {
  port: number
  path: string
  perSecond: number
  seconds: number
  /** Number of the first event. */
  from: number
}

export interface HonestResult {
  sent: number
  /** Numbers of the events that were answered 2xx. */
  taken: number[]
  /** From when each was due to its answer (milliseconds). */
  latencies: number[]
  /** How many were not taken, by what happened. */
  lost: Record<string, number>
  /** How late the sender's own turns came: of one in a hundred, at least so much (milliseconds). */
  ownDelayMs: number
  /** How many times longer than elsewhere the same work took meanwhile. */
  pace: number
}

/** A pool uses a connection for a while, and opens another one now and then: so it needs new ones during an attack, too. */
const WEBHOOKS_A_CONNECTION = 20
const MAX_CONNECTIONS = 64

/** Who sends gives up so long after the last one was due (milliseconds). */
const TIMEOUT_MS = 10_000

interface Line {
  socket: Socket
  /** What it carries; null: nothing. */
  event: number | null
  carried: number
  received: Buffer
}

answerParent(run)

/** Sends sales as the platform does: at an even pace, over kept connections, each once, whatever the hub does. */
async function run({ port, path, perSecond, seconds, from }: HonestJob): Promise<HonestResult> {
  const template = requestTemplate(path)
  const count = Math.round(perSecond * seconds)
  const result: HonestResult = { sent: 0, taken: [], latencies: [], lost: {}, ownDelayMs: 0, pace: 1 }
  const idle: Line[] = []
  const waiting: number[] = []
  const dueAt: number[] = []
  const lines = new Set<Line>()
  let ended = 0
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
  using machine = watchPace()
  const begin = now()
  const turns = monitorEventLoopDelay({ resolution: 1 })
  turns.enable()
  const tick = setInterval(pump, 1)
  const patience = setTimeout(finish, seconds * 1_000 + TIMEOUT_MS)
  await finished
  clearInterval(tick)
  clearTimeout(patience)
  turns.disable()
  result.ownDelayMs = turns.percentile(99) / 1_000_000
  result.pace = machine.pace()
  for (const { socket } of lines) socket.destroy()
  if (ended < count) result.lost[`no answer within ${TIMEOUT_MS / 1_000} s`] = count - ended
  return result

  function pump(): void {
    const time = now()
    while (result.sent < count && time >= begin + (result.sent * 1_000) / perSecond) {
      dueAt.push(begin + (result.sent * 1_000) / perSecond)
      waiting.push(result.sent)
      result.sent += 1
    }
    while (waiting.length > 0 && (idle.length > 0 || lines.size < MAX_CONNECTIONS)) {
      const line = idle.pop() ?? openLine()
      send(line, waiting.shift() ?? 0)
    }
  }

  function send(line: Line, event: number): void {
    template.set(from + event)
    line.event = event
    line.carried += 1
    line.socket.write(Buffer.from(template.buffer))
  }

  function openLine(): Line {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const line: Line = { socket, event: null, carried: 0, received: Buffer.alloc(0) }
    let reason = 'closed without an answer'
    lines.add(line)
    socket.on('data', (bytes) => read(line, bytes))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      reason = `connection: ${error.code}`
    })
    socket.on('close', () => {
      lines.delete(line)
      const at = idle.indexOf(line)
      if (at >= 0) idle.splice(at, 1)
      if (line.event !== null) lose(reason)
    })
    return line
  }

  function read(line: Line, bytes: Buffer): void {
    line.received = Buffer.concat([line.received, bytes])
    const { event, received, socket } = line
    if (event === null || answerEnd(received) > received.length) return
    const status = Number(received.toString('latin1', 9, 12))
    const closes = /\r\nconnection: close\r\n/i.test(received.toString('latin1'))
    Object.assign(line, { event: null, received: Buffer.alloc(0) })
    if (closes || line.carried >= WEBHOOKS_A_CONNECTION) socket.destroy()
    else idle.push(line)
    if (status >= 300) lose(`status ${status}`)
    else {
      result.taken.push(from + event)
      result.latencies.push(now() - (dueAt[event] ?? 0))
      endOne()
    }
  }

  function lose(reason: string): void {
    result.lost[reason] = (result.lost[reason] ?? 0) + 1
    endOne()
  }

  function endOne(): void {
    ended += 1
    if (ended === count) finish()
  }
}
