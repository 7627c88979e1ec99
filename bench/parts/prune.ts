import { openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { startHub } from '../hub-process.ts'
import { always, atMost, judge, none, type Part, warnings } from '../part.ts'
import { runJob } from '../run-job.ts'
import { sizesOf } from '../sizes.ts'
import { eventOf } from '../wire/shop-days.ts'
import { runLoad, startSink } from '../workers.ts'

const RATE = 250
const TOGETHER = 500
const DAY = 86_400_000

/** One of so many has had its time. */
const SHARE = 10

export const prune: Part = {
  name: 'prune',
  about: `100,000 of 1,000,000 events (--seconds: of 200,000) are pruned under ${RATE} webhooks a second; the size afterwards`,
  async run(bench) {
    const count = bench.seconds === null ? 1_000_000 : 200_000
    await using sink = await startSink()
    const [port = 0] = sink.ports
    await using hub = await startHub(bench, { destinations: { bus: { port, publish: ['SaleCreated'] } } })
    let [old, all] = [0, 0]
    await hub.killAndRestart(async () => {
      await using storage = await openStorage(hub.storeUrl, { sameBytesWindow: 0 })
      const empty = (await sizesOf(hub.storeUrl)).total
      await fill(storage, 0, count / SHARE, count)
      old = (await sizesOf(hub.storeUrl)).total - empty
      await fill(storage, count / SHARE, count, count)
      all = (await sizesOf(hub.storeUrl)).total
    })
    bench.say(`${count} events are there, of which ${count / SHARE} have had their time`)
    const load = { ports: [hub.port], paths: [hub.webhookPath('SaleCreated')], connections: 16, rate: RATE }
    const before = await runLoad({ ...load, from: 0, warmUpSeconds: 2, seconds: 10 })
    const from = before.sent
    const begun = performance.now()
    let note = ''
    let seconds = 0
    const pruned = runJob(hub, 'retention').then((said) => {
      note = said
      seconds = (performance.now() - begun) / 1_000
    })
    const during = await runLoad({ ...load, from, warmUpSeconds: 0, seconds: count / 5_000 })
    await pruned
    const size = (await sizesOf(hub.storeUrl)).total
    const grown = (all / count) * (before.sent + during.sent)
    const never = all - old + grown
    const { perSecond, p50Ms, p99Ms, maxMs } = during
    const limits = [
      always(atMost('max ms', maxMs, 100)),
      none('events not accepted', before.failed + during.failed),
      atMost('size / size of a store that never had them', size / never, 1.1),
      always(atMost('seconds', seconds, 600)),
    ]
    return judge(bench, prune.name, { perSecond, p50Ms, p99Ms, maxMs }, limits, [
      `${note}, in ${seconds.toFixed(1)} s (${Math.round(count / SHARE / seconds)} events a second)`,
      `before: p99 ${before.p99Ms.toFixed(1)} ms, max ${before.maxMs.toFixed(1)} ms`,
      `size: ${mb(all)} with them, ${mb(size)} after, ${mb(never)} never having had them`,
      ...warnings('hub', during),
    ])
  },
}

/** Events that were delivered to both at the first try; the first of them long ago. */
async function fill(storage: Storage, first: number, end: number, count: number): Promise<void> {
  const now = storage.now()
  for (let from = first; from < end; from += TOGETHER) {
    const length = Math.min(TOGETHER, end - from)
    const arrivals = Array.from({ length }, (_, index) => eventOf(from + index, count, now))
    const age = from < count / SHARE ? 401 * DAY : DAY
    await storage.accept(arrivals.map((one) => ({ ...one, receivedAt: now - age })))
    for (const destination of ['erp', 'warehouse']) await deliver(storage, destination)
  }
}

async function deliver(storage: Storage, destination: string): Promise<void> {
  const room = { calls: TOGETHER, yielding: TOGETHER, bytes: 1e9, batch: { items: 1, bytes: 1e9, linger: 0 } }
  const next = { state: 'delivered', open: false, tries: 1, finds: 0, failingSince: null, why: null } as const
  for (;;) {
    const { calls } = await storage.claim({ destination, urgency: 'prompt' }, room, 60_000)
    if (calls.length === 0) return
    const at = storage.now()
    await storage.settle(
      calls.flat().map(({ fence, delivery }) => ({
        fence,
        delivery: delivery.id,
        next: { ...next, dueAt: at },
        attempt: { at, ms: 50, outcome: 'delivered', code: 'delivered', note: null },
        links: [],
      })),
    )
  }
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
