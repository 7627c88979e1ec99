import { expect, test } from 'vitest'
import { type Fault, startShop } from '../../../sandbox/shop/shop.ts'
import { createTestClock } from '../../clock.ts'
import { endlessAisle, orderUpdate, refundUpdate, saleLine, shippedOrderUpdate } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { middle, SECOND, untilDelivery } from '../../queue/kit/kit.ts'
import { KEY, place } from './kit.ts'

const troubles: [Fault, 'POST' | 'PUT', number][] = [
  ['drop-before', 'POST', 2],
  ['drop-answer', 'POST', 2],
  ['error-500-after-save', 'POST', 2],
  ['error-503', 'PUT', 2],
  ['drop-answer', 'PUT', 2],
  ['error-500-before', 'PUT', 2],
]

test.each(troubles)(
  'When a hub meets %s of a %s, then the shop has the order once, paid, and the hub its number',
  async (fault, method, attempts) => {
    const clock = createTestClock()
    const products = [{ name: 'T-shirt', sku: 'TEE-BLK-M', price: '349' }]
    await using shop = await startShop({ ...KEY, products })
    await using hub = await startTestHub({
      destinations: { shop: { adapter: 'woocommerce', url: shop.url, ...KEY } },
      clock,
      random: middle,
    })
    shop.faults.next(fault, { method })
    const order = endlessAisle({ orderLines: [saleLine({ shipFromOnlineStore: true })] })
    await hub.post('OmniChannelEndlessAisleOrderCreated', order)
    await untilDelivery(hub, 1, (delivery) => delivery.attempts.length === 1 && delivery.state === 'waiting')
    // An uncertain one is asked for when it must have landed: after twice the time of a call.
    clock.advance(60 * SECOND)
    const delivery = await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
    expect(delivery.attempts).toHaveLength(attempts)
    expect(shop.orders()).toMatchObject([{ status: 'processing', total: '349.00', datePaid: expect.any(String) }])
    expect(delivery.attempts.at(-1)?.note).toContain(`order ${shop.orders()[0]?.number}, 1 line, 349.00 NOK`)
  },
)

const stories: [string, Fault, 'POST' | 'PUT', string, (number: string) => object, object][] = [
  ['a refund', 'drop-answer', 'POST', 'OmniChannelOrderRefundUpdated', refundOf, { refunds: [{ paidBack: true }] }],
  ['a refund', 'drop-before', 'POST', 'OmniChannelOrderRefundUpdated', refundOf, { refunds: [{ paidBack: true }] }],
  ['a pickup', 'drop-before', 'PUT', 'OmniChannelOrderUpdated', shippedOf, { status: 'completed', refunds: [] }],
  ['a parcel', 'drop-answer', 'POST', 'OmniChannelOrderUpdated', parcelOf, { status: 'processing', refunds: [] }],
]

test.each(stories)(
  'When a hub tells the shop of %s and meets %s of a %s, then the shop has it once',
  async (_, fault, method, kind, payload, expected) => {
    const clock = createTestClock()
    const products = [{ id: 11, name: 'T-shirt', globalUniqueId: '7090012340011', price: '349' }]
    await using shop = await startShop({ ...KEY, products })
    const number = await place(shop)
    await using hub = await startTestHub({
      destinations: { shop: { adapter: 'woocommerce', url: shop.url, ...KEY } },
      clock,
      random: middle,
    })
    shop.faults.next(fault, { method })
    await hub.post(kind, payload(number))
    await untilDelivery(hub, 1, (delivery) => delivery.attempts.length === 1 && delivery.state === 'waiting')
    clock.advance(60 * SECOND)
    await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
    const [order] = shop.orders()
    expect(order).toMatchObject(expected)
    expect(order?.notes.filter((note) => note.startsWith('Parcel'))).toHaveLength(payload === parcelOf ? 1 : 0)
  },
)

function refundOf(orderNo: string) {
  return refundUpdate({ orderNo })
}

function shippedOf(orderNo: string) {
  return orderUpdate({ orderNo, status: 'Shipped' })
}

function parcelOf(orderNo: string) {
  return shippedOrderUpdate({ orderNo, status: 'Shipped' })
}

test('When somebody saves a webhook in the shop, then the shop is content with the answer to its ping', async () => {
  await using shop = await startShop(KEY)
  const webhookSecret = 'a secret that nobody guesses'
  await using hub = await startTestHub({
    destinations: { shop: { adapter: 'woocommerce', url: shop.url, ...KEY, webhookSecret } },
  })
  shop.sendWebhooksTo({ url: `${hub.url}/intake/shop`, secret: webhookSecret })
  // Anything else, 202 too, is an error to whoever saves it.
  expect(await shop.pingWebhook()).toBe(200)
})
