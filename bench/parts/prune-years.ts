import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { fileOf } from '../../src/storage/open.ts'
import type { HubProcess } from '../hub-process.ts'
import type { LoadResult } from '../load.ts'
import { always, atMost, type Bench, judge, none, type Part, warnings } from '../part.ts'
import { runJob } from '../run-job.ts'
import { runLoad, startSink } from '../workers.ts'
import { countOf, DESTINATIONS, destinationsAt } from '../years/events.ts'
import { startYearOldHub } from '../years/year-old-hub.ts'

const RATE = 250

/** The oldest tenth of a year has had its time. */
const SHARE = 0.1
const AGE = `${365 * 24 * (1 - SHARE)}h`

/** From its beginning, the size has so long (seconds). */
const TIMEOUT_MS = 600

/** A stretch of load; the prune is looked at between two (seconds). */
const STRETCH = 30

/** What an event that comes now adds to the size is measured over such a stretch (seconds). */
const BEFORE = 60

/** How much larger than a store that never had them it may be. */
const LARGER = 1.1

/** Where the store is with a server, room that is free is not returned to the disk: this is the file's part. */
export const pruneYears: Part = {
  name: 'prune-years',
  about: `a million of ten million (--seconds: a tenth of a thousand a second, 300,000 at least) are pruned under ${RATE} webhooks a second; the size afterwards`,
  onlyNamed: true,
  async run(bench) {
    const count = countOf(bench.seconds)
    await using sink = await startSink(DESTINATIONS.map(() => false))
    const retention = { payloads: AGE, attempts: AGE, events: AGE, keys: AGE }
    const setup = { destinations: destinationsAt(sink.ports), more: { retention } }
    await using hub = await startYearOldHub(bench, setup, count)
    return await judged(bench, hub, count)
  },
}

async function judged(bench: Bench, hub: HubProcess, count: number) {
  const load = {
    ports: [hub.port],
    paths: [hub.webhookPath('SaleCreated')],
    connections: 16,
    rate: RATE,
    warmUpSeconds: 0,
  }
  const all = sizeOf(hub)
  const before = await runLoad({ ...load, from: 0, seconds: BEFORE })
  const anEvent = (sizeOf(hub).used - all.used) / before.sent
  bench.say(`${count} events are there; an event that comes adds ${Math.round(anEvent)} bytes`)

  const begun = performance.now()
  const seconds = () => (performance.now() - begun) / 1_000
  const ended: { note: string; after: number }[] = []
  let isOver = false
  const pruning = (async () => {
    // A run has so many slices of keys; the next night's goes on.
    while (!isOver) ended.push({ note: await runJob(hub, 'retention'), after: seconds() })
  })()
  const during: LoadResult[] = []
  let sent = before.sent
  let small: number | null = null
  while (seconds() < TIMEOUT_MS && (small === null || ended.length === 0)) {
    const stretch = await runLoad({ ...load, from: sent, seconds: STRETCH })
    during.push(stretch)
    sent += stretch.sent
    const never = all.used * (1 - SHARE) + anEvent * sent
    if (small === null && sizeOf(hub).used <= never * LARGER) small = seconds()
    bench.say(`after ${Math.round(seconds())} s: ${mb(sizeOf(hub).used)} of ${mb(never)}, ${longestOf(stretch)}`)
  }
  isOver = true
  await Promise.race([pruning, sleep(60_000)])

  const after = sizeOf(hub)
  const never = all.used * (1 - SHARE) + anEvent * sent
  const failed = [before, ...during].reduce((sum, one) => sum + one.failed, 0)
  const figures = {
    perSecond: during.reduce((sum, one) => sum + one.perSecond, 0) / during.length,
    p50Ms: Math.max(...during.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...during.map(({ p99Ms }) => p99Ms)),
    maxMs: Math.max(...during.map(({ maxMs }) => maxMs)),
  }
  const limits = [
    always(atMost('max ms', figures.maxMs, 100)),
    none('events not accepted', failed),
    always(atMost('size / size of a store that never had them', after.used / never, LARGER)),
    always(atMost('seconds until it was so', small ?? Number.POSITIVE_INFINITY, TIMEOUT_MS)),
  ]
  return judge(bench, pruneYears.name, figures, limits, [
    ...ended.map(({ note, after }) => `a run had ended after ${Math.round(after)} s: ${note}`),
    `before: p99 ${before.p99Ms.toFixed(1)} ms, ${longestOf(before)}; p50 and p99 are those of the worst ${STRETCH} s`,
    `size: ${mb(all.used)} with them, ${mb(after.used)} after, ${mb(never)} never having had them; on the disk ${mb(all.disk)}, then ${mb(after.disk)}`,
    ...during.flatMap((one) => warnings('hub', one)),
  ])
}

/** `used`: without pages that are free; `disk`: of the file as it lies there. */
function sizeOf({ storeUrl }: Pick<HubProcess, 'storeUrl'>): { used: number; disk: number } {
  const file = fileOf(storeUrl)
  const db = new Database(file, { readonly: true })
  try {
    const read = (name: string) => Number(db.pragma(name, { simple: true }))
    return { used: (read('page_count') - read('freelist_count')) * read('page_size'), disk: statSync(file).size }
  } finally {
    db.close()
  }
}

/** Where the load itself stood still, the wait is not the hub's. */
function longestOf({ maxMs, slowest }: LoadResult): string {
  const where = `${slowest.afterSeconds.toFixed(1)} s into its stretch, of which the load stood still for ${slowest.ownMs.toFixed(0)}`
  return `longest accept ${maxMs.toFixed(0)} ms, ${where}`
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
