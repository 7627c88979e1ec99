import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { orders, sales } from '../../../src/http/submissions/resources/trade.ts'
import type { IntakeRequest } from '../../../src/ports/ports.ts'
import { faultsOf } from '../../../test/adapters/checked.ts'
import { AT_OSLO, adapterAt, askShop, type ConnectedShop, SECRET, SHIRT, startConnected, VAT } from './kit.ts'

describe('an order for a store', () => {
  test('When it is paid and picked up, then it is an order of that place, in the form of /v1, with what was paid', async () => {
    await using it = await startConnected({}, { taxes: VAT, now: () => Date.UTC(2026, 6, 1, 10) })
    const { id } = await it.shop.placeOrder({
      phone: '912 34 567',
      lines: [{ ...SHIRT, quantity: 2 }],
      shipping: AT_OSLO,
    })
    const [item, ...others] = await it.handedOver()
    expect(others).toEqual([])
    expect(item).toEqual({
      resource: 'orders',
      key: `order/${id}/2026-07-01T10:00:00/processing`,
      theirId: String(id),
      place: 'Oslo City',
      changedAt: '2026-07-01T10:00:00Z',
      value: {
        orderNo: String(id),
        saleDateTime: '2026-07-01T12:00:00+02:00',
        customer: {
          email: 'kari@example.com',
          firstName: 'Kari',
          lastName: 'Nordmann',
          phone: '91234567',
          phoneCountryCode: '47',
        },
        billingAddress: expect.objectContaining({ address1: 'Storgata 1', countryCode: 'NO' }),
        orderLines: [{ gtin: '7090012340011', price: '349', quantity: '2' }],
        currency: 'NOK',
        paymentLines: [{ amount: '698', currency: 'NOK', type: 'Card' }],
      },
    })
    expect(faultsOf(orders, item)).toEqual([])
  })

  test('When a plugin numbers orders with a number beyond 2^53, then the store has each of its digits', async () => {
    await using it = await startConnected()
    await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO })
    await it.handedOver()
    const read = it.came.map(async (request) => {
      const text = Buffer.from(request.body)
        .toString()
        .replace(/"number":"\d+"/, '"number":202611260001234567')
      return (await it.intake.read?.({ ...request, body: Buffer.from(text) })) ?? []
    })
    expect((await Promise.all(read)).flat().at(-1)?.value).toMatchObject({ orderNo: '202611260001234567' })
  })

  test('When it is picked up by the older local pickup, then the place is the instance of the method', async () => {
    await using it = await startConnected()
    await it.shop.placeOrder({ lines: [SHIRT], shipping: { method: 'local_pickup', instanceId: '7' } })
    expect((await it.handedOver()).at(-1)).toMatchObject({ resource: 'orders', place: '7' })
  })

  test('When it is to be paid in the store, then it has no payment', async () => {
    await using it = await startConnected()
    await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO, payment: 'cod' })
    const item = (await it.handedOver()).at(-1)
    expect(item?.value).not.toHaveProperty('paymentLines')
    expect(faultsOf(orders, item)).toEqual([])
  })

  test('When it waits for a bank transfer, then nobody hears of it before it is paid', async () => {
    await using it = await startConnected()
    const { id } = await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO, payment: 'bacs' })
    expect(await it.handedOver()).toEqual([])
    await it.shop.setStatus(id, 'processing')
    expect((await it.handedOver()).at(-1)).toMatchObject({
      resource: 'orders',
      value: { paymentLines: [{ amount: '349', type: 'Direct bank transfer' }] },
    })
  })

  test('When the order names the store that is to send it, then it has the address that it goes to', async () => {
    await using it = await startConnected({ storeMeta: '_store' })
    await it.shop.placeOrder({ lines: [SHIRT], meta: { _store: '104' } })
    const item = (await it.handedOver()).at(-1)
    expect(item).toMatchObject({
      place: '104',
      value: { shippingAddress: { address1: 'Storgata 1', postalCode: '0155', city: 'Oslo', countryCode: 'NO' } },
    })
    expect(faultsOf(orders, item)).toEqual([])
  })

  test('When a line does not divide into coins, then the prices of its pieces add up to it', async () => {
    await using it = await startConnected()
    const { id, lines } = await it.shop.placeOrder({ lines: [{ ...SHIRT, quantity: 3 }], shipping: AT_OSLO })
    const line = { id: lines[0]?.id, total: '100.00', subtotal: '100.00' }
    await askShop(it.shop, 'PUT', `/orders/${id}`, { line_items: [line] })
    expect((await it.handedOver()).at(-1)?.value.orderLines).toEqual([
      { gtin: '7090012340011', price: '33.33', quantity: '2' },
      { gtin: '7090012340011', price: '33.34', quantity: '1' },
    ])
  })

  test('When somebody calls it off or throws it away, then it is cancelled', async () => {
    await using it = await startConnected()
    const { id } = await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO })
    await it.shop.setStatus(id, 'cancelled')
    await it.handedOver()
    it.shop.trash(id)
    const off = (await it.handedOver()).filter(({ resource }) => resource === 'cancellations')
    expect(off).toMatchObject([
      { key: expect.stringMatching(/\/cancelled$/), place: 'Oslo City', value: { orderNo: String(id) } },
      { key: expect.stringMatching(/\/trash$/), theirId: String(id), value: { orderNo: String(id) } },
    ])
  })

  test('When the customer had it, or the platform said that it expired, then nothing goes back to the platform', async () => {
    await using it = await startConnected()
    const had = await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO })
    const expired = await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO })
    const before = (await it.handedOver()).length
    await it.shop.setStatus(had.id, 'completed')
    await it.shop.setStatus(had.id, 'refunded')
    const meta_data = [{ key: '_tillbridge_expired', value: 'key' }]
    await askShop(it.shop, 'PUT', `/orders/${expired.id}`, { status: 'cancelled', meta_data })
    expect(await it.handedOver()).toHaveLength(before)
  })
})

