import { expect, test } from 'vitest'
import { createPlatformErasing } from '../../../src/adapters/platform/customers.ts'
import { createGoodsKeeping } from '../../../src/adapters/platform/platform-port.ts'
import type { SubmittedProduct } from '../../../src/domain/catalogue/submitted.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { givenPlatform, KEYS } from '../../sandbox/platform/given.ts'
import { attempt, batchOf, onlineOrder, toSandbox, toServer } from './given.ts'

const GUID = '7a1f3f5e-51f2-4b6e-9a3d-0f6f5b1f7a10'

function product(extId: string, gtin: string, more: Partial<SubmittedProduct> = {}): SubmittedProduct {
  return {
    extId,
    createProductSpecificSize: true,
    name: 'Rain jacket',
    number: '4711',
    variant: extId,
    groupName: 'Jackets',
    season: 'AW26',
    color: 'Blue',
    brand: 'Fjell',
    price: '1299.50',
    productSizes: [{ gtin, label: 'M', externalSKU: `${extId}-M` }],
    ...more,
  }
}

const jackets = [product('4711-BLUE', '7090000000011'), product('4711-RED', '7090000000028')]

test('When the productId is known by link, then the platform is not asked for it', async () => {
  await using given = await toSandbox()
  await given.port.upsertProducts(batchOf(jackets))
  const known = [{ kind: 'product', id: 'as the ERP calls it', theirId: '1' }]
  const [result] = await given.port.saveCosts(
    batchOf([{ currency: 'NOK', productExtId: 'as the ERP calls it', price: '1' }], { known }),
  )
  expect(result).toMatchObject({ code: 'http-400', message: expect.stringMatching(/; it names costPrices$/) })
})

test('When text is for a product whose extId is digits only, then its productId is looked up and linked where a path names it', async () => {
  await using given = await toSandbox({ preset: 'frontsystems-v2' })
  await given.port.upsertProducts(batchOf([product('47110815', '7090000000035')]))
  const saved = await given.port.saveProductText({ extId: '47110815', description: 'Warm.' }, attempt())
  const there = await given.platform.products.byExtId('47110815')
  expect(there).toMatchObject({ description: 'Warm.' })
  expect(saved.links).toEqual([{ kind: 'product', id: '47110815', theirId: there?.productId }])
})

test('text for a product whose extId is digits only goes by that extId where the body names it', async () => {
  await using given = await toSandbox()
  await given.port.upsertProducts(batchOf([product('47110815', '7090000000035')]))
  expect(await given.port.saveProductText({ extId: '47110815', description: 'Warm.' }, attempt())).toEqual({
    links: [],
  })
  expect(await given.platform.products.byExtId('47110815')).toMatchObject({ description: 'Warm.' })
})

test('When an own system submits levels and a count, then the stock has them, and what was not counted is gone', async () => {
  await using given = await toSandbox()
  const { port, platform } = given
  await port.upsertProducts(batchOf(jackets))
  const levels = [
    { stockId: '12', gtin: '7090000000011', quantity: '7', description: 'Web shop' },
    { stockId: '12', gtin: '7090000000028', quantity: '5', description: 'Web shop' },
  ]
  expect(await port.setStock(batchOf(levels))).toEqual([{}, {}])
  const levelOf = async (gtin: string) =>
    (await platform.stock.levels({ stockIds: ['12'] })).rows.find(({ id }) => id === gtin)?.quantity ?? '0'
  expect([await levelOf('7090000000011'), await levelOf('7090000000028')]).toEqual(['7', '5'])
  const items = [{ gtin: '7090000000011', quantity: '6' }]
  const stockCountTime = new Date(Date.now() - 60_000).toISOString()
  expect(await port.countStock({ stockId: '12', stockCountTime, items }, attempt())).toEqual({ note: '1 counted' })
  expect([await levelOf('7090000000011'), await levelOf('7090000000028')]).toEqual(['6', '0'])
})

