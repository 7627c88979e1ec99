import { describe, expect, test } from 'vitest'
import type { SubmittedOrder } from '../../src/domain/catalogue/submitted.ts'
import { POS_ORDER_CREATED } from '../../src/domain/orders/order.ts'
import type { RetryLaterError } from '../../src/domain/values/errors.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import type { Unreadable } from '../../src/platform/http/read.ts'
import type { PlatformOrder } from '../../src/platform/resources/orders.ts'
import type { Settlement } from '../../src/platform/resources/sales.ts'
import { createOrderReader, createSettlementReader } from '../../src/queue/order-reader.ts'
import { createStillClock, NOW } from './kit/parts.ts'

type Store = Parameters<typeof createOrderReader>[0]
type Platform = NonNullable<Parameters<typeof createOrderReader>[1]>

const TEE = '7090012340011'
const { signal } = new AbortController()
const lines = [{ key: TEE, rowId: null, gtin: TEE, quantity: parseDecimal(1), status: 'Picked' }]

function submittedOrder(more: Partial<SubmittedOrder> = {}): SubmittedOrder {
  return {
    orderNo: 'A1',
    storeId: '42',
    stockId: '12',
    saleDateTime: '2026-11-20T14:00:00+01:00',
    customer: {
      email: 'kari@example.com',
      firstName: 'Kari',
      lastName: 'Nordmann',
      phone: '90012345',
      phoneCountryCode: '47',
    },
    lines: [
      { gtin: TEE, name: 'T-shirt', quantity: '2' },
      { gtin: '', name: 'Freight', quantity: '1' },
    ] as SubmittedOrder['lines'],
    payments: [],
    ...more,
  }
}

function platformOrder(more: object = {}): PlatformOrder {
  const order = {
    orderNo: 'A1',
    status: 'Picked',
    customer: {
      firstName: 'Ola',
      lastName: null,
      email: 'ola@example.com',
      phone: '90012345',
      phoneCountryPrefix: '47',
    },
    store: { extId: '101', name: 'Oslo City' },
    fulfillment: { stockName: 'Bergen', shipments: null },
    lines: [
      { rowId: '1', gtin: TEE, quantity: parseDecimal(3), status: 'Picked' },
      { rowId: '2', gtin: null, quantity: null, status: null },
    ],
    ...more,
  }
  return order as unknown as PlatformOrder
}

interface Given {
  /** Orders that own systems submitted, by the kind of their event. */
  submitted?: Record<string, SubmittedOrder>
  order?: PlatformOrder | null
  /** Kinds of which the event is not kept any more. */
  gone?: readonly string[]
  trusts?: boolean
}

function given({ submitted = {}, order = null, gone = [], trusts = false }: Given, isConnected = true) {
  const kinds = Object.keys(submitted)
  const storage = {
    events: async ({ kind, entity }: { kind: string; entity: string }) =>
      entity === 'order:A1' && kinds.includes(kind) ? [{ id: kinds.indexOf(kind) }] : [],
    event: async (id: number) => {
      const kind = kinds[id] ?? ''
      return gone.includes(kind) ? null : { body: Buffer.from(JSON.stringify(submitted[kind])) }
    },
  } as unknown as Store
  const asked: string[] = []
  const platform = {
    orders: {
      async read(number: string) {
        asked.push(number)
        return order
      },
    },
    products: { byGtin: async (gtin: string) => (gtin === TEE ? { name: 'Tee' } : null) },
    webhooks: { list: async () => ({ rows: [], rejected: [] }) },
    operations: { isProven: async (name: string) => name === 'orders.read' },
  } as unknown as Platform
  const storeName = (id: string) => (id === '42' ? 'Oslo' : null)
  const reader = createOrderReader(storage, isConnected ? platform : null, {
    clock: createStillClock(),
    trusts,
    storeName,
  })
  const placed = (number = 'A1') => reader.placed({ number, lines }, NOW, signal)
  return { asked, reader, placed }
}

