import { describe, expect, test } from 'vitest'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { orders } from '../../../src/http/submissions/resources/trade.ts'
import { readOrderReturn, readOrderUpdate } from '../../../src/platform/payloads/order-update.ts'
import type { Attempt } from '../../../src/ports/ports.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { startHttpPeer } from '../../../test/adapters/http-peer.ts'
import { orderUpdate, refundUpdate, shippedOrderUpdate } from '../../../test/fixtures/payloads.ts'
import { orderOf } from '../../tillbridge-adapter-woocommerce/test/kit.ts'
import { startRest, startWithOms } from './kit.ts'

const update = readOrderUpdate(orderUpdate())
const shipped = readOrderUpdate(shippedOrderUpdate())
const returned = readOrderReturn(refundUpdate({ orderLines: [{ quantity: 1, gtin: '7090012340011', id: '1' }] }))
if (!update || !shipped?.shipments?.[0] || !returned) throw new Error('The fixtures cannot be read.')
const [parcel] = shipped.shipments
const [line] = update.lines
const [back] = returned.lines
if (!line || !back || !parcel) throw new Error('The fixtures have no lines.')
const one = parseDecimal(1)

/** An attempt of a destination that knows the order by this id of the OMS. */
function knowing(theirId: number, given: Partial<Attempt> = {}): Attempt {
  const links = async (kind: string, [id = '']: string[]) => [
    { kind, id, destination: 'oms', theirId: String(theirId) },
  ]
  return attempt({ links, ...given })
}

/** An attempt of a destination that has these links to orders. */
function linked(orders: Record<string, number>): Attempt {
  return attempt({
    links: async (kind, ids) =>
      Object.entries(orders)
        .filter(([id]) => ids.includes(id))
        .map(([id, theirId]) => ({ kind, id, destination: 'oms', theirId: String(theirId) })),
  })
}

const LINE = { id: 1, gtin: '7090012340011', name: 'T-shirt', qty: 2, price: '349' }

