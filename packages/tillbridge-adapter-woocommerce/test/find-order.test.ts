import { expect, test } from 'vitest'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { GivenOrder } from '../../../src/ports/ports.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { startHttpPeer } from '../../../test/adapters/http-peer.ts'
import {
  act,
  adapterAt,
  askShop,
  type ConnectedShop,
  callOf,
  lineOf,
  orderOf,
  place,
  SHIRT,
  startConnected,
  startWithOrder,
  startWithShop,
  updateOf,
  VAT,
} from './kit.ts'

async function search(it: ConnectedShop, number: string) {
  return await it.ports.orders.search?.(number, { signal: new AbortController().signal })
}

test('When a POS asks for a number, then it gets the order with what was paid, in coins with VAT', async () => {
  await using it = await startConnected(
    {},
    { taxes: VAT, timeZone: 'Europe/Oslo', now: () => Date.UTC(2026, 0, 31, 12) },
  )
  const placed = await it.shop.placeOrder({
    phone: '912 34 567',
    lines: [{ sku: 'TEE-BLK-M', quantity: 2 }, { sku: 'JACKET-L' }],
  })
  const [found, ...others] = (await search(it, placed.number)) ?? []
  expect(others).toEqual([])
  expect(found).toEqual({
    number: placed.number,
    theirId: String(placed.id),
    placedAt: '2026-01-31T13:00:00+01:00',
    status: 'processing',
    currency: 'NOK',
    total: '1898',
    lines: [
      {
        rowId: String(placed.lines[0]?.id),
        gtin: '7090012340011',
        sku: 'TEE-BLK-M',
        name: 'T-shirt',
        quantity: '2',
        returned: '0',
        unitPrice: '349',
        vatRate: '0.25',
      },
      expect.objectContaining({ gtin: '7090012340035', sku: 'JACKET-L', unitPrice: '1200' }),
    ],
    payments: [{ type: 'Card', amount: '1898', reference: `txn_${placed.id}` }],
    customer: {
      email: 'kari@example.com',
      firstName: 'Kari',
      lastName: 'Nordmann',
      companyName: null,
      phone: '+4791234567',
    },
    billingAddress: expect.objectContaining({ address1: 'Storgata 1', postalCode: '0155', countryCode: 'NO' }),
    shippingAddress: expect.objectContaining({ city: 'Oslo' }),
  })
})

test('When something came back before, then the line says how many', async () => {
  await using it = await startConnected({}, { taxes: VAT })
  const { id, number, lines } = await it.shop.placeOrder({ lines: [{ sku: 'TEE-BLK-M', quantity: 3 }] })
  const body = {
    amount: '349.00',
    api_refund: false,
    line_items: [
      { id: lines[0]?.id, quantity: 1, refund_total: '279.20', refund_tax: [{ id: 1, refund_total: '69.80' }] },
    ],
  }
  await askShop(it.shop, 'POST', `/orders/${id}/refunds`, body)
  expect((await search(it, number))?.[0]?.lines).toMatchObject([{ quantity: '3', returned: '1' }])
})

test('When people write a number as they read it, then it is the same one', async () => {
  await using it = await startConnected()
  const { number } = await it.shop.placeOrder({ lines: [SHIRT] })
  for (const written of [`#${number}`, ` ${number} `, `# ${number.slice(0, 1)} ${number.slice(1)}`])
    expect(await search(it, written)).toMatchObject([{ number }])
})

test('When there is no such number, or only one that looks like it, then nothing is found', async () => {
  await using it = await startConnected()
  const { id, number } = await it.shop.placeOrder({ firstName: 'Agent 4711', lines: [SHIRT] })
  for (const written of ['4711', '999999', 'TEE-BLK-M', '#', `${number}0`])
    expect(await search(it, written)).toEqual([])
  it.shop.trash(id)
  expect(await search(it, number)).toEqual([])
})

test('When a line does not divide into coins, then the price of one is never more than was paid', async () => {
  await using it = await startConnected()
  const { id, number, lines } = await it.shop.placeOrder({ lines: [{ sku: 'TEE-BLK-M', quantity: 3 }] })
  await askShop(it.shop, 'PUT', `/orders/${id}`, {
    line_items: [{ id: lines[0]?.id, total: '100.00', subtotal: '100.00' }],
  })
  expect((await search(it, number))?.[0]?.lines).toMatchObject([{ unitPrice: '33.33', vatRate: null }])
})

test('When a plugin numbers the orders, then they are found by its number, and not by the id behind it', async () => {
  await using it = await startConnected({}, { numbering: (id) => `WEB-${id + 5_000}` })
  const { id, number } = await it.shop.placeOrder({ lines: [SHIRT] })
  expect(await search(it, number.toLowerCase())).toMatchObject([{ number }])
  expect(await search(it, String(id))).toEqual([])
})

