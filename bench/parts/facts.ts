import { hash } from 'node:crypto'
import { saleRow } from '../../src/adapters/mirror/mirror.ts'
import { saleIdentity } from '../../src/platform/payloads/kinds.ts'
import { readSale } from '../../src/platform/payloads/sale.ts'
import type { Arrival } from '../../src/storage/arrival.ts'
import { openStorage } from '../../src/storage/open.ts'
import { startHub } from '../hub-process.ts'
import { always, atMost, judge, none, type Part } from '../part.ts'
import { runJob } from '../run-job.ts'
import { summarize } from '../wire/latencies.ts'
import { type Day, openLists, saleOf } from '../wire/lists.ts'
import { startLive } from '../workers.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const KIND = 'SaleCreated'
const DAY = 86_400_000
const STORES = 100
const LINES_OF_A_SALE = 2

/** Sales of which no event came: each is to be found. */
const LOST = 10

/** Events kept at once. */
const TOGETHER = 1_000

export const facts: Part = {
  name: 'facts',
  about:
    'a day of 100 stores, 200,000 lines of sales (--seconds: 20,000), is held against events, while webhooks come live',
  async run(bench) {
    const day = dayOf(bench.seconds === null ? 200_000 : 20_000)
    await using platform = await openLists(day)
    await using hub = await startHub(bench, {
      destinations: {},
      platform: { baseUrl: platform.url, ...KEYS, preset: 'frontsystems-v2' },
      isReached: true,
      more: {
        mirror: 'all',
        pulls: { saleColumns: { receiptNo: 'RECEIPTNO', posId: 'POSID_FK', orderNo: 'ORDERNO' } },
      },
    })
    platform.sendsTo(`http://127.0.0.1:${hub.port}${hub.webhookPath(KIND)}`)
    const begun = performance.now()
    await hub.killAndRestart(() => fill(hub.storeUrl, day))
    bench.say(`${day.sales - LOST} sales are kept after ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
    // From its log on the hub knows since when it is told of sales.
    for (const job of ['stores', 'reconcile-log']) bench.say(`${job}: ${await runJob(hub, job)}`)

    const peakBefore = hub.peakMb()
    await using live = await startLive(hub, KIND)
    const compared = performance.now()
    const note = await runJob(hub, 'reconcile-lists')
    const seconds = (performance.now() - compared) / 1_000
    const latencies = await live.end()
    const { gaps } = await hub.admin<{ gaps: object[] }>('gaps?source=lists&limit=500')
    const figures = { perSecond: (day.sales * LINES_OF_A_SALE) / seconds, ...summarize(latencies) }
    return judge(
      bench,
      facts.name,
      figures,
      [
        atMost('seconds', seconds, 30),
        always(atMost('peak MB of the hub', hub.peakMb(), 300)),
        atMost('p99 ms of live accepts', figures.p99Ms, 50),
        none('losses that were not found', LOST - gaps.length),
        none('found that were none', gaps.length - LOST),
      ],
      [
        `peak memory ${Math.round(peakBefore)} MB before it began`,
        `compared in ${seconds.toFixed(1)} s: ${note}`,
        `peak memory ${Math.round(hub.peakMb())} MB`,
      ],
    )
  },
}

/** Yesterday in these stores, by number of lines. */
function dayOf(lines: number): Day {
  const sales = lines / LINES_OF_A_SALE
  return {
    date: new Date(Date.now() - DAY).toISOString().slice(0, 10),
    stores: STORES,
    sales,
    linesOfASale: LINES_OF_A_SALE,
    isLost: (nth) => nth % Math.floor(sales / LOST) === 7,
  }
}

/** The events that came, and the mirror's rows of them, as a hub keeps them, with nothing owed. */
async function fill(storeUrl: string, day: Day): Promise<void> {
  await using storage = await openStorage(storeUrl, { sameBytesWindow: 0 })
  await storage.accept([arrivalOf({ first: true }, 'first', Date.now() - 3 * DAY, null)])
  for (let from = 0; from < day.sales; from += TOGETHER) {
    const numbers = Array.from({ length: Math.min(TOGETHER, day.sales - from) }, (_, index) => from + index)
    const made = numbers.filter((nth) => !day.isLost(nth)).map((nth) => eventOf(day, nth))
    await storage.accept(made.map(({ arrival }) => arrival))
    await storage.saveMirror(
      made.map(({ row }) => ({ type: 'put', row })),
      Date.now(),
    )
  }
}

function eventOf(day: Day, nth: number) {
  const payload = saleOf(day, nth)
  const key = saleIdentity(payload)?.key ?? ''
  const { storeExtId } = payload.store
  return {
    // The platform's log does not tell of them: under keys of their own they would be a hundred thousand that it does not know.
    arrival: arrivalOf(payload, null, Date.parse(`${payload.createdDateTime}Z`), key),
    row: saleRow({
      type: 'sale',
      key,
      external: false,
      isThin: false,
      storeNo: storeExtId,
      day: day.date,
      sale: readSale(payload),
    }),
  }
}

function arrivalOf(payload: object, transportKey: string | null, at: number, identity: string | null): Arrival {
  const body = Buffer.from(JSON.stringify(payload))
  return {
    kind: KIND,
    origin: 'platform',
    subscription: 'all',
    receivedAt: at,
    headers: { 'content-type': 'application/json' },
    body,
    bodyHash: hash('sha256', body).slice(0, 32),
    transportKey,
    identity,
    versioned: false,
    exact: true,
    entity: null,
    facts: null,
    problem: null,
    deliveries: [],
  }
}