describe('whether an order is fetched or sent', () => {
  const submittedToShip = (what: Given) => given(what).reader.isSubmittedToShip('A1')
  const sentByRecord = (more: object) => given({ order: platformOrder(more) }).reader.isSentByRecord('A1', NOW, signal)
  const shippingAddress = { firstName: 'Kari', address1: 'Torget 1', city: 'Bergen' }

  test('when an own system submitted it, then its address says so', async () => {
    expect(await submittedToShip({ submitted: { OrderSubmitted: submittedOrder({ shippingAddress }) } })).toBe(true)
    expect(await submittedToShip({ submitted: { OrderSubmitted: submittedOrder() } })).toBe(false)
    expect(await submittedToShip({ order: platformOrder({ shippingAddress }) })).toBeNull()
  })

  test('when the platform has it, then an address, parcels, or its type say so, and nothing else does', async () => {
    const fulfillment = { shipments: [{ id: 'p1', items: [] }] }
    const bare = { shippingAddress: null, fulfillment: null }
    expect(await sentByRecord({ ...bare, shippingAddress })).toBe(true)
    expect(await sentByRecord({ ...bare, fulfillment, type: 'BOPIS' })).toBe(true)
    expect(await sentByRecord({ ...bare, type: 'ROPIS' })).toBe(false)
    expect(await sentByRecord({ ...bare, type: 'BOSS' })).toBeNull()
    expect(await given({}).reader.isSentByRecord('A1', NOW, signal)).toBeNull()
  })
})

describe('an order that an own system submitted', () => {
  test('when a message is about it, then it is read from there, with its goods and without the freight', async () => {
    const { asked, placed } = given({ submitted: { OrderSubmitted: submittedOrder() }, order: platformOrder() })
    expect(await placed()).toEqual({
      number: 'A1',
      status: null,
      storeName: 'Oslo',
      customer: { name: 'Kari Nordmann', email: 'kari@example.com', phone: '+4790012345' },
      lines: [{ gtin: TEE, name: 'T-shirt', quantity: '2' }],
    })
    expect(asked).toEqual([])
  })

  test('when it was changed since, then the change says how it is', async () => {
    const { placed } = given({
      submitted: {
        OrderSubmitted: submittedOrder(),
        OrderChangeSubmitted: submittedOrder({ storeName: 'The corner shop' }),
      },
    })
    expect((await placed())?.storeName).toBe('The corner shop')
  })

  test('when the change is not kept any more, then what was submitted first does', async () => {
    const { placed } = given({
      submitted: {
        OrderSubmitted: submittedOrder(),
        OrderChangeSubmitted: submittedOrder({ storeName: 'The corner shop' }),
      },
      gone: ['OrderChangeSubmitted'],
    })
    expect((await placed())?.storeName).toBe('Oslo')
  })

  test('when it leaves out what is optional, then that is told as not there', async () => {
    const customer = { email: '', firstName: '', lastName: '', phone: '', phoneCountryCode: '' }
    const bare = submittedOrder({
      customer,
      storeId: '9',
      lines: [{ gtin: TEE, quantity: '1' }] as SubmittedOrder['lines'],
    })
    expect(await given({ submitted: { OrderSubmitted: bare } }).placed()).toEqual({
      number: 'A1',
      status: null,
      storeName: null,
      customer: { name: null, email: null, phone: null },
      lines: [{ gtin: TEE, name: null, quantity: '1' }],
    })
  })
})

