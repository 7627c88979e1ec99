import { describe, expect, test } from 'vitest'
import { UnfinishedLookError } from '../../../src/domain/values/errors.ts'
import { money, parseDecimal } from '../../../src/domain/values/money.ts'
import type { LevelPage } from '../../../src/ports/ports.ts'
import { look } from '../../../test/adapters/checked.ts'
import { adapterContract } from '../../../test/adapters/contract.ts'
import { type HttpScript, httpTransport, startHttpPeer } from '../../../test/adapters/http-peer.ts'
import type { Situation } from '../../../test/adapters/peer.ts'
import { createTestClock } from '../../../test/clock.ts'
import { type Given, orderUpdate, refundUpdate } from '../../../test/fixtures/payloads.ts'
import { startTestHub } from '../../../test/hub.ts'
import type { Article } from '../../../test/peers/vendure-stand-in/books.ts'
import { middle, SECOND, untilDelivery } from '../../../test/queue/kit/kit.ts'
import vendure from '../src/vendure.ts'
import { vendureFailureStories } from './failure-stories.ts'
import {
  ADMINISTRATOR,
  adapterAt,
  attemptOf,
  callOf,
  createKit,
  GOODS,
  make,
  optionsFor,
  orderOf,
  type StandInShop,
  startStandIn,
  theirId,
} from './kit.ts'
import { vendureStories } from './stories.ts'

const KEY = 'an-api-key-of-the-tests'
const [TEE] = GOODS
const PICKUP = { lines: [{ sku: TEE.sku, quantity: 1 }], shipping: 'pickup' as const, store: 'oslo' }

/** An order of nothing that is paid already: one request makes it. */
const order = {
  ...{ id: '1', code: 'A1B2', state: 'PaymentSettled', currencyCode: 'NOK', totalWithTax: 0, shippingWithTax: 0 },
  ...{ createdAt: '2026-11-21T12:00:00.000Z', updatedAt: '2026-11-21T12:00:00.000Z', orderPlacedAt: null },
  ...{ customer: null, shippingAddress: null, billingAddress: null, payments: [], fulfillments: [], customFields: {} },
  ...{ lines: [], surcharges: [], shippingLines: [], history: { items: [] } },
}

adapterContract({
  adapter: vendure,
  transport: {
    ...httpTransport,
    accept: { status: 200, body: JSON.stringify({ data: { createDraftOrder: order } }) },
    situations: httpTransport.situations.map(withoutOrder),
  },
  options: (url) => ({ url, apiKey: KEY, channelToken: 'a-channel-of-the-tests' }),
  badOptions: [
    { key: 'url', why: 'is missing', value: undefined },
    { key: 'url', why: 'is no URL', value: 'shop.example.com' },
    { key: 'url', why: 'has a user and a password', value: 'https://me:secret@shop.example.com/admin-api' },
    { key: 'url', why: 'has a query', value: 'https://shop.example.com/admin-api?token=1' },
    { key: 'url', why: 'is link-local', value: 'http://169.254.169.254/' },
    { key: 'apiKey', why: 'is missing', value: undefined },
    { key: 'apiKey', why: 'is too short to be hidden', value: 'short' },
    { key: 'apiKey', why: 'has a line break', value: 'an-api-key-of-the-tests\n' },
    { key: 'username', why: 'is given besides apiKey', value: 'somebody' },
    { key: 'password', why: 'is given besides apiKey', value: 'a-password' },
    { key: 'gtinField', why: 'is no name', value: 'gtin } secrets {' },
    { key: 'guestEmail', why: 'is no address', value: 'none' },
  ],
  act: (ports, attempt) =>
    ports.orders?.create?.({ ...orderOf('A1'), lines: [], total: money(0, 'NOK') }, attempt) ?? Promise.reject(),
  secrets: [KEY, 'a-channel-of-the-tests', 'kari.nordmann@example.com', 'Nordmann'],
  keyOf: () => undefined,
  skip: [
    {
      reason: 'a draft order is empty at first and gets the key by the second request: see the stories of lost answers',
      tests: ['When an attempt is repeated, then the other side sees the same key, and another one for another'],
    },
  ],
})

vendureStories("the sandbox's stand-in", startStandIn)
vendureFailureStories("the sandbox's stand-in", startStandIn)

