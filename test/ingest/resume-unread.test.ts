import { expect, test } from 'vitest'
import { createStoreIndex } from '../../src/domain/stores/store-index.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { resumeUnread } from '../../src/ingest/reroute.ts'
import { createRoute, dailyBatch } from '../../src/ingest/route.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { UNREAD } from '../../src/platform/payloads/unread.ts'
import type { NewDelivery } from '../../src/storage/arrival.ts'
import type { DeliveryRow, EventDetail } from '../../src/storage/rows.ts'
import { sale, stockMovement } from '../fixtures/payloads.ts'
import { booksTo, JOURNAL, kept, made } from './kept-events.ts'

interface Given {
  held: DeliveryRow[]
  events?: EventDetail[]
  effects?: Record<number, string | null>
  flow?: Partial<Flow>
  open?: number[]
  signal?: AbortSignal
}

const ENDLESS = { effect: `booked/${'x'.repeat(3_000)}` }
const READABLE = kept(1, { payload: sale() })

/** A hub's start, with what is held in its store, the newest first. */
async function start({ held, events = [READABLE], effects = {}, flow = {}, open = [1], signal }: Given) {
  const done: string[] = []
  const pending: NewDelivery[] = []
  const asked: (number | undefined)[] = []
  const lines: { msg: string; deliveries?: number }[] = []
  const reasons: unknown[] = []
  await resumeUnread({
    storage: {
      pending: async () => open.map((count, n) => ({ destination: `d${n}`, open: count })),
      async deliveries({ before, limit = 0, state }) {
        asked.push(before)
        return held.filter((one) => one.state === state && one.id < (before ?? Infinity)).slice(0, limit)
      },
      delivery: async (id) =>
        id in effects || held.some((one) => one.id === id) ? ({ effect: effects[id] ?? null } as never) : null,
      event: async (id) => events.find((one) => one.id === id) ?? null,
      async enqueue(event, steps) {
        done.push(`owe ${event}`)
        pending.push(...steps)
        return steps.length
      },
      async retry({ id }, audit, again) {
        done.push(`retry ${id} ${again}`)
        reasons.push(audit)
        return {} as never
      },
      async skip({ id }, audit) {
        done.push(`skip ${id}`)
        reasons.push(audit)
        return {} as never
      },
      now: () => 5,
    },
    route: createRoute(
      [{ ...JOURNAL, plan: () => [{ part: '', entity: null }], ...flow }],
      [booksTo('other'), booksTo('books')],
    ),
    mappings: {},
    logger: createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) }),
    signal: signal ?? new AbortController().signal,
  })
  return { done, pending, asked, lines, reasons }
}

const held = (id: number, given: Partial<DeliveryRow> = {}) =>
  made(id, { event: 1, state: 'held', code: UNREAD, ...given })

test('When what was held can be read by now, then it goes on, in the name of the hub, and that is said once', async () => {
  const { done, lines, reasons } = await start({ held: [held(11), held(10)] })
  expect(done).toEqual(['retry 11 false', 'retry 10 false'])
  expect(lines).toMatchObject([{ msg: 'deliveries.readable-now', deliveries: 2 }])
  expect(reasons[0]).toEqual({ at: 5, by: 'hub', reason: 'its fields can be read now', dryRun: false })
})

test('When nothing is open, then nobody looks closely', async () => {
  const { done, asked, lines } = await start({ held: [held(10)], open: [0, 0] })
  expect([done, asked, lines]).toEqual([[], [], []])
  expect((await start({ held: [held(10)], open: [0, 3] })).done).toEqual(['retry 10 false'])
})

test('When it was held for something else, cannot be read yet, or has gone, then it stays held, and nothing is said', async () => {
  const events = [READABLE, kept(2, { payload: {} }), kept(3, { body: null })]
  const { done, lines } = await start({
    events,
    held: [held(10, { code: 'unknown' }), held(11, { event: 2 }), held(12, { event: 3 }), held(13, { event: 4 })],
  })
  expect([done, lines]).toEqual([[], []])
})