const delivery = {
  extRef: 'PO-100',
  stockId: '12',
  storeId: '42',
  insertAsConfirmed: true,
  orderLines: [{ gtin: '7090000000011', qty: '3', cost: '400' }],
}
const createdDelivery = { port: 'platform', method: 'createDelivery', argument: delivery } as const

test('When a delivery is sent again because its answer was lost, then there is one, where the request id of its key keeps it from being two', async () => {
  await using given = await toSandbox({ preset: 'frontsystems-v2' })
  const { port, platform } = given
  await port.upsertProducts(batchOf(jackets))
  const first = await port.createDelivery(delivery, attempt())
  expect(await port.find(attempt({ previous: 'open' }), createdDelivery)).toBeNull()
  expect(await port.createDelivery(delivery, attempt({ previous: 'open' }))).toEqual(first)
  expect(first.links).toMatchObject([{ kind: 'delivery', id: 'PO-100' }])
  expect((await platform.goodsDeliveries.list('12')).rows).toHaveLength(1)
  await port.createDelivery(delivery, attempt({ key: 'DeliverySubmitted:erp/2:create-delivery' }))
  expect((await platform.goodsDeliveries.list('12')).rows).toHaveLength(2)
})

test('When nobody says that a request id counts, then an uncertain delivery cannot be looked for', async () => {
  await using given = await toSandbox()
  await expect(given.port.find(attempt({ previous: 'open' }), createdDelivery)).rejects.toMatchObject({
    name: 'PermanentError',
    code: 'cannot-find',
    message: expect.stringContaining('requestId: heeded'),
  })
})

test('When an online sale is submitted, then its customer is obtained first, and both are linked', async () => {
  await using given = await toSandbox()
  const { port } = given
  await port.upsertProducts(batchOf(jackets))
  const customer = { extId: 'C-1', email: 'kari@example.com', firstName: 'Kari', lastName: 'Nordmann' }
  const saved = await port.saveCustomer(customer, attempt())
  const customerId = saved.links?.[0]?.theirId
  expect(saved.links).toEqual([{ kind: 'customer', id: 'C-1', theirId: expect.stringMatching(/^\d+$/) }])

  const sale = {
    saleGuid: GUID,
    orderNo: 'W-1',
    storeId: '42',
    saleDateTime: '2026-11-20T10:00:00Z',
    customer,
    lines: [{ gtin: '7090000000011', price: '999', quantity: '1', stockId: '-1' }],
    payments: [{ amount: '999', type: 99 }],
  }
  const { links = [] } = await port.importSale(sale, attempt())
  expect(links).toEqual([
    { kind: 'customer', id: 'C-1', theirId: customerId },
    { kind: 'sale', id: GUID, theirId: expect.stringMatching(/^\d+$/) },
  ])
  const known = { ...sale, customer: { customerId: customerId ?? '' } }
  expect(await port.importSale(known, attempt())).toMatchObject({
    links: [{ kind: 'sale', theirId: links[1]?.theirId }],
  })
  await expect(port.importSale({ ...sale, payments: [] }, attempt())).rejects.toMatchObject({
    name: 'PermanentError',
    message: expect.stringContaining('the payments to 0'),
  })
})

for (const preset of ['spec', 'frontsystems-v2'] as const)
  test(`When an online order for a store of ${preset} was created and its answer lost, then it is found, if it is ours`, async () => {
    await using given = await toSandbox({ preset })
    const { port, platform } = given
    await port.upsertProducts(batchOf(jackets))
    const call = { port: 'platform', method: 'createOrder', argument: onlineOrder } as const
    // What reads orders is no proof that there is none before it has told of one, unless it is documented.
    const first = port.find(attempt(), call)
    if (preset === 'frontsystems-v2') expect(await first).toBeNull()
    else
      await expect(first).rejects.toMatchObject({
        name: 'UnknownOutcomeError',
        code: 'not-proven',
        message: expect.stringContaining('has never told of any order'),
      })
    const created = await port.createOrder(onlineOrder, attempt())
    expect(created.links).toEqual([{ kind: 'order', id: 'W-1001', theirId: expect.stringMatching(/^\d+$/) }])
    expect(await port.find(attempt({ previous: 'open' }), call)).toEqual(created)
    // A platform that refuses the number because it has it from us already.
    expect(await port.createOrder(onlineOrder, attempt())).toEqual(created)
    const other = { ...onlineOrder, lines: [{ gtin: '7090000000028', price: '1', quantity: '2' }] }
    await expect(port.createOrder(other, attempt())).rejects.toMatchObject({ code: 'order-number-taken' })
    expect(await platform.orders.read('W-1001')).toMatchObject({ lines: [{ gtin: '7090000000011' }] })
    const another = { ...call, argument: { ...onlineOrder, orderNo: 'W-1002' } }
    expect(await port.find(attempt(), another)).toBeNull()
  })

