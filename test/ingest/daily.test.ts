import { expect, test } from 'vitest'
import { createStoreIndex } from '../../src/domain/stores/store-index.ts'
import { createRoute, dailyBatch } from '../../src/ingest/route.ts'
import { stockMovement } from '../fixtures/payloads.ts'
import { booksTo, JOURNAL } from './kept-events.ts'

const STORES = createStoreIndex([
  { storeId: '42', number: '101', stockId: '12', countryCode: 'NO', zone: 'Europe/Oslo' },
  { storeId: '43', number: null, stockId: '13', countryCode: 'NO', zone: 'Europe/Oslo' },
])
const DAILY = { flows: ['journal'], closes: '03:00' }

const event = (payload: unknown) => ({
  kind: 'StockMovementCreated',
  origin: 'platform',
  identity: null,
  entity: null,
  payload,
  receivedAt: Date.parse('2026-11-20T22:31:00Z'),
})
const of = (at: string, given: Record<string, unknown> = {}) =>
  dailyBatch(event(stockMovement({ stockExtId: null, ...given })), at, DAILY, STORES)

test('When a day of a store is gathered, then it goes when that store has closed the day, by its own clock', () => {
  expect(of('2026-11-20T23:30:00', { stockId: 12 })).toEqual({
    notBefore: Date.parse('2026-11-21T02:00:00Z'),
    batch: '2026-11-20 101',
  })
  // An instant is of the day that it was there.
  expect(of('2026-11-20T23:30:00Z', { stockId: 12 }).batch).toBe('2026-11-21 101')
})

test('When the store has no number, then its id stands for it; when nobody knows the store, then its stock, and the day of UTC', () => {
  expect(of('2026-11-20T10:00:00', { stockId: 13 }).batch).toBe('2026-11-20 id-43')
  expect(of('2026-11-20T10:00:00', { stockId: 99 })).toEqual({
    notBefore: Date.parse('2026-11-21T03:00:00Z'),
    batch: '2026-11-20 stock 99',
  })
  expect(of('2026-11-20T10:00:00', { stockId: null }).batch).toBe('2026-11-20 ')
})

test.each(['yesterday', '2026-02-30T10:00:00', '2026-02-30T10:00:00Z', '0000-00-00T00:00:00'])(
  'When it says no day that there is (%s), then it is gathered with nothing, and goes at once',
  (at) => {
    expect(of(at, { stockId: 12 })).toEqual({})
  },
)

test.each(['2062-11-20T10:00:00', '9999-12-31T23:59:59.9999999'])(
  'When the clock of a POS is years ahead (%s), then nobody waits for that day',
  (at) => {
    expect(of(at, { stockId: 12 })).toEqual({ batch: `${at.slice(0, 10)} 101` })
  },
)

test('When a destination gathers a flow, then its steps that say when are of their day, and the others are not', () => {
  const flow = (at?: string) => ({
    ...JOURNAL,
    kinds: ['StockMovementCreated'],
    plan: () => [{ part: '', entity: null, ...(at !== undefined && { at }) }],
  })
  const pending = (at?: string, daily = DAILY) =>
    createRoute(
      [flow(at)],
      [booksTo('books', { daily })],
      () => STORES,
    )(event(stockMovement({ stockExtId: null, stockId: 12 })))
  expect(pending('2026-11-20T10:00:00')).toMatchObject([
    { notBefore: Date.parse('2026-11-21T02:00:00Z'), batch: '2026-11-20 101' },
  ])
  expect(pending('2026-11-20T10:00:00')[0]).not.toHaveProperty('at')
  expect(pending()).toMatchObject([{ notBefore: null, batch: null }])
  expect(pending('2026-11-20T10:00:00', { ...DAILY, flows: ['other'] })).toMatchObject([
    { notBefore: null, batch: null },
  ])
})
