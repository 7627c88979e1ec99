import fc from 'fast-check'
import type { StoredMirrorRow } from '../../../../src/domain/catalogue/mirror.ts'
import { completenessOf } from '../../../../src/domain/completeness/completeness.ts'
import { PLATFORM } from '../../../../src/domain/queue/event.ts'
import { RetryLaterError } from '../../../../src/domain/values/errors.ts'
import { parseDecimal } from '../../../../src/domain/values/money.ts'
import { toStoreLocal } from '../../../../src/domain/values/store-time.ts'
import { reconcileListsJob } from '../../../../src/jobs/reconciliation/reconcile-lists.ts'
import { kindOf } from '../../../../src/platform/payloads/kinds.ts'
import type { Platform } from '../../../../src/platform/platform.ts'
import type { SalesLine } from '../../../../src/platform/resources/sales.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { listed } from '../../../listed.ts'
import { createRunner, createTestLogger } from '../../engine/run.ts'
import { createMemoryStorage } from '../memory-storage.ts'

const MINUTE = 60_000
const START = Date.parse('2026-10-24T18:00:00Z')

const STORES = [
  { storeId: '1', number: '101', stockId: '11', zone: 'Europe/Oslo' },
  { storeId: '2', number: '102', stockId: '12', zone: 'Europe/Helsinki' },
].map((store) => ({ ...store, name: store.number, countryCode: 'NO', currency: 'NOK', goneAt: null }))

/** Something that happened: when, where, when its list shows it, and when its webhook comes. */
const Happened = fc.record({
  what: fc.constantFrom('sale', 'movement'),
  at: fc.integer({ min: -60, max: 1_500 }),
  store: fc.integer({ min: 0, max: 1 }),
  listed: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 600 })),
  /** Minutes until its webhook comes; null: never. */
  reported: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 300 }), {
    weight: 2,
    arbitrary: fc.constant(null),
  }),
  /** Minutes until it is void; null: never. */
  void: fc.option(fc.integer({ min: 1, max: 900 }), { freq: 10 }),
})

const Story = fc.record({
  all: fc.array(Happened, { maxLength: 14 }),
  runs: fc.array(
    fc.record({
      after: fc.integer({ min: 1, max: 400 }),
      /** What becomes of a list, and of which of the questions. */
      fault: fc.option(
        fc.record({
          at: fc.integer({ min: 1, max: 8 }),
          is: fc.constantFrom('fails', 'is down', 'unreadable', 'empty', 'half'),
        }),
      ),
    }),
    { minLength: 1, maxLength: 6 },
  ),
})

type Reported = typeof Story extends fc.Arbitrary<infer One> ? One : never

/** A list is short in inactivity, and shows a sale of the hour that comes twice only when a minute of it was said to be proven. */
const SHOWN_AFTER: Reported = {
  all: [{ what: 'sale', at: 360, store: 0, listed: 0, reported: null, void: null }],
  runs: [
    { after: 16, fault: null },
    { after: 360, fault: { at: 2, is: 'half' } },
    { after: 1, fault: null },
  ],
}

/**
 * Whatever lists are like, and whenever webhooks come: where it is said that all is here by the records until T, each record of before T
 * is here that its list has shown, or shows in time; those that a list shows late are here after the next run that nothing disturbs.
 */
export function neverFalsely(numRuns: number): Promise<void> {
  return fc.assert(fc.asyncProperty(Story, tell), { numRuns, examples: [[SHOWN_AFTER]] })
}