test('When one page of many orders cannot be read, then the next look goes on near it, and finds what it looks for', async () => {
  await using shop = await startStandIn()
  await using kit = await createKit(shop)
  const attempt = attemptOf()
  await kit.orders.create(orderOf('EA-0'), attemptOf())
  for (let no = 0; no < 160; no += 1) await shop.place({ lines: [{ sku: GOODS[1].sku, quantity: 1 }] })
  const made = await kit.orders.create(orderOf('EA-1'), attempt)
  const again = { ...attempt, previous: 'open' as const, firstTriedAt: Date.now() - 60_000 }
  const find = () => kit.orders.find(again, { port: 'orders', method: 'create', argument: orderOf('EA-1') })
  const asked = async () => {
    const before = kit.proxy.asked.length
    expect((await find())?.links).toEqual(made.links)
    return kit.proxy.asked.length - before
  }
  kit.proxy.lose('"skip":150')
  await expect(find()).rejects.toThrow(UnfinishedLookError)
  const goneOn = await asked()
  // Two pages of four, as the one before the lost one is read again.
  expect((await asked()) - goneOn).toBe(2)
})

test('When a payment never came to be and the order expires, then nobody is asked to release what was not reserved', async () => {
  await using shop = await startStandIn()
  await using kit = await createKit(shop)
  const { id, code } = await shop.place(PICKUP)
  const order = shop.standIn.orders().find((one) => one.id === id)
  const [paid] = order?.payments ?? []
  if (!order || !paid) throw new Error('The order has no payment.')
  order.payments.unshift({ ...paid, id: '9999', state: 'Error' })
  const data = { paymentId: 9999, from: 'Created', to: 'Error' }
  order.entries.push({ type: 'ORDER_PAYMENT_TRANSITION', isPublic: true, data })
  // The payment service knows nothing of it, so that it would refuse.
  await make(kit, callOf.expire({ code }))
  expect((await kit.order(id)).payments.map(({ state }) => state)).toEqual(['Error', 'Cancelled'])
})

describe('the session of the adapter vendure', () => {
  test('When it has run out, then it is begun again, and nothing is lost or done twice', async () => {
    await using shop = await startStandIn()
    await using kit = await createKit(shop)
    const attempt = attemptOf()
    await kit.orders.create(orderOf('EA-1'), attempt)
    shop.standIn.endSessions()
    const effect = await kit.orders.create(orderOf('EA-2'), attemptOf())
    expect(await kit.order(theirId(effect))).toMatchObject({ state: 'PaymentSettled', totalWithTax: 34_900 })
    expect(await shop.orders()).toHaveLength(2)
  })

  test('When the password is wrong, then it says so, once, and shows none', async () => {
    await using shop = await startStandIn()
    const options = vendure.options.parse(optionsFor(shop.url, { password: 'another-password' }))
    await using instance = vendure.create(options, { destination: 'shop', timeout: 5_000, concurrency: 1 })
    const search = instance.ports.orders?.search?.('A1', { signal: new AbortController().signal })
    await expect(search).rejects.toMatchObject({ code: 'login-refused' })
    await expect(search).rejects.not.toThrow(/another-password|of-the-tests-only/)
    expect(ADMINISTRATOR.password).not.toBe('another-password')
  })
})

/** A success is one only with an order in it. */
function withoutOrder(situation: Situation<HttpScript>): Situation<HttpScript> {
  return situation.expected === 'delivered' ? { ...situation, expected: 'unknown' } : situation
}

test('When an order says that it was changed in a year to come, then those that change afterwards are found', async () => {
  await using shop = await startStandIn()
  await using kit = await createKit(shop)
  const question = { signal: AbortSignal.timeout(20_000) }
  const { cursor } = await kit.poll(null, question)
  const first = await shop.place(PICKUP)
  for (const order of shop.standIn.orders()) order.updatedAt = '9999-12-31T23:59:59.000Z'
  const page = await kit.poll(cursor, question)
  expect(page.items).toMatchObject([{ value: { orderNo: first.code } }])
  const second = await shop.place(PICKUP)
  for (const kept of [page.cursor, '2099-01-01T00:00:00.000Z']) {
    const { items } = await kit.poll(kept, question)
    expect(items.map(({ value }) => value.orderNo)).toEqual([second.code, first.code])
  }
})

