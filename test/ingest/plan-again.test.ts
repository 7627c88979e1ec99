import { describe, expect, test } from 'vitest'
import type { Flow } from '../../src/flows/flow.ts'
import { repeatOf, resendOf } from '../../src/ingest/book-again.ts'
import { acceptAsOwn, plannedAgain, reparse, reroute } from '../../src/ingest/reroute.ts'
import { createRoute } from '../../src/ingest/route.ts'
import type { Audit, CommandSlice, EventDetail, EventFilter } from '../../src/storage/rows.ts'
import { sale } from '../fixtures/payloads.ts'
import { pending } from '../storage/arrivals.ts'
import { booksTo, JOURNAL, kept, made, storeOf } from './kept-events.ts'

const ROUTE = createRoute([JOURNAL], [booksTo('books')])

async function again(
  events: EventDetail[],
  given: { filter?: EventFilter; act?: number | null; part?: CommandSlice } = {},
) {
  const { filter = {}, act = null, part } = given
  const { storage, ...seen } = storeOf(events)
  return { result: await reroute(storage, ROUTE, filter, { act, ...(part && { part }) }), ...seen }
}

describe('events planned again', () => {
  test('When nobody acts, then what they would owe is counted, with a few of them, and nothing is owed', async () => {
    const {
      result,
      pending: since,
      extended,
    } = await again(Array.from({ length: 12 }, (_, n) => kept(n + 1, { entity: 'e' })))
    expect(result).toMatchObject({ events: 12, deliveries: 12, left: 0, act: null, looked: 12, next: null })
    expect(result.sample).toHaveLength(10)
    expect(result.sample[0]).toEqual({ id: 1, kind: 'SaleCreated', entity: 'e' })
    expect([since, extended]).toEqual([[], []])
  })

  test('When a person acts, then they owe it, let others go first, and the act names those that do', async () => {
    const parts = [{ part: 'a' }, { part: 'b' }]
    const has = [made(1, { part: 'a' }), made(2, { part: 'b' })]
    const {
      result,
      pending: since,
      extended,
    } = await again([kept(1, { payload: { parts } }), kept(2, { payload: { parts }, deliveries: has }), kept(3)], {
      act: 7,
    })
    expect(result).toMatchObject({ events: 2, deliveries: 3, act: 7, looked: 3 })
    expect(since.map(({ event, steps, act }) => [event, act, steps.map(({ yields }) => yields)])).toEqual([
      [1, 7, [true, true]],
      [3, 7, [true]],
    ])
    expect(extended).toEqual([{ act: 7, changed: 0, events: [1, 3] }])
  })

  test('When an event owes a part of it already, then it owes the rest', async () => {
    const payload = { parts: [{ part: 'a' }, { part: 'b' }] }
    const deliveries = [
      made(1, { part: 'a' }),
      made(2, { part: 'b', destination: 'other' }),
      made(3, { part: 'b', flow: 'x' }),
    ]
    const { pending: since } = await again([kept(1, { payload, deliveries })], { act: 7 })
    expect(since.map(({ steps }) => steps.map(({ part }) => part))).toEqual([['b']])
  })

  test('When a store owes nothing new after all, then nothing is counted, and the act names nobody', async () => {
    const { storage, extended } = storeOf([kept(1)])
    const refusing = { ...storage, enqueue: async () => 0 }
    expect(await reroute(refusing, ROUTE, {}, { act: 7 })).toMatchObject({ events: 0, deliveries: 0, sample: [] })
    expect(extended).toEqual([])
  })

  test('When one is quarantined, or its payload is not kept, then it is left, and counted', async () => {
    const { result, pending: since } = await again(
      [kept(1, { state: 'quarantined' }), kept(2, { body: null }), kept(3, { state: 'unrouted' })],
      { act: 7 },
    )
    expect(result).toMatchObject({ events: 1, left: 2 })
    expect(since.map(({ event }) => event)).toEqual([3])
  })

  test('When config says by now what an event is about, then it is planned with that; what it was about before stays', () => {
    const body = Buffer.from(JSON.stringify({ transferId: 'T-1' }))
    const event = { ...kept(1, { kind: 'ProductTransferCreated', identity: '5', receivedAt: 9 }), entity: null }
    expect(plannedAgain(event, body, {})).toEqual({
      kind: 'ProductTransferCreated',
      origin: 'platform',
      identity: '5',
      entity: 'transfer:T-1',
      payload: { transferId: 'T-1' },
      receivedAt: 9,
    })
    const moved = Buffer.from(JSON.stringify({ Sent: 'T-2' }))
    expect(plannedAgain(event, moved, { ProductTransferCreated: { transferId: 'Sent' } }).entity).toBe('transfer:T-2')
    expect(plannedAgain({ ...event, entity: 'mine' }, body, {}).entity).toBe('mine')
    expect(plannedAgain({ ...event, kind: 'MadeUp' }, body, {}).entity).toBeNull()
  })
})