async function tell({ all: happened, runs }: Reported): Promise<void> {
  let now = START
  let fault: Reported['runs'][number]['fault'] = null
  let questions = 0
  // In inactivity: nothing tells that rows are missing, unless events told of them.
  const isSilent = runs.some((one) => one.fault?.is === 'empty' || one.fault?.is === 'half')
  const inbox = new Map<string, { body: unknown; kind: string }>()
  const mirror: StoredMirrorRow[] = []
  const all = happened.map((one, index) => {
    const n = index + 1
    const at = START + one.at * MINUTE
    const place = STORES[one.store] as (typeof STORES)[number]
    const wall = toStoreLocal(at, place.zone)
    const isSale = one.what === 'sale'
    const shown = {
      from: at + one.listed * MINUTE,
      to: one.void === null || !isSale ? Infinity : at + one.void * MINUTE,
    }
    const payload = isSale ? saleOf(n, wall, place.number) : { movementId: n, stockId: place.stockId, quantity: 1 }
    return { ...one, n, at, wall, place, isSale, shown, payload, isIn: false, lastShown: false }
  })

  function take(kind: string, payload: object): void {
    const identity = kindOf(kind)?.identity?.(payload, PLATFORM)
    if (identity) inbox.set(`${kind} ${identity.key}`, { body: payload, kind })
  }

  /** A list, as it is answered: with its fault, and what it shows is remembered. */
  function answered(day: string, isSale: boolean) {
    questions += 1
    const is = fault?.at === questions ? fault.is : null
    if (is === 'fails') throw new RetryLaterError('not now', { code: 'http-500', scope: 'item' })
    if (is === 'is down') throw new RetryLaterError('not now', { code: 'network' })
    const those = all.filter((one) => one.isSale === isSale && one.wall.startsWith(day))
    const there = those.filter(({ shown }) => shown.from <= now && shown.to > now)
    const rows = is === 'empty' ? [] : is === 'half' ? there.slice(0, Math.floor(there.length / 2)) : there
    const rejected = is === 'unreadable' ? [{ row: 1, why: 'has no Qty', record: {} }] : []
    for (const one of those) one.lastShown = rows.includes(one)
    return { rows, rejected }
  }

  const memory = createMemoryStorage(new Set())
  const storage = {
    ...memory,
    stores: async () => STORES,
    jobs: async () => [],
    known: async (those: Parameters<Storage['known']>[0]) =>
      those.map(({ kind, identity }) =>
        inbox.has(`${kind} ${identity}`)
          ? { id: 1, by: 'identity' as const, bodyHash: '', hasKey: true, receivedAt: now, subscription: 'all' }
          : null,
      ),
    formerPlaces: async () => [],
    bodies: async () => [],
    mirrorPage: async ({ set, from = '', to = '' }: Parameters<Storage['mirrorPage']>[0]) =>
      mirror.filter((row) => row.set === set && row.day >= from && row.day <= to),
  }
  const platform = {
    webhooks: {
      list: async () =>
        listed(
          ['SaleCreated', 'StockMovementCreated', 'OmniChannelEndlessAisleOrderCreated', 'SaleExternalCreated'].map(
            (event) => ({
              id: event,
              event,
              url: `https://hub/webhooks/${event}/all?token=t`,
              storeId: null,
              record: {},
            }),
          ),
        ),
    },
    salesLines: {
      async each({ from: day }: { from: string }, take: (line: SalesLine) => void) {
        const { rows, rejected } = answered(day, true)
        for (const { n, wall, place } of rows) take(lineOf(n, wall, place.storeId))
        return rejected
      },
    },
    stockMovements: {
      async *list({ from: day }: { from: string }) {
        const { rows, rejected } = answered(day, false)
        const written = rows.map(({ n, wall: movedAt, place: { stockId } }) => {
          return { gtin: '70', quantity: parseDecimal(1), stockId, stockName: null, movedAt, record: { ID: n } }
        })
        yield { rows: written, rejected }
      },
    },
  } as unknown as Pick<Platform, 'webhooks' | 'salesLines' | 'stockMovements' | 'settlements'>
  const job = createRunner(
    reconcileListsJob({
      ...{ platform, storage, publicUrl: 'https://hub', mirrored: true, rate: undefined },
      movementColumns: { id: 'ID' },
      saleColumns: { receiptNo: 'NO', posId: 'POS', orderNo: 'ORDER' },
      logger: createTestLogger().logger,
      inbox: {
        async accept({ kind, body }) {
          take(kind, JSON.parse(Buffer.from(body).toString()))
          return { status: 'accepted', id: 1, unrouted: true, submission: null, sameKeyAs: null }
        },
      },
      clock: { now: () => now, after: () => () => {} },
    }),
    () => now,
  )
  for (const kind of ['SaleCreated', 'StockMovementCreated']) {
    const from = START - 30 * MINUTE
    const watermark = { level: 'log', kind, storeId: null, from, until: START + 10_000 * MINUTE, since: START } as const
    await memory.saveReconciliation({ watermarks: [{ type: 'put', watermark }] }, START)
  }
  for (const { after, fault: next } of [...runs, { after: 2_000, fault: null }]) {
    now += after * MINUTE
    fault = next
    questions = 0
    for (const one of all) if (!one.isIn && one.reported !== null && one.at + one.reported * MINUTE <= now) arrive(one)
    // A fault of a list is played; any other is one of the story's own, and would prove nothing.
    await job.run().catch((error: unknown) => {
      if (!(error instanceof RetryLaterError)) throw error
    })
    await check()
  }

  function arrive(one: (typeof all)[number]): void {
    one.isIn = true
    const kind = one.isSale ? 'SaleCreated' : 'StockMovementCreated'
    take(kind, one.payload)
    const { n, wall, place, isSale } = one
    const identity = kindOf(kind)?.identity?.(one.payload, PLATFORM)?.key ?? ''
    const lines = [{ gtin: `${n % 3}`, quantity: '1', unitPrice: '10' }]
    mirror.push({
      ...{ id: n, savedAt: now, article: null, part: null, version: 0, tie: 0, day: wall.slice(0, 10) },
      set: isSale ? 'sales' : 'movements',
      key: isSale ? identity : `${n}`,
      place: isSale ? place.number : place.stockId,
      body: isSale ? { soldAt: wall, lines } : { at: wall },
    })
  }

  async function check(): Promise<void> {
    const oldest = { lists: await memory.oldestGaps('lists') }
    for (const mark of await memory.watermarks()) {
      if (mark.level !== 'lists') continue
      for (const { storeId } of STORES) {
        const own = (await memory.watermarks()).some(
          (one) => one.level === 'lists' && one.kind === mark.kind && one.storeId === storeId,
        )
        if (mark.storeId !== storeId && (mark.storeId !== null || own)) continue
        const [said] = completenessOf([{ ...mark, storeId }], oldest, { until: mark.until, storeId, now })
        for (const until of [mark.from, mark.from - 1, mark.from - 300 * MINUTE]) {
          const [before] = completenessOf([{ ...mark, storeId }], oldest, { until, storeId, now })
          if (before?.verdict === 'proven') throw new Error(`Nobody has compared anything of before ${until}.`)
        }
        if (said?.verdict !== 'proven') continue
        const isSale = mark.kind === 'SaleCreated'
        const lacking = all.filter((one) => {
          const isAsked = one.isSale === isSale && one.place.storeId === storeId && wasToBeSeen(one)
          return isAsked && one.at >= mark.from && one.at < mark.until && !isHere(one)
        })
        if (lacking.length > 0)
          throw new Error(`Complete until ${mark.until}, but ${JSON.stringify(lacking)} is not here.`)
      }
    }
  }

  /** It was shown; or would have been to whoever looked, where no list is short in inactivity. */
  function wasToBeSeen({ lastShown, listed: late, shown }: (typeof all)[number]): boolean {
    if (lastShown) return true
    if (isSilent || shown.to <= now || shown.from > now) return false
    return late < 15 || fault === null
  }

  function isHere({ isSale, payload }: (typeof all)[number]): boolean {
    const kind = isSale ? 'SaleCreated' : 'StockMovementCreated'
    return inbox.has(`${kind} ${kindOf(kind)?.identity?.(payload, PLATFORM)?.key}`)
  }
}

function saleOf(n: number, createdDateTime: string, storeExtId: string) {
  return { receiptNo: `${n}`, createdDateTime, total: 10, store: { storeExtId, storeName: storeExtId, posId: '1' } }
}

function lineOf(n: number, soldAt: string, storeId: string): SalesLine {
  const price = parseDecimal(10)
  return {
    ...{ lineId: `${n}`, saleId: null, storeId, stockId: null, productId: null, gtin: `${n % 3}`, soldAt },
    ...{ quantity: parseDecimal(1), unitPrice: price, fullPrice: price, discount: null, cost: null, vatRate: null },
    ...{ currency: 'NOK', record: { NO: `${n}`, POS: '1' } },
  }
}
