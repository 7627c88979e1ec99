import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { payloadOrNull } from '../../src/domain/queue/event.ts'
import { searchKeysOf } from '../../src/domain/queue/search-keys.ts'
import { openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { atMost, judge, onPostgres, type Part } from '../part.ts'
import { sizesOf } from '../sizes.ts'
import { summarize } from '../wire/latencies.ts'
import { eventOf } from '../wire/shop-days.ts'
import { compressAll } from '../years/year-old.ts'

const TOGETHER = 500
const SAMPLE = 300
const MUST_GB = { sqlite: 1.3, postgres: 2 }

export const size: Part = {
  name: 'size',
  about:
    '328,000 events (--seconds: 66,000) with two settled deliveries each: bytes before and after old payloads are compressed',
  async run(bench) {
    const count = bench.seconds === null ? 328_000 : 66_000
    const folder = mkdtempSync(join(tmpdir(), 'tillbridge-bench-'))
    const schema = bench.postgres?.newSchema() ?? null
    try {
      const url = schema?.url ?? `file:${join(folder, 'tillbridge.db')}`
      const notes: string[] = []
      await using storage = await openStorage(url, { sameBytesWindow: 0 })
      const now = storage.now()
      const filled = await timed(() => fill(storage, count, now))
      bench.say(`${count} events were settled and indexed in ${filled.seconds.toFixed(1)} s`)
      const before = await sizesOf(url)
      const plainReads = await readSome(storage, count)
      const compressing = await timed(() => compressAll(storage, now))
      const { payloads, bytes, plainBytes } = compressing.value
      const compressedReads = await readSome(storage, count)
      const after = await sizesOf(url)
      const gb = (total: number) => (total / count) * 1e-3
      notes.push(
        `${gb(after.total).toFixed(3)} GB a million, before compressing ${gb(before.total).toFixed(3)}`,
        `compressed ${payloads} payloads, ${plainBytes} bytes into ${bytes} (${(plainBytes / bytes).toFixed(1)} to 1), in ${compressing.seconds.toFixed(1)} s (${Math.round(payloads / compressing.seconds)}/s)`,
        `an event is read in ${plainReads.p50Ms.toFixed(2)} ms before (p99 ${plainReads.p99Ms.toFixed(2)}), ${compressedReads.p50Ms.toFixed(2)} ms after (p99 ${compressedReads.p99Ms.toFixed(2)})`,
        ...after.parts.map(({ name, bytes: its }) => `${name}: ${Math.round(its / count)} bytes an event`),
      )
      const limits = [
        atMost('GB a million', gb(after.total), MUST_GB.sqlite),
        onPostgres(atMost('GB a million', gb(after.total), MUST_GB.postgres)),
      ]
      return judge(bench, size.name, { perSecond: payloads / compressing.seconds, ...compressedReads }, limits, notes)
    } finally {
      schema?.[Symbol.dispose]()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Events, accepted, delivered to both at the first try, and indexed. */
async function fill(storage: Storage, count: number, now: number): Promise<void> {
  for (let from = 0; from < count; from += TOGETHER) {
    const length = Math.min(TOGETHER, count - from)
    await storage.accept(Array.from({ length }, (_, index) => eventOf(from + index, count, now)))
    for (const destination of ['erp', 'warehouse']) await deliverAll(storage, destination)
    await indexAll(storage)
  }
}

async function deliverAll(storage: Storage, destination: string): Promise<void> {
  const room = { calls: TOGETHER, yielding: TOGETHER, bytes: 1e9, batch: { items: 1, bytes: 1e9, linger: 0 } }
  for (;;) {
    const { calls } = await storage.claim({ destination, urgency: 'prompt' }, room, 60_000)
    if (calls.length === 0) return
    await storage.settle(
      calls.flat().map(({ fence, delivery }) => ({
        fence,
        delivery: delivery.id,
        next: {
          state: 'delivered',
          dueAt: storage.now(),
          open: false,
          tries: 1,
          finds: 0,
          failingSince: null,
          why: null,
        },
        attempt: {
          at: storage.now(),
          ms: 40 + (delivery.id % 90),
          outcome: 'delivered',
          code: 'delivered',
          note: 'HTTP 200 OK',
        },
        links: [],
      })),
    )
  }
}

async function indexAll(storage: Storage): Promise<void> {
  for (;;) {
    const events = await storage.unindexed({ events: 2_000, bytes: 8_000_000 })
    const last = events.at(-1)
    if (!last) return
    const keys = events.flatMap(({ id, body, transportKey }) => [
      ...searchKeysOf(payloadOrNull(body)).map((key) => ({ ...key, event: id })),
      { sort: 'id' as const, value: transportKey ?? '', event: id },
    ])
    await storage.indexKeys(last.id, keys)
  }
}

/** Events of all ages, one after the other. */
async function readSome(storage: Storage, count: number) {
  const times: number[] = []
  for (let nth = 0; nth < SAMPLE; nth++) {
    const begun = performance.now()
    await storage.event(1 + Math.floor((nth * count) / SAMPLE))
    times.push(performance.now() - begun)
  }
  return summarize(times)
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; seconds: number }> {
  const begun = performance.now()
  return { value: await work(), seconds: (performance.now() - begun) / 1_000 }
}