async function toErase() {
  const ways = await toSandbox({ preset: 'frontsystems-v2' })
  const { sandbox, platform } = ways
  const { erase } = createPlatformErasing(platform)
  return {
    add: (email: string, firstName: string) => String(sandbox.actions.createCustomer({ email, firstName }).customerId),
    found: async (email: string) =>
      (await Array.fromAsync(platform.customers.search({ email }))).map(({ customerId }) => customerId),
    erase: (who: object) => erase?.({ ...NONE, ...who }, attempt()),
    [Symbol.asyncDispose]: () => ways[Symbol.asyncDispose](),
  }
}

const NONE = { pseudonym: 'erased-7f3a01bc', customerIds: [], theirIds: [], emails: [], orders: [] }

test('When the hub knows a person by an address alone, then the one customer who has it at the platform is deleted there', async () => {
  await using it = await toErase()
  it.add('tuva@example.com', 'Tuva')
  const other = it.add('other.tuva@example.com', 'Tuvalina')
  expect(await it.erase({ emails: ['tuva@example.com'] })).toEqual({
    note: '1 customer deleted, 0 not there (any more)',
  })
  expect(await it.found('tuva@example.com')).toEqual([])
  expect(await it.found('other.tuva@example.com')).toEqual([other])
})

test('When several customers there have the address, then whom the hub knows is deleted, and the others are named for a person', async () => {
  await using it = await toErase()
  const [known, other] = [it.add('berg@example.com', 'Ola'), it.add('berg@example.com', 'Kari')]
  await expect(it.erase({ theirIds: [known], emails: ['berg@example.com'] })).rejects.toMatchObject({
    code: 'several-customers',
    message: expect.stringMatching(new RegExp(`1 customer deleted.* look in the portal at ${other},`)),
  })
  expect(await it.found('berg@example.com')).toEqual([other])
})

test('When a platform has no search for customers, then whom the hub knows is deleted, and the note says so', async () => {
  await using given = await toServer()
  given.server.play({ status: 200, body: {} }, '/api/Customer/17')
  const who = { ...NONE, theirIds: ['17'], emails: ['tuva@example.com'] }
  expect(await createPlatformErasing(given.platform).erase?.(who, attempt())).toEqual({
    note: '1 customer deleted, 0 not there (any more); it could not be asked whom it knows by their address',
  })
})

const TEE = '7090012340011'

const orderOf = (gtin: string, quantity: string) => ({
  ...onlineOrder,
  stockId: '13',
  lines: [{ gtin, price: '999.00', quantity }],
})

test('When goods are kept for an order, then by their number as it was written; spelt otherwise since, they are the same goods', async () => {
  await using sandbox = await givenPlatform()
  await using platform = createPlatform({ preset: 'frontsystems-v2', baseUrl: sandbox.url, ...KEYS })
  const port = createGoodsKeeping(platform)
  await port.keepGoods(orderOf(TEE, '2'), attempt())
  const { rows: first } = await platform.reservations.list('13')
  expect(first).toMatchObject([{ extId: 'W-1001', gtin: TEE, quantity: '2' }])
  await port.keepGoods(orderOf(`0${TEE}`, '1'), attempt())
  const { rows: then } = await platform.reservations.list('13')
  expect(then).toMatchObject([{ id: first[0]?.id, gtin: TEE, quantity: '1' }])
})
