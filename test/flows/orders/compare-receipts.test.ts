import { expect, test } from 'vitest'
import { createTestClock } from '../../clock.ts'
import { endlessAisle, saleLine, store as storeOf } from '../../fixtures/payloads.ts'
import { compare, thereOf } from '../days/compare-kit.ts'
import { openStorage } from '../days/open-store.ts'

/* Each store has a POS 1 that counts its receipts 1, 2, 3: two orders of POS may go by one number. */

test.each([
  ['receipt', { orderNo: null, receiptNo: '2' }],
  ['order', { orderNo: 'EA-2', receiptNo: '2' }],
])(
  'When POS of two stores place an order under one number of the %s, then neither is there twice, and a lost one is a gap',
  async (_, numbered) => {
    const clock = createTestClock()
    await using storage = await openStorage({ clock, platform: { trustWebhooks: true } })
    const { hub, shop, quiet } = storage
    await hub.admin('jobs/stores/run', {})
    const orderLines = [saleLine({ shipFromOnlineStore: true })]
    for (const storeExtId of ['101', '102']) {
      const payload = endlessAisle({ ...numbered, orderLines, store: storeOf({ storeExtId, posId: 1 }) })
      await hub.post('OmniChannelEndlessAisleOrderCreated', payload, { eventId: `of-${storeExtId}` })
    }
    await quiet()
    expect(shop.orders()).toHaveLength(2)
    expect(await compare({ hub, clock })).toEqual([])
    expect(await thereOf(storage, 'shop')).toMatchObject({ days: [{ given: 2, there: 2, unknown: 0 }] })

    shop.trash(shop.orders()[0]?.id ?? 0)
    const [gap, ...others] = await compare({ hub, clock })
    expect(others).toEqual([])
    expect(gap).toMatchObject({ cause: 'not-there', evidence: { destination: { there: 'in the trash' } } })
  },
)