describe('an event accepted beside the one that it contradicts', () => {
  const payload = { ...sale(), parts: [{ part: 'a', effect: 'paid', keyByNumber: 'n' }, { part: 'b' }] }
  async function accepted(given: Parameters<typeof kept>[1], act: number | null = 7) {
    const { storage, pending } = storeOf([kept(1, { payload }), kept(2, { conflictWith: 1, payload, ...given })])
    const result = await acceptAsOwn({ storage, route: ROUTE, mappings: {} }, 2, act)
    return {
      result,
      steps: pending.flatMap(({ steps }) => steps.map(({ effect, keyByNumber }) => [effect, keyByNumber])),
    }
  }

  test('When a person acts, then its steps go out under names of their own; by nobody they are counted', async () => {
    const { result, steps } = await accepted({})
    const { amount } = result ?? {}
    expect(result).toEqual({ event: 2, conflictWith: 1, amount, other: amount, deliveries: 2 })
    expect(amount).toMatch(/^\d/)
    expect(steps).toEqual([
      ['paid/own-2', null],
      [null, null],
    ])
    expect(await accepted({}, null)).toMatchObject({ result: { deliveries: 2 }, steps: [] })
  })

  test('When the one that it contradicts is not remembered, then it takes the name that this one had', async () => {
    const { result, steps } = await accepted({ conflictWith: 0 })
    expect(result).toMatchObject({ conflictWith: 0, other: null })
    expect(steps[0]).toEqual(['paid', 'n'])
  })

  test.each<[string, Parameters<typeof kept>[1]]>([
    ['event 2 contradicts nothing: there is nothing to accept', { conflictWith: null }],
    ['event 2 was decided on by kari: it is the same', { dismissedBy: 'kari', dismissedBecause: 'it is the same' }],
    ['the payload of event 2 is not kept any more: it cannot be accepted', { body: null }],
    [
      'event 2 cannot be accepted: a name in it has 3000 bytes, and is kept up to 2000',
      { payload: { parts: [{ part: '', subject: 'x'.repeat(3_000) }] } },
    ],
  ])('When it cannot be, then why is told: %s', async (why, given) => {
    await expect(accepted(given)).rejects.toThrow(why)
  })
})

describe('quarantined events read again', () => {
  async function readAgain({ act = 7 as number | null, dryRun = false } = {}) {
    const others = [kept(21, { origin: 'shop' }), kept(22, { kind: 'StockChanged' }), kept(23, { body: null })]
    const { storage, asked, extended } = storeOf([...Array.from({ length: 12 }, (_, n) => kept(n + 1)), ...others])
    const done: unknown[] = []
    const inbox = { reread: async ({ id }: EventDetail) => (id === 1 ? null : 100 + id) }
    const dismiss = async (filter: EventFilter, { by, reason }: Audit) =>
      void done.push([filter.id, by, reason]) as never
    const how = { by: 'kari', dryRun, act, part: { act: 7, after: 0, most: 50 } }
    const result = await reparse({ storage: { ...storage, dismiss, now: () => 5 }, inbox }, {}, how)
    return { result, done, extended, asked }
  }

  test('When a person acts, then those that can be read are, and the act names them; not what did not come from the platform', async () => {
    const { result, done, extended, asked } = await readAgain()
    expect(result).toMatchObject({ events: 11, left: 4, act: 7, looked: 15, next: null })
    expect(result.sample).toEqual(Array.from({ length: 10 }, (_, n) => ({ id: n + 2, kind: 'SaleCreated' })))
    expect([done.length, done[0]]).toEqual([11, [2, 'kari', 'it can be read now: event 102']])
    expect(extended).toEqual([{ act: 7, changed: 11, events: Array.from({ length: 11 }, (_, n) => n + 2) }])
    expect(asked[0]).toMatchObject({ state: 'quarantined', dismissed: false })
  })

  test('When nobody acts, then they are counted only', async () => {
    const { result, done, extended } = await readAgain({ act: null, dryRun: true })
    expect([result.events, result.left, done, extended]).toEqual([11, 4, [], []])
  })
})