test('When a POS asks for an order that it made itself, then it is found by its id in the shop, under the number that the customer has', async () => {
  await using it = await startConnected()
  const placed = await it.shop.placeOrder({ lines: [SHIRT] })
  const { signal } = new AbortController()
  const found = await it.ports.orders.search?.('EA-10001', { signal, theirIds: [String(placed.id)] })
  expect(found).toMatchObject([{ number: 'EA-10001', lines: [{ rowId: String(placed.lines[0]?.id) }] }])
  expect(await it.ports.orders.search?.('EA-10001', { signal })).toEqual([])
})

test('When the shop numbers an order like one that a POS sold, then both are found, each by its id in the shop', async () => {
  await using it = await startConnected()
  const sold = await it.shop.placeOrder({ lines: [SHIRT] })
  const own = await it.shop.placeOrder({ lines: [{ sku: 'JACKET-L' }] })
  const signal = new AbortController().signal
  const found = await it.ports.orders.search?.(own.number, { signal, theirIds: [String(sold.id)] })
  expect(found).toMatchObject([
    { number: own.number, theirId: String(sold.id), lines: [SHIRT] },
    { number: own.number, theirId: String(own.id), lines: [{ sku: 'JACKET-L' }] },
  ])
})

/*
 * WooCommerce searches addresses (`_billing_address_index`, OrdersTableSearchQuery) besides what plugins add by
 * `woocommerce_shop_order_search_fields`, and lists the newest first, a hundred at most (read 2026-11-26).
 */
test('When more than a page of newer orders go to the postal code that is the number, then the order is found all the same', async () => {
  const numbers = new Map<number, string>()
  const numbering = (id: number) => {
    if (!numbers.has(id)) numbers.set(id, String(5_003 + numbers.size))
    return numbers.get(id) ?? ''
  }
  await using it = await startConnected({}, { numbering, webhook: undefined })
  const first = await it.shop.placeOrder({ lines: [SHIRT] })
  expect(first.number).toBe('5003')
  for (let count = 0; count < 110; count += 1)
    await it.shop.placeOrder({ lastName: 'Box 5003', lines: [{ sku: 'JACKET-L' }] })
  expect(await search(it, '5003')).toMatchObject([{ number: '5003', theirId: String(first.id) }])
  await act(it, callOf.ready('5003'))
  expect(it.shop.orders().find(({ id }) => id === first.id)?.reported).toEqual([
    'Your order 5003 is ready for you at Oslo City.',
  ])
})

const KEY_OF_ORDER = 'SaleCreated:1:f:p'

test('When an order was called for twice, then both that bear its key are counted, until one is cancelled', async () => {
  await using it = await startWithShop()
  const order = orderOf()
  for (let time = 0; time < 2; time += 1) await it.create(order)
  const [first, second] = it.shop.orders().map(({ id }) => String(id))
  const links = [{ destination: 'shop', kind: 'order', id: 'pos:EA-77', theirId: String(first) }]
  const reconciled = (more: object) =>
    it.orders.reconcile([{ keys: [KEY_OF_ORDER], order, givenAt: 0, links, ...more }], {
      signal: new AbortController().signal,
    })
  const calledAgainSince = Date.now() - 60_000
  expect(await reconciled({})).toMatchObject([{ is: 'there', count: 1 }])
  expect(await reconciled({ calledAgainSince })).toMatchObject([{ is: 'there', count: 2 }])
  expect(await reconciled({ calledAgainSince, keys: ['another'] })).toMatchObject([{ is: 'unknown' }])
  await askShop(it.shop, 'PUT', `/orders/${second}`, { status: 'cancelled' })
  expect(await reconciled({ calledAgainSince })).toMatchObject([{ is: 'there', count: 1 }])
})

test('an order that expired and was paid back is not finished while its note may still come: the customer would have it twice', async () => {
  await using it = await startWithOrder()
  await refund(it.shop, it.order().id, KEY_OF_ORDER)
  const call = { port: 'orders', method: 'expire', argument: updateOf(it.number) } as const
  const inDoubt = attempt({ previous: 'open', firstTriedAt: Date.now() - 1_000, mayStillLand: true })
  await expect(it.orders.find(inDoubt, call)).rejects.toMatchObject({ code: 'may-still-land' })
  expect([it.order().reported.length, it.order().status]).toEqual([0, 'processing'])
  await it.orders.find({ ...inDoubt, mayStillLand: false }, call)
  expect(it.order().status).toBe('cancelled')
})