test('When it has a name by now that it had not, then it is owed under that name, and the nameless one is skipped', async () => {
  const plan: Flow['plan'] = () => [
    { part: '', entity: null, effect: 'booked/1' },
    { part: 'more', entity: null },
  ]
  const { done, pending, reasons, lines } = await start({ held: [held(10)], flow: { plan } })
  expect(done).toEqual(['owe 1', 'skip 10'])
  expect(pending.map(({ destination, part, effect }) => [destination, part, effect])).toEqual([
    ['other', '', 'booked/1'],
    ['books', '~read-later', 'booked/1'],
    ['other', 'more', undefined],
    ['books', 'more', undefined],
  ])
  expect(reasons).toMatchObject([{ reason: 'its fields can be read now: it is owed under the name that they give it' }])
  expect(lines).toMatchObject([{ deliveries: 1 }])
})

test('When its name can be read now, and is endless, then it stays held, and what is held beside it goes on', async () => {
  const plan: Flow['plan'] = ({ identity }) => [{ part: '', entity: null, ...(identity === 'S/2' && ENDLESS) }]
  const events = [READABLE, kept(2, { payload: sale() })]
  const { done, lines } = await start({ events, held: [held(11, { event: 2 }), held(10)], flow: { plan } })
  expect(done).toEqual(['retry 10 false'])
  expect(lines).toMatchObject([{ deliveries: 1 }])
})

test('When it has the name that it had, then it goes on under that', async () => {
  const plan: Flow['plan'] = () => [{ part: '', entity: null, effect: 'booked/1' }]
  expect((await start({ held: [held(10)], flow: { plan }, effects: { 10: 'booked/1' } })).done).toEqual([
    'retry 10 false',
  ])
})

test('When nothing plans it any more, then it is skipped, and what is planned now is owed', async () => {
  const others = [held(10, { flow: 'gone' }), held(9, { part: 'gone' }), held(8, { destination: 'gone' })]
  expect((await start({ held: others })).done).toEqual(['owe 1', 'skip 10', 'owe 1', 'skip 9', 'owe 1', 'skip 8'])
})

test('When hundreds are held, then all are looked at, page by page, the newest first', async () => {
  const many = Array.from({ length: 401 }, (_, n) => held(1_000 - n, { code: n === 400 ? UNREAD : 'other' }))
  const { done, asked } = await start({ held: many })
  expect(asked).toEqual([undefined, 801, 601])
  expect(done).toEqual(['retry 600 false'])
  expect((await start({ held: many.slice(0, 200) })).asked).toEqual([undefined, 801])
})

test('When the hub stops meanwhile, then the rest goes on at its next start', async () => {
  const stopping = new AbortController()
  const events = [READABLE]
  const plan: Flow['plan'] = () => {
    stopping.abort()
    return [{ part: '', entity: null }]
  }
  const { done } = await start({ held: [held(11), held(10)], events, flow: { plan }, signal: stopping.signal })
  expect(done).toEqual(['retry 11 false'])
  expect((await start({ held: [held(10)], signal: AbortSignal.abort() })).asked).toEqual([])
})

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

for (const at of ['yesterday', '2026-02-30T10:00:00', '2026-02-30T10:00:00Z', '0000-00-00T00:00:00'] as const)
  test(`When it says no day that there is (${at}), then it is gathered with nothing, and goes at once`, () => {
    expect(of(at, { stockId: 12 })).toEqual({})
  })

for (const at of ['2062-11-20T10:00:00', '9999-12-31T23:59:59.9999999'] as const)
  test(`When the clock of a POS is years ahead (${at}), then nobody waits for that day`, () => {
    expect(of(at, { stockId: 12 })).toEqual({ batch: `${at.slice(0, 10)} 101` })
  })

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