test.each([
  ['people of the shop gave all of it back', 'Out of business', 1],
  ['all of it was refunded because the store declined it', 'Not available: 1 × T-shirt [0f3a9c41d2e8]', 0],
])('When %s, then it is cancelled so many times', async (_, reason, times) => {
  await using it = await startConnected()
  const { id } = await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO })
  await askShop(it.shop, 'POST', `/orders/${id}/refunds`, { amount: '349.00', reason, api_refund: false })
  expect(it.shop.orders()).toMatchObject([{ status: 'refunded' }])
  expect((await it.handedOver()).filter(({ resource }) => resource === 'cancellations')).toHaveLength(times)
})

describe('an order that no store has to do with', () => {
  test('When it is completed, then it is a sale whose payment is what its lines add up to', async () => {
    await using it = await startConnected({}, { taxes: VAT })
    const { id } = await it.shop.placeOrder({
      lines: [{ ...SHIRT, quantity: 2 }, { sku: 'JACKET-L' }],
      shipping: { method: 'flat_rate', cost: '79.20' },
    })
    expect(await it.handedOver()).toEqual([])
    await it.shop.setStatus(id, 'completed')
    const [item] = await it.handedOver()
    expect(item).toMatchObject({
      resource: 'sales',
      key: expect.stringMatching(/\/completed$/),
      completedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      value: {
        orderNo: String(id),
        country: 'NO',
        customer: { extId: 'kari@example.com', email: 'kari@example.com' },
        salesLines: [
          { identity: '7090012340011', price: '349', qty: '2' },
          { identity: '7090012340035', price: '1200', qty: '1' },
        ],
        paymentLines: [{ amount: '1898', paymentType: 99 }],
      },
    })
    expect(faultsOf(sales, item)).toEqual([])
  })

  test('When there is an article for shipping, then it is a line, and the payment is the whole', async () => {
    await using it = await startConnected({ freightGtin: '9990000000017' }, { taxes: VAT })
    const account = await it.ports.customers.upsert?.(
      { customerId: '7', extId: null, email: 'kari@example.com', firstName: null, lastName: null } as never,
      { key: 'k', previous: 'none', firstTriedAt: null, signal: AbortSignal.timeout(5_000), links: async () => [] },
    )
    const customerId = Number(account?.links?.[0]?.theirId)
    const { id, total } = await it.shop.placeOrder({
      customerId,
      lines: [{ ...SHIRT, quantity: 1 }],
      shipping: { method: 'flat_rate', cost: '79.20' },
    })
    await it.shop.setStatus(id, 'completed')
    const item = (await it.handedOver()).find(({ resource }) => resource === 'sales')
    expect(total).toBe('448.00')
    expect(item?.value).toMatchObject({
      customer: { extId: String(customerId) },
      salesLines: [{ price: '349' }, { identity: '9990000000017', price: '99', qty: '1' }],
      paymentLines: [{ amount: '448' }],
    })
    expect(faultsOf(sales, item)).toEqual([])
  })

  test('When it was sold at a POS, then it comes back neither as an order nor as a sale', async () => {
    await using it = await startConnected()
    const meta = { _tillbridge_key: 'A:1:f:p' }
    const pickup = await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO, meta })
    const mail = await it.shop.placeOrder({ lines: [SHIRT], meta })
    for (const { id } of [pickup, mail]) await it.shop.setStatus(id, 'completed')
    expect(await it.handedOver()).toEqual([])
  })

  test('When a basket of a POS was paid online, then it is a sale', async () => {
    await using it = await startConnected()
    const meta = { _tillbridge_key: 'A:1:f:p', _tillbridge_draft: 'yes' }
    const { id } = await it.shop.placeOrder({ lines: [SHIRT], meta })
    expect(await it.handedOver()).toEqual([])
    await it.shop.setStatus(id, 'completed')
    expect(await it.handedOver()).toMatchObject([{ resource: 'sales' }])
  })
})

