import { expect, test } from 'vitest'
import { createCompletenessContext } from '../../src/app/completeness.ts'
import type { Watermark } from '../../src/domain/completeness/completeness.ts'
import { requestedRange } from '../../src/domain/completeness/covered.ts'
import { PLATFORM } from '../../src/domain/queue/event.ts'
import { presentOn } from '../../src/domain/stores/store-index.ts'
import { readCompleteness } from '../../src/storage/read-completeness.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-11-25T12:00:00Z')
const the20th = { since: Date.parse('2026-11-19T23:00Z'), until: Date.parse('2026-11-20T23:00Z'), now: NOW }
const LOG: Watermark = { level: 'log', kind: 'SaleCreated', storeId: null, from: 0, until: NOW - DAY, since: 0 }

const STORES = ['42', '43'].map((storeId) => ({
  ...{ storeId, number: storeId, zone: 'Europe/Oslo', goneAt: null, stockId: storeId, countryCode: 'NO' },
  ...{ name: null, currency: 'NOK' },
}))

/** Events newest first, as the store gives them. */
function contextOf(rows: readonly object[], kinds: readonly string[] | undefined, stores?: unknown) {
  return createCompletenessContext(
    {
      server: { publicUrl: 'https://hub.example' },
      platform: { webhooks: { kinds, stores, ids: {} }, payloads: {} },
    } as never,
    {
      events: async ({ limit, state, before = Infinity }: { limit: number; state?: string; before?: number }) =>
        state === 'quarantined' ? rows.filter((row) => (row as { id: number }).id < before).slice(0, limit) : [],
      bodies: async () => [],
      stores: async () => STORES,
      formerPlaces: async () => [],
      jobs: async () => [],
    } as never,
    { operations: { isProven: async () => true } } as never,
  )
}

const storageOf = (marks: Watermark[]) =>
  ({ watermarks: async () => marks, oldestGaps: async () => [], jobs: async () => [] }) as never

test('A sale in quarantine leaves its day unknown, whatever a shop has sent since', async () => {
  const sale = { id: 1, origin: PLATFORM, kind: 'SaleCreated', state: 'quarantined', receivedAt: the20th.since + 1 }
  const shop = Array.from({ length: 1_000 }, (_, n) => ({
    ...sale,
    id: 2_000 - n,
    origin: 'webshop',
    kind: 'OnlineOrderCreated',
  }))
  const judged = async (rows: object[]) =>
    (await readCompleteness(storageOf([LOG]), contextOf(rows, ['SaleCreated']), { ...the20th, storeId: null })).verdict
  expect(await judged([sale])).toBe('unknown')
  expect(await judged([...shop, sale])).toBe('unknown')
})

test('A wanted kind that is subscribed to for another store alone leaves the day of this store unknown', async () => {
  const moved: Watermark = { ...LOG, kind: 'StockMovementCreated', storeId: '42' }
  const found = await readCompleteness(
    storageOf([LOG, moved]),
    contextOf([], ['SaleCreated', 'StockMovementCreated']),
    {
      ...{ ...the20th, storeId: '43' },
    },
  )
  expect(found.watermarks.map(({ kind }) => kind)).toEqual(['SaleCreated'])
  expect(found).toMatchObject({
    verdict: 'unknown',
    notWatched: expect.arrayContaining([{ kind: 'StockMovementCreated', wanted: true }]),
  })
})

test('A day without a store reaches to the end of the last day of a store in New York that was closed since', () => {
  const stores = [
    { ...STORES[0], storeId: '42' },
    { ...STORES[1], storeId: '70', zone: 'America/New_York', goneAt: Date.parse('2026-11-22T00:00Z') },
  ] as never
  const { until } = requestedRange({ day: '2026-11-20' }, presentOn(stores, '2026-11-20'))
  expect(until).toBe(Date.parse('2026-11-21T05:00:00Z'))
})