/*
 * Vendure splits the order of a shop with several sellers: it copies its lines into an order of each, in the seller's channel and the
 * default one, and keeps the whole as `Aggregate` (order-splitter.ts, read 2026-11-26).
 */
test('When an order was split among sellers, then the orders of the sellers are taken, and not the whole besides', async () => {
  await using shop = await startStandIn()
  await using kit = await createKit(shop)
  const whole = await shop.place({
    ...PICKUP,
    lines: [
      { sku: TEE.sku, quantity: 1 },
      { sku: GOODS[1].sku, quantity: 1 },
    ],
  })
  const sellers = [
    await shop.place(PICKUP),
    await shop.place({ ...PICKUP, lines: [{ sku: GOODS[1].sku, quantity: 1 }] }),
  ]
  for (const order of shop.standIn.orders()) order.type = order.id === whole.id ? 'Aggregate' : 'Seller'
  const { items } = await kit.poll(null, { signal: AbortSignal.timeout(20_000) })
  expect(items.map(({ value }) => value.orderNo)).toEqual(sellers.map(({ code }) => code))
})

/*
 * Vendure rounds the price of one piece, and that of the line from what it was before (order-line.entity.ts, proratedUnitPriceWithTax
 * and proratedLinePriceWithTax, read 2026-11-26): three for 200.00 are 66.67 each.
 */

/** An order of three pieces, delivered and paid by card, of which the line costs so much. */
async function delivered(shop: StandInShop, proratedLinePriceWithTax: number) {
  const { id, code } = await shop.place({ lines: [{ sku: TEE.sku, quantity: 3 }] })
  const order = shop.standIn.orders().find((one) => one.id === id)
  const [line, payment] = [order?.lines[0], order?.payments[0]]
  if (!order || !line || !payment) throw new Error('There is no such order.')
  order.lines = [
    { ...line, proratedUnitPriceWithTax: Math.round(proratedLinePriceWithTax / 3), proratedLinePriceWithTax },
  ]
  Object.assign(payment, { state: 'Settled', amount: proratedLinePriceWithTax })
  order.state = 'Delivered'
  return { code, payment }
}

test('When a line does not divide into coins, then its sale is what was paid, to the coin', async () => {
  await using shop = await startStandIn()
  await using kit = await createKit(shop)
  const { code } = await delivered(shop, 10_000)
  const { items } = await kit.poll(null, { signal: AbortSignal.timeout(20_000) })
  expect(items).toMatchObject([
    {
      resource: 'sales',
      value: {
        orderNo: code,
        salesLines: [
          { identity: TEE.gtin, price: '33.33', qty: '2' },
          { identity: TEE.gtin, price: '33.34', qty: '1' },
        ],
        paymentLines: [{ amount: '100' }],
      },
    },
  ])
})

test('When all pieces of such a line come back, one after the other, then what was paid is refunded, and no step is refused', async () => {
  await using shop = await startStandIn()
  await using kit = await createKit(shop)
  const { code, payment } = await delivered(shop, 20_000)
  const comesBack = (id: string) => make(kit, callOf.refund({ code }, { id }))
  for (const id of ['R-1', 'R-2', 'R-3']) await comesBack(id)
  expect(payment.refunds.map(({ total }) => total)).toEqual([6_667, 6_667, 6_666])
  // A fourth is one too many.
  await expect(comesBack('R-4')).rejects.toMatchObject({ code: 'nothing-to-refund' })
})