describe('a webhook', () => {
  test('When a customer registers, then it is a customer; people of the staff are not', async () => {
    await using it = await startConnected()
    const body = { email: 'ola@example.com', first_name: 'Ola', billing: { phone: '40 61 23 45', country: 'NO' } }
    const { id } = (await askShop(it.shop, 'POST', '/customers', body)) as { id: number }
    const [item] = await it.handedOver()
    expect(item).toMatchObject({
      resource: 'customers',
      value: { extId: String(id), email: 'ola@example.com', phone: '40612345', phoneCountryPrefix: '47' },
    })
    const boss = it.shop.addManager('boss@example.com')
    await askShop(it.shop, 'PUT', `/customers/${boss.id}`, { first_name: 'Boss' })
    expect(await it.handedOver()).toHaveLength(1)
  })

  test('When one byte of it is another, or its secret, then it is nobody', async () => {
    await using it = await startConnected()
    await it.shop.placeOrder({ lastName: 'Ærø/Øy', lines: [SHIRT] })
    await it.handedOver()
    const [request] = it.came
    if (!request) throw new Error('No webhook came.')
    expect(Buffer.from(request.body).toString()).toContain('\\u00c6r\\u00f8\\/\\u00d8y')
    expect(it.intake.verify?.(request)).toBe(true)
    const changed = Uint8Array.from(request.body)
    changed[10] = (changed[10] ?? 0) ^ 1
    expect(it.intake.verify?.({ ...request, body: changed })).toBe(false)
    const { 'x-wc-webhook-signature': _, ...unsigned } = request.headers
    expect(it.intake.verify?.({ ...request, headers: unsigned })).toBe(false)
    await using other = await startConnected({ webhookSecret: 'another secret' })
    expect(other.intake.verify?.(request)).toBe(false)
  })

  test('When the shop pings, then it is known for a ping, and not for the shop; a topic makes it none', async () => {
    await using it = await startConnected()
    expect(await it.shop.pingWebhook()).toBe(200)
    const [ping] = it.came
    if (!ping) throw new Error('No ping came.')
    expect([it.intake.isPing?.(ping), it.intake.verify?.(ping)]).toEqual([true, false])
    const headers = { ...ping.headers, 'x-wc-webhook-topic': 'order.deleted' }
    expect(it.intake.isPing?.({ ...ping, headers })).toBe(false)
  })

  test('When it is no order, then the error says which fields, and not what was in them', async () => {
    await using it = await startConnected()
    const body = Buffer.from(JSON.stringify({ id: 1, total: 'Kari Nordmann' }))
    const request = { headers: { 'x-wc-webhook-topic': 'order.updated' }, query: {}, body }
    const failure = await Promise.resolve(it.intake.read?.(request)).catch(String)
    expect(failure).toMatch(/order\.updated is not as WooCommerce sends it: .*total/)
    expect(failure).not.toMatch(/Kari/)
    expect(await it.intake.read?.({ ...request, headers: { 'x-wc-webhook-topic': 'product.updated' } })).toEqual([])
  })

  test('When config has no secret, then no webhook is taken, and the shop is asked only where config says so', () => {
    const create = (given: Record<string, unknown>) => adapterAt('http://127.0.0.1:1', given).intake
    expect(create({})).toBeUndefined()
    expect(Object.keys(create({ poll: true }) ?? {})).toEqual(['poll'])
    expect(Object.keys(create({ webhookSecret: 'a long secret', poll: false }) ?? {})).toEqual([
      'isPing',
      'verify',
      'read',
    ])
  })
})