describe('orders', () => {
  test('When an order of one line is created, then the OMS has it with exact decimals, and its id is linked', async () => {
    await using world = await startWithOms()
    const effect = await world.orders.create(orderOf(), attempt({ key: 'K1' }))
    expect(world.oms.orders()).toMatchObject([
      {
        number: 'EA-77',
        reference: 'K1',
        total: '349',
        buyer: { email: 'kari.nordmann@example.com' },
        lines: [{ qty: 1, price: '349' }],
      },
    ])
    expect(effect).toEqual({ note: '201 Created', links: [{ kind: 'order', id: 'pos:EA-77', theirId: '1001' }] })
  })

  test('When the answer is lost, then the order is looked for, found, and there once', async () => {
    await using world = await startWithOms()
    world.oms.loseAnswers(1)
    const order = orderOf()
    const call = { port: 'orders', method: 'create', argument: order } as const
    await expect(world.orders.create(order, attempt({ key: 'K1' }))).rejects.toMatchObject({
      name: 'UnknownOutcomeError',
    })
    expect(await world.orders.find(attempt({ key: 'K1', previous: 'open' }), call)).toEqual({
      links: [{ kind: 'order', id: 'pos:EA-77', theirId: '1001' }],
    })
    expect(await world.orders.find(attempt({ key: 'K2', previous: 'open' }), call)).toBeNull()
    expect(world.oms.orders()).toHaveLength(1)
  })

  test('When a store works on an order, then each step reaches the OMS, and can be found there', async () => {
    await using world = await startWithOms()
    const order = world.oms.place({ number: 'A1', lines: [LINE] })
    const at = knowing(order.id, { key: 'K' })
    const { orders } = world
    const declined = { order: update, line, quantity: one }
    const sent = { order: shipped, parcel }
    const refund = { refund: returned, line: back, quantity: one }

    await orders.ready(update, at)
    expect(order.status).toBe('ready')
    await orders.expire({ number: 'A1', lines: [] }, at)
    expect(order.status).toBe('expired')
    await orders.collected(update, at)
    await orders.decline(declined, at)
    const ship = await orders.ship(sent, at)
    const paid = await orders.refund(refund, at)
    await orders.noteRefund(refund, knowing(order.id, { key: 'K2' }))

    expect(order).toMatchObject({
      status: 'collected',
      declines: [{ line: 1, qty: 1, reference: 'K' }],
      parcels: [{ name: 'S-1', items: [{ gtin: '7090012340011', qty: 1 }] }],
      refunds: [
        { line: 1, qty: 1, pay: true, reference: 'K' },
        { pay: false, reference: 'K2' },
      ],
    })
    expect(ship.links).toEqual([{ kind: 'shipment', id: 'S-1', theirId: '10010' }])
    expect(paid.links).toEqual([{ kind: 'refund', id: `${returned.refundId}/1`, theirId: '10010' }])
    expect(await orders.find(at, { port: 'orders', method: 'decline', argument: declined })).toEqual({})
    expect(await orders.find(at, { port: 'orders', method: 'ship', argument: sent })).toMatchObject({
      links: ship.links,
    })
    expect(await orders.find(at, { port: 'orders', method: 'refund', argument: refund })).toEqual({ links: paid.links })
    // It may be set again, so it need not be found.
    await expect(orders.find(at, { port: 'orders', method: 'ready', argument: update })).rejects.toMatchObject({
      code: 'may-repeat',
    })
  })

  test('When a web order and one of a POS have the number, then nothing is sent, and both are named', async () => {
    await using world = await startWithOms()
    const [web, pos] = [
      world.oms.place({ number: 'A1', lines: [LINE] }),
      world.oms.place({ number: 'A1', lines: [LINE] }),
    ]
    const both = linked({ A1: web.id, 'pos:A1': pos.id })
    const error = { name: 'HeldError', code: 'ambiguous-order' }
    await expect(world.orders.ready(update, both)).rejects.toMatchObject(error)
    await expect(world.orders.refund({ refund: returned, line: back, quantity: one }, both)).rejects.toThrow(
      `oms: orders.refund: the number A1 is that of several orders: ${web.id} (a web order), ${pos.id} (an order of a POS).`,
    )
    expect([web.status, pos.status]).toEqual(['new', 'new'])
    // The number of a receipt is no order's.
    await world.orders.ready(update, linked({ A1: web.id, 'receipt:A1': pos.id }))
    expect([web.status, pos.status]).toEqual(['ready', 'new'])
  })

  test('When only an order of a POS has the number, then a mapping is told that it is one', async () => {
    await using peer = await startHttpPeer()
    const ready = { path: '/ready', body: '{ "id": theirId, "pos": ofPos = true }' }
    await using instance = startRest({ url: peer.address, orders: { ready } })
    await instance.ports.orders?.ready?.(update, linked({ 'pos:A1': 7 }))
    await instance.ports.orders?.ready?.(update, linked({ A1: 8 }))
    expect(peer.calls.map(({ body }) => JSON.parse(String(body)))).toEqual([
      { id: '7', pos: true },
      { id: '8', pos: false },
    ])
  })

  test('When the POS asks for a number, then all its orders are told, with what came back already', async () => {
    await using world = await startWithOms()
    const refunds = [{ id: 1, line: 1, qty: 1, pay: true, reference: 'R' }]
    for (const total of ['698', '10.50']) {
      world.oms.place({
        number: 'A1',
        total,
        lines: [LINE],
        refunds,
        buyer: { name: 'Kari Nordmann', email: null, phone: null },
      })
    }
    const found = await world.orders.search('A1', { signal: AbortSignal.timeout(5_000) })
    expect(found.map(({ total }) => total)).toEqual(['698', '10.5'])
    expect(found[0]).toMatchObject({
      currency: 'NOK',
      lines: [{ rowId: '1', quantity: '2', returned: '1', unitPrice: '349', vatRate: null }],
      payments: [],
      customer: { firstName: 'Kari', lastName: 'Nordmann', email: null },
    })
    expect(await world.orders.search('A2', { signal: AbortSignal.timeout(5_000) })).toEqual([])
  })
})

