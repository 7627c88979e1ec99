import { expect, test } from 'vitest'
import type { Flow } from '../../src/flows/flow.ts'
import { type AgainAsked, bookAgain } from '../../src/ingest/book-again.ts'
import { createRoute, type Routable } from '../../src/ingest/route.ts'
import type { Released } from '../../src/storage/claim.ts'
import type { CommandSlice, EventDetail } from '../../src/storage/rows.ts'
import { booksTo, JOURNAL, kept, made, storeOf } from './kept-events.ts'

const DAY = 86_400_000
const ASKED: AgainAsked = { destination: 'books', from: '2026-11-20', to: '2026-11-20', flows: null }
const NOON = Date.parse('2026-11-20T12:00:00Z')

interface Given {
  asked?: Partial<AgainAsked>
  act?: number | null
  part?: CommandSlice
  goOn?: number
  flows?: Flow[]
  destinations?: Routable[]
  released?: Record<number, Released>
}

async function again(events: EventDetail[], given: Given = {}) {
  const { asked = {}, act = null, part, goOn, flows = [JOURNAL], destinations = [booksTo('books')], released } = given
  const { storage, ...seen } = storeOf(events, released)
  const tools = { storage, route: createRoute(flows, destinations), flows, mappings: {} }
  return {
    result: await bookAgain(tools, { ...ASKED, ...asked }, { act, ...(part && { part }), ...(goOn && { goOn }) }),
    ...seen,
  }
}

/** A sale of a day that the books were given. */
function sold(id: number, at: string | null = '2026-11-20T10:00:00', given: Parameters<typeof kept>[1] = {}) {
  const payload = { parts: [at === null ? { part: '' } : { part: '', at }] }
  return kept(id, { payload, receivedAt: NOON, deliveries: [made(id * 10)], ...given })
}

test('When nobody acts, then it is counted by day and flow, and nothing is owed', async () => {
  const { result, pending } = await again([sold(1), sold(2), sold(3, '2026-11-21T10:00:00')])
  expect(result).toEqual({
    records: 2,
    days: { '2026-11-20': { journal: 2 } },
    left: 0,
    undated: 0,
    unplanned: 0,
    before: 0,
    act: null,
    looked: 3,
    next: null,
  })
  expect(pending).toEqual([])
})

test('When a record would have an endless name by now, then it counts as one that config has nothing like, and the others are owed', async () => {
  const plan: Flow['plan'] = (event) =>
    JOURNAL.plan(event).map((step) => ({ ...step, ...(event.identity === 'S/1' && { subject: 'x'.repeat(3_000) }) }))
  const { result, pending } = await again([sold(1), sold(2)], { act: 7, flows: [{ ...JOURNAL, plan }] })
  expect(result).toMatchObject({ records: 1, unplanned: 1 })
  expect(pending.map(({ event }) => event)).toEqual([2])
})

test('When a person acts, then each record is owed once more, beside the first, with whoever let it go', async () => {
  const released = { 10: { by: 'kari', reason: 'it is right' } }
  const { result, pending } = await again([sold(1)], { act: 7, released })
  expect(result).toMatchObject({ records: 1, act: 7 })
  expect(pending).toEqual([
    {
      event: 1,
      act: 7,
      steps: [
        expect.objectContaining({
          destination: 'books',
          flow: 'journal',
          part: '~again-10',
          yields: true,
          released: released[10],
        }),
      ],
    },
  ])
})

test('When the days are several, then both ends are of them, and what is before or after is not', async () => {
  const days = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22']
  const { result } = await again(
    days.map((day, n) => sold(n + 1, `${day}T10:00:00`)),
    { asked: { from: '2026-11-19', to: '2026-11-21' } },
  )
  expect(result.days).toEqual({
    '2026-11-19': { journal: 1 },
    '2026-11-20': { journal: 1 },
    '2026-11-21': { journal: 1 },
  })
})

test('When a record does not say its day, or says none that can be read, then it is of the day that it came', async () => {
  const { result } = await again([sold(1, null), sold(2, '20.11.2026'), sold(3, null, { receivedAt: NOON + DAY })])
  expect(result).toMatchObject({ records: 2, days: { '2026-11-20': { journal: 2 } } })
})

test('When it came the day before the first or later, then it is looked at, however late it is', async () => {
  const from = Date.parse('2026-11-20T00:00:00Z') - DAY
  const { result, asked } = await again([
    sold(1, '2026-11-20T10:00:00', { receivedAt: from - 1 }),
    sold(2, '2026-11-20T10:00:00', { receivedAt: from }),
    sold(3, '2026-11-20T10:00:00', { receivedAt: NOON + 90 * DAY }),
  ])
  expect(result).toMatchObject({ records: 2, looked: 2 })
  expect(asked).toEqual([{ since: from, after: 0, limit: 200 }])
})

test('When its payload is not kept, then it is left, if it came within two weeks of these days; else nobody can tell', async () => {
  const until = Date.parse('2026-11-20T00:00:00Z') + 14 * DAY
  const two = [made(10), made(11)]
  const { result, pending } = await again(
    [
      sold(1, null, { body: null, receivedAt: until - 1, deliveries: two }),
      sold(2, null, { body: null, receivedAt: until, deliveries: two }),
      sold(3, null, { body: null, receivedAt: until + 1 }),
    ],
    { act: 7 },
  )
  expect(result).toMatchObject({ records: 0, left: 2, undated: 3, unplanned: 0 })
  expect(pending).toEqual([])
})