test.each(['expire', 'refund'] as const)('two refunds that bear the key of one %s are counted', async (method) => {
  await using it = await startWithOrder()
  const order = updateOf(it.number)
  const argument = method === 'expire' ? order : { refund: order, line: order.lines[0], quantity: '1' }
  const call = { port: 'orders', method, argument } as never
  const inDoubt = attempt({ previous: 'open', firstTriedAt: Date.now() - 1_000 })
  expect(await it.orders.countRefunds(call, inDoubt)).toBe(0)
  for (const _ of [1, 2]) await refund(it.shop, it.order().id, KEY_OF_ORDER, '10.00')
  await refund(it.shop, it.order().id, 'another', '10.00')
  expect(await it.orders.countRefunds(call, inDoubt)).toBe(2)
})

/** A refund of the whole order, as the shop made it of an earlier call. */
async function refund(
  shop: Parameters<typeof askShop>[0],
  order: number,
  key: string,
  amount = '100.00',
): Promise<void> {
  const body = {
    amount,
    reason: 'Back',
    api_refund: true,
    meta_data: [{ key: '_tillbridge_key', value: key }],
  }
  await askShop(shop, 'POST', `/orders/${order}/refunds`, body)
}

const given = (theirId: string): GivenOrder =>
  ({ keys: [`key-${theirId}`], links: [{ kind: 'order', id: theirId, destination: 'shop', theirId }] }) as never

test('When a plugin has changed one of the orders of POS beyond reading, then the others are told of, and that one is there', async () => {
  await using peer = await startHttpPeer()
  const order = (id: number, more: object = {}) => ({
    ...{ id, number: String(id), status: 'processing', currency: 'NOK', total: '349.00', refunds: [] },
    ...{ meta_data: [{ key: '_tillbridge_key', value: `key-${id}` }], line_items: [], ...more },
  })
  peer.play({
    status: 200,
    body: JSON.stringify([order(1), order(2, { total: '', line_items: [{ quantity: null }] })]),
  })
  await using shop = adapterAt(peer.address)
  const reconciled = await shop.ports.orders?.reconcile?.([given('1'), given('2')], {
    signal: AbortSignal.timeout(5_000),
  })
  expect(reconciled).toEqual([
    { is: 'there', count: 1, amount: { amount: '349', currency: 'NOK' } },
    { is: 'there', count: 1, amount: null },
  ])
})

/** The platform writes 13 digits; the shop has 12 in the field for them, or 11 as the SKU. */
const PLATFORM = '0012345678905'
const PRODUCTS = [
  { id: 31, name: 'Mug', sku: 'MUG', globalUniqueId: '012345678905', price: '100', stock: 5 },
  { id: 32, name: 'Plate', sku: '76543210982', price: '50', stock: 5 },
]
const LINE = { line_items: [{ product_id: 31, quantity: 2 }] }

test('an article whose GTIN the shop writes with other zeros is refunded, declined and sold as the same', async () => {
  await using it = await startWithShop({ products: PRODUCTS })
  const number = await place(it.shop, LINE)
  const line = lineOf({ gtin: PLATFORM })
  await act(it, callOf.refund(number, 1, line))
  await act(it, callOf.decline(number, 1, line), { key: 'another' })
  expect(it.order().refunds).toMatchObject([{ amount: '100.00' }, { amount: '100.00' }])
})

test('levels of articles are set where the shop writes their GTIN with other zeros, also as the SKU', async () => {
  await using it = await startWithShop({ products: PRODUCTS })
  const level = (gtin: string, pieces: number) => ({
    argument: { location: 'main', gtin, sku: null, level: parseDecimal(pieces) },
    attempt: attempt({}),
  })
  const levels = [level(PLATFORM, 7), level('0076543210982', 8), level('0099999999990', 1)]
  const said = await it.instance.ports.stock?.setLevels?.(levels)
  expect(said?.slice(0, 2)).toEqual([{ note: 'product 31: 7' }, { note: 'product 32: 8' }])
  expect(said?.[2]).toMatchObject({ note: expect.stringContaining('nothing was sent') })
})

test('an article that may be two of the shop is neither of them', async () => {
  const twice = [...PRODUCTS, { id: 33, name: 'Old mug', globalUniqueId: '12345678905', price: '90', stock: 3 }]
  await using it = await startWithShop({ products: twice })
  const argument = { location: 'main', gtin: PLATFORM, sku: null, level: parseDecimal(7) }
  const [said] = (await it.instance.ports.stock?.setLevels?.([{ argument, attempt: attempt({}) }])) ?? []
  expect(said).toMatchObject({ note: expect.stringContaining('several that write the GTIN in other ways') })
  const number = await place(it.shop, { line_items: [31, 33].map((id) => ({ product_id: id, quantity: 1 })) })
  const refund = act(it, callOf.refund(number, 1, lineOf({ gtin: PLATFORM })))
  await expect(refund).rejects.toMatchObject({ code: 'ambiguous-article' })
  expect(it.order().refunds).toEqual([])
})