describe('an order that only the platform has', () => {
  test('when a message is about it, then it is read from there', async () => {
    expect(await given({ order: platformOrder() }).placed()).toEqual({
      number: 'A1',
      status: 'Picked',
      storeName: 'Oslo City',
      customer: { name: 'Ola', email: 'ola@example.com', phone: '+4790012345' },
      lines: [
        { gtin: TEE, name: null, quantity: '3' },
        // A line that tells no quantity is one piece.
        { gtin: null, name: null, quantity: '1' },
      ],
    })
  })

  test('when it names no store, then the stock does; when neither, or no customer, then nobody knows', async () => {
    expect((await given({ order: platformOrder({ store: null }) }).placed())?.storeName).toBe('Bergen')
    const bare = platformOrder({ store: { extId: '101', name: null }, fulfillment: null, customer: null })
    expect(await given({ order: bare }).placed()).toMatchObject({ storeName: null, customer: null })
    expect((await given({ order: platformOrder({ store: null, fulfillment: null }) }).placed())?.storeName).toBe(null)
  })

  test('when the platform answers with another order, or with none, or cannot be asked, then nobody knows it', async () => {
    expect(await given({ order: platformOrder({ orderNo: 'A11' }) }).placed()).toBe(null)
    expect(await given({}).placed()).toBe(null)
    expect(await given({ order: platformOrder() }, false).placed()).toBe(null)
  })

  test('when its status, its name and its record are wanted at once, then the platform is asked once', async () => {
    const { asked, reader, placed } = given({ order: platformOrder() })
    expect(await reader.status('A1', NOW, signal)).toBe('Picked')
    await placed()
    expect(asked).toEqual(['A1'])
    expect(await given({}).reader.status('A1', NOW, signal)).toBe(null)
    expect(await given({}, false).reader.status('A1', NOW, signal)).toBe(null)
  })
})
describe('who verifies  what webhooks say of orders', () => {
  test('when config believes them, then the operator does; when the platform cannot be asked, then nobody does', () => {
    expect(given({ trusts: true }).reader.verifier).toBe('operator')
    expect(given({}, false).reader.verifier).toBe('none')
  })

  async function verified(order: PlatformOrder | null) {
    const { verifier } = given({ order }).reader
    if (typeof verifier === 'string') throw new Error('no platform')
    return { verifier, seen: await verifier.order('A1', NOW, signal) }
  }

  test('when the platform can be, then its record does: status, lines, and the ids of parcels where it tells them', async () => {
    const order = platformOrder({ fulfillment: { stockName: null, shipments: [{ id: 'S-1' }, { id: null }] } })
    const { verifier, seen } = await verified(order)
    expect(seen).toEqual({ status: 'Picked', lines: order.lines, parcels: ['S-1'], isSent: true })
    expect(await verifier.knowsOrders()).toBe(true)
    expect(await verifier.sent('SaleCreated', NOW, 'lately', signal)).toEqual([])
  })

  test('when it tells no parcels, or knows no such order, then so it is', async () => {
    expect((await verified(platformOrder())).seen?.parcels).toBe(null)
    expect((await verified(platformOrder({ fulfillment: null }))).seen?.parcels).toBe(null)
    expect((await verified(null)).seen).toBe(null)
  })
})