test('When only some of its deliveries were given to these books, then those alone are written again', async () => {
  const parts = ['', 'b', 'c', 'd', 'e'].map((part) => ({ part, at: '2026-11-20T10:00:00' }))
  const { result, pending } = await again(
    [
      kept(1, {
        payload: { parts },
        receivedAt: NOON,
        deliveries: [
          made(10, { part: 'b' }),
          made(11, { part: 'c', state: 'dead' }),
          made(12, { part: 'd', destination: 'other' }),
          made(13, { part: 'e', flow: 'publish' }),
          made(14, { part: '~again-9' }),
        ],
      }),
    ],
    { act: 7 },
  )
  expect(result.records).toBe(1)
  expect(pending.flatMap(({ steps }) => steps.map(({ part }) => part))).toEqual(['b~again-10'])
})

test('When parts of one event are of several days, then those of these days are written again', async () => {
  const parts = [
    { part: 'a', at: '2026-11-19T10:00:00' },
    { part: 'b', at: '2026-11-20T10:00:00' },
  ]
  const deliveries = [made(10, { part: 'a' }), made(11, { part: 'b' })]
  const { pending } = await again([kept(1, { payload: { parts }, receivedAt: NOON, deliveries })], { act: 7 })
  expect(pending.flatMap(({ steps }) => steps.map(({ part }) => part))).toEqual(['b~again-11'])
})

test("When today's config has nothing like it, then it is counted as unplanned if it is of these days, and not owed", async () => {
  const gone = [made(10, { part: 'gone' })]
  const elsewhere = { destinations: [booksTo('other')] }
  const { result, pending } = await again(
    [sold(1, null, { deliveries: gone }), sold(2, null, { deliveries: gone, receivedAt: NOON + DAY })],
    { act: 7 },
  )
  expect(result).toMatchObject({ records: 0, unplanned: 1 })
  expect(pending).toEqual([])
  expect((await again([sold(1)], elsewhere)).result).toMatchObject({ records: 0, unplanned: 1 })
})

test('When several flows keep books, then those that are asked for are written again, each counted by itself', async () => {
  const stock: Flow = { ...JOURNAL, name: 'stock' }
  const both = sold(1, '2026-11-20T10:00:00', { deliveries: [made(10), made(11, { flow: 'stock' })] })
  const flows = [JOURNAL, stock]
  expect((await again([both], { flows })).result.days).toEqual({ '2026-11-20': { journal: 1, stock: 1 } })
  const { result, pending } = await again([both], { flows, asked: { flows: ['stock'] }, act: 7 })
  expect(result.days).toEqual({ '2026-11-20': { stock: 1 } })
  expect(pending.flatMap(({ steps }) => steps.map(({ flow }) => flow))).toEqual(['stock'])
})

test('When an event is not of a kind of these flows, or was not routed, then it is passed over; one of all kinds takes it', async () => {
  const others = [sold(1, null, { kind: 'CustomerUpdated' }), sold(2, null, { state: 'unrouted' })]
  expect((await again(others)).result).toMatchObject({ records: 0, looked: 2 })
  const all: Flow = { ...JOURNAL, kinds: 'all' }
  expect((await again(others, { flows: [all] })).result).toMatchObject({ records: 1, looked: 2 })
})

test('When it is done in parts, then each begins where the one before it ended, and the last says that there is no more', async () => {
  const all = Array.from({ length: 5 }, (_, n) => sold(n + 1))
  const part = (after: number, most: number) => again(all, { act: 7, part: { act: 7, after, most } })
  const first = await part(0, 3)
  expect([first.result.looked, first.result.next, first.pending.map(({ event }) => event)]).toEqual([3, 3, [1, 2, 3]])
  const second = await part(3, 3)
  expect([second.result.looked, second.result.next, second.pending.map(({ event }) => event)]).toEqual([
    2,
    null,
    [4, 5],
  ])
  // Exactly as many as were left: whoever asks again finds none.
  const exact = await part(3, 2)
  expect(exact.result).toMatchObject({ looked: 2, next: 5 })
  expect((await part(5, 2)).result).toMatchObject({ looked: 0, next: null })
})

test('When an act that was stopped goes on, then what it has written once more already is left out, and counted', async () => {
  const entry = { at: 0, by: 'kari', action: 'files-again', reason: null, changed: 1 }
  const repeat = made(11, { part: '~again-10', state: 'waiting' })
  const written = sold(1, null, { deliveries: [made(10), repeat], audit: [{ ...entry, act: 7, delivery: 11 }] })
  // An earlier act wrote the second one again, and another one touched what the act made.
  const earlier = sold(2, null, {
    deliveries: [made(20), made(21, { part: '~again-20' })],
    audit: [
      { ...entry, act: 3, delivery: 21 },
      { ...entry, act: 7, delivery: 99 },
    ],
  })
  const { result, pending } = await again([written, earlier, sold(3)], { act: 7, goOn: 7 })
  expect(result).toMatchObject({ records: 2, before: 1, days: { '2026-11-20': { journal: 2 } } })
  expect(pending.flatMap(({ steps }) => steps.map(({ part }) => part))).toEqual(['~again-20.1', '~again-30'])
  // Whoever only counts is told the same.
  expect((await again([written, earlier, sold(3)], { goOn: 7 })).result).toMatchObject({ records: 2, before: 1 })
})
