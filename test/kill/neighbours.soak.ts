import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { createFolder } from '../hub.ts'
import { listen } from '../listen.ts'
import { startHubProcess } from './hub-process.ts'
import { tell } from './tell.ts'

const DESTINATIONS = 10
const RATE = 50
const WARM_UP = 3_000
const CONTROL = 7_000
const HANG = 60_000
/** How often the load is brought up to where it should be (milliseconds). */
const TICK = 10

/** One sink for all: `/3` is destination 3. Bodies say when their event was sent. */
async function startSink() {
  const arrived = Array.from({ length: DESTINATIONS }, () => new Map<number, number>())
  const hanging: ServerResponse[] = []
  const sink = { arrived, hanging, hangs: false }
  const server = await listen((request, response) => {
    const destination = Number(request.url?.slice(1))
    const chunks: Buffer[] = []
    request
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => {
        const { n } = JSON.parse(Buffer.concat(chunks).toString())
        if (destination === 0 && sink.hangs) hanging.push(response)
        else {
          if (!arrived[destination]?.has(n)) arrived[destination]?.set(n, performance.now())
          response.end()
        }
      })
  })
  return Object.assign(sink, { ...server })
}

// A machine that others use too may stand still for a second or two, and all ten with it: then it is measured once more.
const ONCE_MORE = { retry: 1 }

test('When one of ten destinations hangs for a minute, then the other nine do not feel it', ONCE_MORE, async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  const names = Array.from({ length: DESTINATIONS }, (_, at) => `d${at}`)
  await using hub = await startHubProcess({
    folder: folder.path,
    destinations: Object.fromEntries(
      names.map((name, at) => [name, { adapter: 'http', url: `${sink.url}/${at}`, publish: [`Kind${at}`] }]),
    ),
  })
  const sent = names.map(() => new Map<number, number>())
  const accepted = names.map(() => new Map<number, number>())
  const worstBacklog = names.map(() => 0)
  const refused: unknown[] = []
  const body = { store: { storeExtId: '101', posId: 3 }, text: 'x'.repeat(1_900) }

  async function sendUntil(end: number): Promise<void> {
    const from = performance.now()
    const first = sent[0]?.size ?? 0
    while (performance.now() < end) {
      const due = first + Math.floor(((performance.now() - from) * RATE) / 1_000)
      for (let n = sent[0]?.size ?? 0; n < due; n += 1)
        for (const [at, own] of sent.entries()) {
          own.set(n, performance.now())
          hub.post(`Kind${at}`, { ...body, n }).then(
            (status) => {
              if (status === 202) accepted[at]?.set(n, performance.now())
              else refused.push(status)
            },
            (error) => refused.push(error),
          )
        }
      for (const [at, own] of accepted.entries())
        worstBacklog[at] = Math.max(worstBacklog[at] ?? 0, own.size - (sink.arrived[at]?.size ?? 0))
      await pause(TICK)
    }
  }

  await sendUntil(performance.now() + WARM_UP + CONTROL)
  const measuredFrom = performance.now()
  sink.hangs = true
  await sendUntil(measuredFrom + HANG)
  const backlog = worstBacklog.slice(1)
  await eventually(() => sink.arrived.every((own, at) => at === 0 || own.size === sent[at]?.size))

  /** How long the other nine took to the sink, by when it began (being sent, or accepted), in a span of time. */
  function latency(begun: Map<number, number>[], from: number, to: number) {
    const took = begun.flatMap((own, at) =>
      [...own].flatMap(([n, when]) =>
        at > 0 && when >= from && when < to ? [Math.max(0, (sink.arrived[at]?.get(n) ?? Number.NaN) - when)] : [],
      ),
    )
    took.sort((a, b) => a - b)
    const at = (share: number) => Math.round(took[Math.floor((took.length - 1) * share)] ?? Number.NaN)
    return { events: took.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
  }

  sink.hangs = false
  for (const response of sink.hanging) response.end()
  const [hanging] = worstBacklog
  const fromAccept = latency(accepted, measuredFrom, Number.POSITIVE_INFINITY)
  // For the reader: with the time to be accepted, and what that is like before one hangs. Where the machine is busy with
  // other things, these show it.
  const fromSend = latency(sent, measuredFrom, Number.POSITIVE_INFINITY)
  const fromSendBefore = latency(sent, measuredFrom - CONTROL, measuredFrom)
  tell({ fromAccept, fromSend, fromSendBefore, backlog, hanging, refused: refused.length })
  expect(refused).toEqual([])
  expect(hanging).toBeGreaterThan(1_000)
  expect(Math.max(...backlog)).toBeLessThan(50)
  expect(fromAccept.p99Ms).toBeLessThan(100)
})