/** A hub with a shop in which a pickup order lies. */
async function startWithOrder() {
  const open = new AsyncDisposableStack()
  const shop = open.use(await startStandIn())
  const kit = open.use(await createKit(shop))
  const clock = createTestClock()
  const destinations = { shop: { adapter: 'vendure', ...optionsFor(kit.proxy.url) } }
  const hub = open.use(await startTestHub({ destinations, clock, random: middle }))
  const order = await shop.place(PICKUP)
  return { kit, hub, clock, order, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

test('When a refund was cut off and the store pays at the POS instead, then the shop does not pay a second time', async () => {
  await using world = await startWithOrder()
  const { kit, hub, clock, order } = world
  await make(kit, callOf.collected(order))
  const returned = refundUpdate({ orderNo: order.code, isRefunded: false })
  kit.proxy.cut('{ refundOrder(')
  await hub.post('OmniChannelOrderRefundUpdated', returned)
  await untilDelivery(hub, 1, ({ attempts, state }) => attempts.length === 1 && state === 'waiting')
  await hub.post('OmniChannelOrderRefundUpdated', refundUpdate({ orderNo: order.code, isRefunded: true }))
  clock.advance(60 * SECOND)
  const { flow, code } = await untilDelivery(hub, 1, ({ state }) => state === 'superseded')
  expect([flow, code]).toEqual(['refund-goods', 'invalidated'])
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
  expect((await kit.order(order.id)).payments).toMatchObject([{ state: 'Settled', refunds: [] }])
})

test('When a message was cut off and the order is collected meanwhile, then the customer is not told to come', async () => {
  await using world = await startWithOrder()
  const { kit, hub, clock, order } = world
  kit.proxy.cut('{ addNoteToOrder(')
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: order.code, status: 'Picked' }))
  await untilDelivery(hub, 1, ({ attempts, state }) => attempts.length === 1 && state === 'waiting')
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: order.code, status: 'Shipped' }))
  clock.advance(60 * SECOND)
  await untilDelivery(hub, 1, ({ state }) => state === 'superseded')
  const { history } = await kit.order(order.id)
  expect(history.items.filter(({ type }) => type === 'ORDER_NOTE')).toEqual([])
})

const SECRETS = [ADMINISTRATOR.password, 'a-key-of-somebody-else']

test('When all is right, then it says so of each thing, by session and by API key', async () => {
  await using shop = await startStandIn()
  await using bySession = adapterAt(shop.url)
  await using byKey = adapterAt(shop.url, { apiKey: shop.apiKey })
  const all = ['connection: ok', 'credentials: ok', 'channel: ok', 'rights: ok', 'version: ok', 'clock: ok']
  expect((await look(bySession)).states).toEqual(all)
  expect((await look(byKey, { secrets: [shop.apiKey] })).states).toEqual(all.with(3, 'rights: note'))
  expect(await shop.orders()).toEqual([])
})

test('When the shop does not know who asks, then that is said, and not that a right is lacking', async () => {
  await using shop = await startStandIn()
  await using stranger = adapterAt(shop.url, { password: 'of-somebody-else' })
  await using foreignKey = adapterAt(shop.url, { apiKey: 'a-key-of-somebody-else' })
  for (const instance of [stranger, foreignKey]) {
    const { states, about } = await look(instance, { secrets: [...SECRETS, 'of-somebody-else'] })
    expect(states).toEqual(['credentials: problem'])
    expect(about('credentials')).toMatch(/^It refuses our key or password/)
  }
})

test('When the role lacks rights, then each is named', async () => {
  const permissions = ['ReadOrder', 'CreateOrder', 'UpdateOrder', 'ReadPaymentMethod', 'ReadCatalog', 'ReadCustomer']
  await using shop = await startStandIn({ permissions })
  await using instance = adapterAt(shop.url)
  const { states, about } = await look(instance)
  expect(states).toContain('rights: problem')
  expect(about('rights')).toMatch(
    /our role lacks DeleteOrder, UpdateCatalog, CreateCustomer, UpdateCustomer, DeleteCustomer\. give the/,
  )
})

test('When config names a channel or a field that the shop does not have, then that is said', async () => {
  await using shop = await startStandIn()
  await using elsewhere = adapterAt(shop.url, { channelToken: 'no-such-channel' })
  await using misnamed = adapterAt(shop.url, { gtinField: 'ean' })
  expect((await look(elsewhere, { secrets: ['no-such-channel'] })).about('channel')).toMatch(
    /^It does not have what config names there .*CHANNEL_NOT_FOUND.*correct the name in config/,
  )
  const { states, about } = await look(misnamed)
  expect(states).toContain('version: problem')
  expect(about('version')).toMatch(/a custom field of config \(ean, posNumber, pickupStore\) is not there/)
})

test('When nobody answers, then the connection is the problem', async () => {
  await using instance = adapterAt('http://127.0.0.1:1/admin-api')
  expect((await look(instance, { secrets: SECRETS })).states).toEqual(['connection: problem'])
})

const signal = new AbortController().signal

/** The adapter, and what it reads of the shop at this address. */
function reader(url: string, given: Given = {}) {
  const instance = adapterAt(url, given)
  const { readLevels: read, setLevels } = instance.ports.stock ?? {}
  if (!read || !setLevels) throw new Error('The adapter lacks a method.')
  return { read, setLevels, [Symbol.asyncDispose]: () => instance[Symbol.asyncDispose]() }
}