describe('a topic that the shop did not sign', () => {
  /** What is made of a body that the shop signed, under any topic: its items, or why it cannot be read. */
  async function read({ intake }: ConnectedShop, topic: string, body: object | Uint8Array) {
    const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body))
    const signature = createHmac('sha256', SECRET).update(bytes).digest('base64')
    const headers = {
      'x-wc-webhook-topic': topic,
      'x-wc-webhook-signature': signature,
      'x-wc-webhook-delivery-id': 'd-1',
    }
    const request: IntakeRequest = { headers, query: {}, body: bytes }
    expect(intake.verify?.(request)).toBe(true)
    return await Promise.resolve(intake.read?.(request)).catch(String)
  }

  test('When a signed order is sent again as a deleted one, then nothing is cancelled', async () => {
    await using it = await startConnected()
    await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO })
    await it.handedOver()
    const [{ body = new Uint8Array() } = {}] = it.came
    expect(await read(it, 'order.deleted', body)).toMatch(/order\.deleted is not as WooCommerce sends it/)
  })

  test('When it is sent again as an account, then nobody else’s account becomes its buyer’s', async () => {
    await using it = await startConnected()
    await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO })
    await it.handedOver()
    const [{ body = new Uint8Array() } = {}] = it.came
    expect(await read(it, 'customer.updated', body)).toMatch(/customer\.updated is not as WooCommerce sends it: role/)
  })

  test('When the id of a deleted account is sent as that of an order, then the order is what the shop says that it is', async () => {
    await using it = await startConnected()
    const { id } = await it.shop.placeOrder({ lines: [SHIRT], shipping: AT_OSLO })
    const [taken] = await it.handedOver()
    expect(await read(it, 'order.deleted', { id })).toEqual([taken])
  })

  test('When the shop has no such order, then it is cancelled', async () => {
    await using it = await startConnected()
    expect(await read(it, 'order.deleted', { id: 4711 })).toEqual([
      {
        resource: 'cancellations',
        key: 'order/4711/d-1/deleted',
        theirId: '4711',
        place: null,
        value: { orderNo: '4711' },
      },
    ])
  })

  test('When the shop cannot be asked, or something else answers 404, then it is kept for a person and not believed', async () => {
    await using it = await startConnected()
    await it.shop.faults.down(true)
    expect(await read(it, 'order.deleted', { id: 4711 })).toMatchObject([
      {
        resource: 'cancellations',
        faults: [expect.stringMatching(/^whether order 4711 is deleted could not be asked \(/)],
      },
    ])
    await using elsewhere = await startConnected({ url: `${it.shop.url}/blog` })
    await it.shop.faults.down(false)
    expect(await read(elsewhere, 'order.deleted', { id: 4711 })).toMatchObject([
      { faults: [expect.stringContaining('404')] },
    ])
  })
})

/*
 * The answer of WooCommerce rounds what a line costs and its tax each by itself, to the decimals that the shop shows
 * (`get_order_item_data` in class-wc-rest-orders-v2-controller.php; issues 8328, 10121 and 25720; read 2026-11-26), while `price` and
 * `taxes` are told as they are. With "Round tax at subtotal level" both halves of a line may be rounded up.
 */

interface Said {
  quantity: number
  total: string
  total_tax: string
  price: number
  tax: string
}

/** The goods of a sale of one line, as a shop says it whose settings round so. */
async function soldLine(it: ConnectedShop, { tax, ...said }: Said, total: string) {
  const { id } = await it.shop.placeOrder({ lines: [SHIRT] })
  await it.shop.setStatus(id, 'completed')
  await it.handedOver()
  const request = it.came.at(-1)
  if (!request) throw new Error('No webhook came.')
  const order = JSON.parse(Buffer.from(request.body).toString())
  Object.assign(order, { total })
  Object.assign(order.line_items[0], { ...said, taxes: [{ id: 1, total: tax, subtotal: tax }] })
  const body = Buffer.from(JSON.stringify(order))
  return (await it.intake.read?.({ ...request, body }))?.[0]?.value
}

const CASES: [string, Said, string, object[]][] = [
  [
    'no decimals, and tax rounded at the subtotal',
    { quantity: 3, total: '38', total_tax: '5', price: 12.5, tax: '4.5' },
    '42',
    [{ price: '14', qty: '3' }],
  ],
  [
    'no decimals, and tax rounded in each line',
    { quantity: 3, total: '38', total_tax: '4', price: 12.5, tax: '4.5' },
    '42',
    [{ price: '14', qty: '3' }],
  ],
  [
    'decimals, and tax rounded at the subtotal',
    { quantity: 1, total: '44.63', total_tax: '5.36', price: 44.625, tax: '5.355' },
    '49.98',
    [{ price: '49.98', qty: '1' }],
  ],
  [
    'prices without tax, and a tax rounded up in its line',
    { quantity: 3, total: '10', total_tax: '3', price: 3.3333333333333335, tax: '2.5' },
    '13',
    [
      { price: '4.33', qty: '2' },
      { price: '4.34', qty: '1' },
    ],
  ],
]

test.each(CASES)('When a shop has %s, then its lines cost what the customer paid', async (_, said, total, lines) => {
  await using it = await startConnected()
  const sale = await soldLine(it, said, total)
  expect(sale).toMatchObject({ salesLines: lines, paymentLines: [{ amount: total }] })
})

test('When a plugin says another tax than the rates make, then that is the tax', async () => {
  await using it = await startConnected()
  const said = { quantity: 1, total: '80.00', total_tax: '0.00', price: 80, tax: '20' }
  expect(await soldLine(it, said, '80.00')).toMatchObject({ salesLines: [{ price: '80' }] })
})