describe('customers, stock and the poll', () => {
  test('When a customer is saved twice, then there is one, and the POS finds it by e-mail and by phone', async () => {
    await using world = await startWithOms()
    const { customers } = world.instance.ports
    const customer = {
      ...{ customerId: '77', extId: null, email: 'kari@example.com', firstName: 'Kari', lastName: 'Nordmann' },
      ...{ companyName: null, phone: '+4791234567', address: null, postalCode: null, city: 'Oslo', countryCode: 'NO' },
    }
    await customers?.upsert?.(customer, attempt())
    const effect = await customers?.upsert?.({ ...customer, city: 'Bergen' }, attempt())
    expect(effect?.links).toEqual([{ kind: 'customer', id: '77', theirId: '501' }])
    expect(world.oms.customers()).toHaveLength(1)
    const question = { signal: AbortSignal.timeout(5_000) }
    const byPhone = { type: 'phone', numbers: ['+4691234567', '+4791234567'], typed: '91234567' } as const
    for (const query of [byPhone, { type: 'email', email: 'kari@example.com' } as const])
      expect(await customers?.search?.(query, question)).toMatchObject([
        { customerId: '77', extId: '501', firstName: 'Kari', lastName: 'Nordmann', city: 'Bergen', address: null },
      ])
  })

  test('When 250 levels go out, then three requests set them', async () => {
    await using world = await startWithOms()
    const batch = Array.from({ length: 250 }, (_, index) => ({
      argument: { stockId: '12', location: 'oslo', gtin: String(index), sku: null, level: parseDecimal(index) },
      attempt: attempt(),
    }))
    const results = await world.instance.ports.stock?.setLevels?.(batch)
    expect(results).toHaveLength(250)
    expect([world.oms.levels().size, world.oms.levels().get('oslo/249')]).toEqual([250, 249])
  })

  test('When the OMS has new orders for stores, then the poll hands each over once, page by page', async () => {
    await using world = await startWithOms()
    const buyer = { name: 'Kari Nordmann', email: 'kari@example.com', phone: '91234567' }
    for (const day of [1, 2, 3])
      world.oms.place({
        number: `A${day}`,
        changedAt: `2026-11-0${day}T10:00:00.000Z`,
        pickupAt: 'oslo-city',
        buyer,
        lines: [LINE],
      })
    const poll = world.instance.intake?.poll
    const question = { signal: AbortSignal.timeout(5_000) }
    const first = await poll?.(null, question)
    const second = await poll?.(first?.cursor ?? '', question)
    const third = await poll?.(second?.cursor ?? '', question)
    expect(first).toMatchObject({ cursor: '2026-11-02T10:00:00.000Z', more: true })
    expect(second).toMatchObject({ cursor: '2026-11-03T10:00:00.000Z', more: false })
    expect(third).toEqual({ items: [], cursor: '2026-11-03T10:00:00.000Z', more: false })
    expect([...(first?.items ?? []), ...(second?.items ?? [])].map(({ theirId }) => theirId)).toEqual([
      '1001',
      '1002',
      '1003',
    ])
    expect(first?.items[0]).toMatchObject({
      resource: 'orders',
      key: '1001@2026-11-01T10:00:00.000Z',
      place: 'oslo-city',
      value: { orderNo: 'A1', orderLines: [{ gtin: '7090012340011', price: '349', quantity: '2' }] },
    })
    const named = { ...first?.items[0]?.value, storeNo: '102' }
    expect(orders.line.safeParse(named).error?.issues).toBeUndefined()
  })
})