describe('the creation of an order of a POS that was not taken', () => {
  /** What the platform's log of these spans says; `taken`: the hub has an event of it. */
  async function untaken(
    logs: { lately?: string[]; long?: string[] },
    { taken = false, isConnected = true, trusts = false } = {},
  ) {
    const storage = {
      events: async (query: object) => {
        expect(query).toEqual({ kind: POS_ORDER_CREATED, entity: 'order:A1', limit: 1 })
        return taken ? [{ id: 1 }] : []
      },
    } as unknown as Store
    const platform = {
      webhooks: { list: async () => ({ rows: [{ id: 'one', event: POS_ORDER_CREATED, url: '' }], rejected: [] }) },
      events: {
        async list({ to }: { to: number }) {
          const numbers = to > NOW ? logs.lately : to === NOW - 2 * 24 * 3_600_000 ? logs.long : []
          return { rows: (numbers ?? []).map((orderNo) => ({ payload: { orderNo, receiptNo: `R-${orderNo}` } })) }
        },
      },
    } as unknown as Platform
    const options = { clock: createStillClock(), trusts, storeName: () => null }
    return await createOrderReader(storage, isConnected ? platform : null, options).untakenCreation('A1', NOW, signal)
  }
  const creation = { orderNo: 'A1', receiptNo: 'R-A1' }

  test('when the log of two days or of a month names its number, then it is found; else not', async () => {
    expect(await untaken({ lately: ['A2', 'A1'] })).toEqual(creation)
    expect(await untaken({ lately: ['A2'], long: ['A1'] })).toEqual(creation)
    expect(await untaken({ lately: ['A2'], long: ['A3'] })).toBe(null)
  })

  test('when it was taken, or the platform is not asked, then there is none', async () => {
    expect(await untaken({ lately: ['A1'] }, { taken: true })).toBe(null)
    expect(await untaken({ lately: ['A1'] }, { isConnected: false })).toBe(null)
    expect(await untaken({ lately: ['A1'] }, { trusts: true })).toBe(null)
  })
})

test('When the name of an article is wanted, then the platform tells it; where it knows none, or is not there, nobody does', async () => {
  expect(await given({}).reader.articleName(TEE, signal)).toBe('Tee')
  expect(await given({}).reader.articleName('7', signal)).toBe(null)
  expect(await given({}, false).reader.articleName(TEE, signal)).toBe(null)
})

const found = (settlementId: string, payments: Settlement['payments'] = []) =>
  ({ settlementId, payments }) as Settlement
const rejected = (why: string): Unreadable => ({ row: 1, why, record: {} })

/** A platform that lists these settlements on each day. */
function reading(days: Record<string, { rows: Settlement[]; rejected?: Unreadable[] }>) {
  const asked: unknown[] = []
  const list = async ({ day }: { day: string }, given?: AbortSignal) => {
    asked.push([day, given === signal])
    return { rows: [], rejected: [], ...days[day] }
  }
  const read = createSettlementReader({ settlements: { list } })
  const ends = read({ settlementId: 'S7', days: ['2026-11-20', '2026-11-19'] }, signal).then(
    (settlement) => settlement,
    ({ code, message }: RetryLaterError) => `${code}: ${message}`,
  )
  return { asked, ends }
}

test('When the platform lists the settlement on a later day only, then that one is read, whole', async () => {
  const mine = found('S7')
  const { asked, ends } = reading({
    '2026-11-20': { rows: [found('S6')] },
    '2026-11-19': { rows: [found('S8'), mine] },
  })
  expect(await ends).toBe(mine)
  expect(asked).toEqual([
    ['2026-11-20', true],
    ['2026-11-19', true],
  ])
})

test('When it is found, then no other day is asked for, whatever could not be read', async () => {
  const { asked, ends } = reading({ '2026-11-20': { rows: [found('S7')], rejected: [rejected('has no id')] } })
  expect(await ends).toMatchObject({ settlementId: 'S7' })
  expect(asked).toHaveLength(1)
})

test('When it is not listed, then it is asked for later; where rows cannot be read, the first of these says why', async () => {
  const notYet = 'not-listed: the platform does not list settlement S7 with its payments yet'
  expect(await reading({}).ends).toBe(notYet)
  expect(await reading({ '2026-11-20': { rows: [found('S7', null)] } }).ends).toBe(notYet)
  const days = {
    '2026-11-20': { rows: [], rejected: [rejected('has no id')] },
    '2026-11-19': { rows: [], rejected: [rejected('has no day')] },
  }
  expect(await reading(days).ends).toBe(
    'not-readable: settlement S7 is not among those that can be read: 1 row cannot be read (row 1 has no id)',
  )
})

test('When the platform may not be asked, then nobody knows it', async () => {
  expect(await createSettlementReader(null)({ settlementId: 'S7', days: ['2026-11-20'] }, signal)).toBe(null)
})
