import { expect, test } from 'vitest'
import { startPlatform } from '../../../sandbox/platform/platform.ts'
import { createPlatform } from '../../../src/platform/create-platform.ts'

/* As in sandbox.test.ts: two readings of one spec check each other. */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const requestId = '8c1f3f5e-51f2-4b6e-9a3d-0f6f5b1f7a10'

test.each(['spec', 'frontsystems-v2'] as const)(
  'When the client speaks %s to the sandbox, then prices, levels and deliveries come back as they were sent',
  async (preset) => {
    await using sandbox = await startPlatform(KEYS)
    await using platform = createPlatform({ preset, baseUrl: sandbox.url, ...KEYS })
    const { prices, stock, deliveries } = platform
    const levels = (await stock.levels({ stockIds: ['12'] })).rows
    const [first, second] = levels
    if (!first || !second) throw new Error('The sandbox has too few levels.')
    const levelOf = async (gtin: string) =>
      (await stock.levels({ stockIds: ['12'] })).rows.find(({ id }) => id === gtin)

    const saved = await prices.saveList({
      name: 'Club',
      prices: [{ gtin: first.id, price: '99.90', validFrom: Date.UTC(2026, 10, 20), validTo: '2026-12-24' }],
    })
    expect(saved).toMatchObject({ name: 'Club', productCount: 1 })
    expect((await prices.lists()).rows).toContainEqual(expect.objectContaining({ id: saved?.id, name: 'Club' }))
    await prices.saveCosts({ currency: 'NOK', costPrices: [{ gtin: first.id, price: '41.25' }] })

    await stock.adjust({ stockId: '12', description: 'Counted', items: [{ gtin: first.id, quantity: '7' }] })
    expect(await levelOf(first.id)).toEqual({ id: first.id, stockId: '12', quantity: '7' })
    expect(await levelOf(second.id)).toEqual(second)
    const began = Date.now()
    const items = [{ gtin: first.id, quantity: '8' }]
    await stock.adjust({ stockId: '12', items, isCompleteStockCount: true, stockCountTime: began })
    expect(await levelOf(first.id)).toMatchObject({ quantity: '8' })
    expect((await levelOf(second.id))?.quantity ?? '0').toBe('0')

    const delivery = {
      extRef: 'PO-100',
      stockId: '12',
      storeId: '42',
      orderDate: began,
      expectedDeliveryDate: '2026-12-01',
      insertAsConfirmed: true,
      requestId,
      orderLines: [{ gtin: first.id, qty: '3', cost: '41.25' }],
    }
    const orderId = await deliveries.create(delivery)
    if (deliveries.heedsRequestId()) expect(await deliveries.create(delivery)).toBe(orderId)
    expect((await deliveries.list('12')).rows).toMatchObject([
      {
        orderId,
        stockId: '12',
        confirmedQuantity: '3',
        confirmedCost: '123.75',
        receivedQuantity: '0',
        completed: false,
        products: [{ gtin: first.id, confirmedQuantity: '3', cost: '41.25' }],
      },
    ])
    expect((await deliveries.list('13')).rows).toEqual([])
  },
)