describe('a delivery that repeats another one', () => {
  const step = pending({
    flow: 'journal',
    part: 'a',
    destination: 'books',
    entity: 'e',
    effect: 'paid',
    keyByNumber: 'n',
  })

  test('When it is owed, then it stands in nobody’s way, under a name of its own, and lets others go first', () => {
    expect(repeatOf(step, { id: 10, part: 'a' }, { deliveries: [] }, null)).toEqual({
      ...step,
      part: 'a~again-10',
      entity: null,
      effect: 'paid~again-10',
      keyByNumber: null,
      yields: true,
    })
  })

  test('When it has no permanent name, then what repeats it has none either', () => {
    const { effect } = repeatOf({ ...step, effect: null }, { id: 10, part: 'a' }, { deliveries: [] }, null)
    expect(effect).toBe(null)
  })

  test('When it was repeated before, then it is counted; what repeats others is not', () => {
    const deliveries = [
      made(11, { part: 'a~again-10' }),
      made(12, { part: 'a~again-10.1' }),
      made(13, { part: 'a~again-9' }),
    ]
    expect(repeatOf(step, { id: 10, part: 'a' }, { deliveries }, null).part).toBe('a~again-10.2')
  })

  test('When a person let the first one go, then that person stands in the books; when nobody did, then nobody does', () => {
    const released = { by: 'kari', reason: 'it is right' }
    expect(repeatOf(step, { id: 10, part: 'a' }, { deliveries: [] }, released).released).toEqual(released)
    expect(repeatOf(step, { id: 10, part: 'a' }, { deliveries: [] }, null)).not.toHaveProperty('released')
    expect(repeatOf(step, { id: 10, part: 'a' }, { deliveries: [] }, undefined)).not.toHaveProperty('released')
  })
})

describe('what a destination has lost', () => {
  const tools = (events: EventDetail[], route = ROUTE) => ({ storage: storeOf(events).storage, route, mappings: {} })
  const delivery = { ...made(10, { event: 1 }), effect: null, released: null, attempts: [], audit: [] }

  test('When it is made again, then by the step that today’s config plans for it there, whatever others get', async () => {
    const journal2: Flow = { ...JOURNAL, name: 'journal2' }
    const route = createRoute([journal2, JOURNAL], [booksTo('other'), booksTo('books')])
    const payload = { parts: [{ part: 'x' }, { part: '' }] }
    expect(await resendOf(delivery, tools([kept(1, { payload })], route))).toMatchObject({
      destination: 'books',
      flow: 'journal',
      part: '~again-10',
      yields: true,
    })
    const twice = { ...delivery, id: 11, part: '~again-10' }
    expect(await resendOf(twice, tools([kept(1, { payload })], route))).toMatchObject({ part: '~again-11' })
  })

  test('When its payload is not kept, or config has nothing like it, then that is said', async () => {
    await expect(resendOf(delivery, tools([]))).rejects.toThrow('Delivery 10 cannot be made again: its payload')
    await expect(resendOf(delivery, tools([kept(1, { body: null })]))).rejects.toThrow(
      'its payload is not kept any more',
    )
    const elsewhere = createRoute([JOURNAL], [booksTo('other')])
    await expect(resendOf(delivery, tools([kept(1)], elsewhere))).rejects.toThrow(
      'Delivery 10 cannot be made again: today\'s config gives "books" nothing of journal.',
    )
    const endless = createRoute(
      [{ ...JOURNAL, plan: () => [{ part: '', entity: null, subject: 'x'.repeat(3_000) }] }],
      [booksTo('books')],
    )
    await expect(resendOf(delivery, tools([kept(1)], endless))).rejects.toThrow(
      'Delivery 10 cannot be made again: a name in it has 3000 bytes, and is kept up to 2000.',
    )
  })
})
