import { expect, test } from 'vitest'
import { type Fault, startShop } from '../../src/sandbox/shop/shop.ts'
import { createTestClock } from '../clock.ts'
import { middle, SECOND, untilDelivery } from '../delivery/kit.ts'
import { endlessAisle, saleLine } from '../fixtures/payloads.ts'
import { startTestHub } from '../hub.ts'
import { KEY } from './woocommerce-shop.ts'

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