async function startReading(articles: readonly Partial<Article>[]) {
  const shop = await startStandIn({
    articles: articles.map((article, index) => {
      return { sku: `S-${index}`, gtin: null, name: `No. ${index}`, price: 100, stock: index, ...article }
    }),
  })
  const it = reader(shop.url)
  return {
    ...it,
    shop: shop.standIn,
    async [Symbol.asyncDispose]() {
      await it[Symbol.asyncDispose]()
      await shop[Symbol.asyncDispose]()
    },
  }
}

test('When a location is read, by its name or its id, then its own levels come, by SKU and the field of the GTIN', async () => {
  await using it = await startReading([
    { sku: 'TEE', gtin: '7090012340011', stock: 50 },
    { sku: 'CAP', stock: 3 },
  ])
  const level = { location: 'Oslo City', gtin: '7090012340011', sku: null, level: parseDecimal('7.9') }
  await it.setLevels([{ argument: level, attempt: attemptOf() }])
  const [first, second] = it.shop.locations()
  const expected = (tee: string, cap: string): LevelPage => ({
    levels: [
      { gtin: '7090012340011', sku: 'TEE', level: parseDecimal(tee) },
      { gtin: null, sku: 'CAP', level: parseDecimal(cap) },
    ],
    next: null,
  })
  expect(await it.read('Default Stock Location', null, { signal })).toEqual(expected('50', '3'))
  expect(await it.read('Oslo City', null, { signal })).toEqual(expected('7', '0'))
  expect(await it.read(first?.id ?? '', null, { signal })).toEqual(expected('50', '3'))
  expect(await it.read(second?.id ?? '', null, { signal })).toEqual(expected('7', '0'))
})

test('When variants are not counted, by themselves or by the settings of the shop, then they are left out', async () => {
  await using it = await startReading([
    { sku: 'ALWAYS', trackInventory: 'TRUE' },
    { sku: 'NEVER', trackInventory: 'FALSE' },
    { sku: 'AS-USUAL', trackInventory: 'INHERIT' },
  ])
  const skus = async () => (await it.read('Oslo City', null, { signal })).levels.map(({ sku }) => sku)
  expect(await skus()).toEqual(['ALWAYS', 'AS-USUAL'])
  it.shop.settings.trackInventory = false
  expect(await skus()).toEqual(['ALWAYS'])
})

test('When there are more than a page, then all come once, in pages', async () => {
  await using it = await startReading(Array.from({ length: 230 }, () => ({})))
  const pages: LevelPage[] = []
  for (const page of [null, '100', '200']) pages.push(await it.read('Default Stock Location', page, { signal }))
  expect(pages.map(({ next }) => next)).toEqual(['100', '200', null])
  const read = pages.flatMap(({ levels }) => levels.map(({ sku, level }) => `${sku}: ${level}`))
  expect(read).toEqual(Array.from({ length: 230 }, (_, index) => `S-${index}: ${index}`))
})

test('When the shop has no such location, then it says so, as when levels are told', async () => {
  await using it = await startReading([{}])
  await expect(it.read('Nowhere', null, { signal })).rejects.toMatchObject({
    name: 'PermanentError',
    code: 'no-stock-location',
    message: expect.stringContaining('Nowhere'),
  })
})

test.each([
  [{ status: 503 }, { name: 'RetryLaterError', scope: 'destination' }],
  ['close', { name: 'RetryLaterError' }],
  [
    { status: 200, body: '<html>' },
    { name: 'RetryLaterError', code: 'unreadable-answer' },
  ],
  [
    { status: 200, body: '{"data":{"stockLocations":{}}}' },
    { name: 'RetryLaterError', code: 'unreadable-answer' },
  ],
  [
    { status: 200, body: '{"errors":[{"extensions":{"code":"FORBIDDEN"}}]}' },
    { name: 'PermanentError', code: 'vendure-forbidden', message: expect.stringContaining('our role lacks a right') },
  ],
] as const)('When the answer is %j, then it throws as for any read', async (script, expected) => {
  await using peer = await startHttpPeer()
  peer.play(script)
  await using it = reader(peer.address, { apiKey: 'an-api-key-of-the-tests' })
  await expect(it.read('Oslo City', null, { signal })).rejects.toMatchObject(expected)
})
