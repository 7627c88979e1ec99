import { describe, expect, test } from 'vitest'
import { endlessAisle, saleLine } from '../../fixtures/payloads.ts'
import { startWithOrders } from './order-given.ts'

const ENDLESS = 'OmniChannelEndlessAisleOrderCreated'
const SAVED = 'SavedForOnlineCheckoutCreated'

const tee = (quantity: number) =>
  saleLine({ shipFromOnlineStore: true, gtin: '7090012340011', externalSKU: 'TEE-BLK-M', name: 'T-shirt', quantity })
const socks = (quantity: number) =>
  saleLine({ shipFromOnlineStore: true, gtin: '7090012340059', externalSKU: 'SOCKS-GRY', name: 'Socks', quantity })
const remark = saleLine({
  shipFromOnlineStore: true,
  gtin: null,
  externalSKU: '',
  name: 'Leave it at the door',
  quantity: 0,
  price: 0,
  vat: 0,
})

describe('an endless aisle order of quantities that are none', () => {
  test.each([
    ['one article and none of another', [tee(1), socks(0)], '0 × Socks'],
    ['one article and one less of another', [socks(1), tee(-1)], '-1 × T-shirt'],
    ['one less of an article alone', [tee(-1)], '-1 × T-shirt'],
    ['no lines', [], 'it has no lines'],
    ['a remark alone', [remark], '0 × Leave it at the door'],
  ])('an order of %s is held, and the shop gets none', async (_, orderLines, named) => {
    await using world = await startWithOrders()
    await world.hub.post(ENDLESS, endlessAisle({ orderLines }))
    expect(await world.held()).toMatchObject({
      flow: 'create-order',
      code: 'not-in-pieces',
      why: expect.stringContaining(named),
    })
    expect(world.shop.orders()).toEqual([])
  })

  test('an order that an operator releases is made of its other lines alone, once', async () => {
    const order = endlessAisle({ orderLines: [tee(2), socks(-1)], total: 548.1 })
    await using world = await startWithOrders()
    await world.hub.post(ENDLESS, order, { eventId: 'one' })
    const { id } = await world.held()
    await world.hub.admin('deliveries/release', { filter: { id }, reason: 'the socks are exchanged in the store' })
    await world.done()
    await world.hub.post(ENDLESS, order, { eventId: 'again' })
    await world.done()
    expect(world.shop.orders()).toMatchObject([
      { status: 'processing', total: '698.00', lines: [{ sku: 'TEE-BLK-M', quantity: 2 }] },
    ])
  })

  test('an order that has nothing to send is not made by a release either', async () => {
    await using world = await startWithOrders()
    await world.hub.post(ENDLESS, endlessAisle({ orderLines: [] }))
    const { id } = await world.held()
    await world.hub.admin('deliveries/release', { filter: { id }, reason: 'by mistake' })
    await world.done()
    expect(await world.held()).toMatchObject({ id, code: 'not-in-pieces' })
    expect(world.shop.orders()).toEqual([])
  })

  test('an order with a remark beside its goods is made', async () => {
    await using world = await startWithOrders()
    await world.hub.post(ENDLESS, endlessAisle({ orderLines: [tee(1), remark] }))
    await world.done()
    expect(world.shop.orders()).toMatchObject([{ status: 'processing', total: '349.00' }])
  })
})

test.each([
  ['of fewer than none', [tee(-2)]],
  ['without lines', []],
])('a basket %s for the online checkout is held, and the shop gets none', async (_, orderLines) => {
  await using world = await startWithOrders()
  const { receiptNo: _no, paymentLines: _paid, ...basket } = endlessAisle({ orderLines, id: 'B-1' })
  await world.hub.post(SAVED, basket)
  expect(await world.held()).toMatchObject({ flow: 'draft-order', code: 'not-in-pieces' })
  expect(world.shop.orders()).toEqual([])
})
