import { afterAll, beforeAll, expect, test } from 'vitest'
import type { readDelivery } from '../../../src/platform/payloads/goods.ts'
import { listed } from '../../listed.ts'
import { DAY, HOUR } from '../kit.ts'
import { openPulled, type Pulled, said } from './pull-kit.ts'

const KIND = 'DeliveryUpdated'
const TEE = '7090012340011'

let the: Pulled
beforeAll(async () => {
  the = await openPulled('2026-11-20T09:00:00Z', { days: 2 })
})
afterAll(() => the[Symbol.asyncDispose]())

test('when deliveries were pushed, then there is no news in the list', async () => {
  the.platform.actions.announceDelivery({ stock: '101', sku: 'TEE-BLK-M', quantity: 4, reference: 'PO-1', cost: 120 })
  await the.quiet()

  expect(await the.run('goods-deliveries')).toBe('5 stocks: 1 delivery, 0 with news')
  expect(the.events(KIND)).toEqual([])
})

test('when more was received and its webhooks were lost, then one event says so, with what the mirror knows besides', async () => {
  const { platform, clock } = the
  const orderId = the.events('DeliveryCreated').map(said)[0]?.orderId as number
  the.lose(true)
  clock.advance(HOUR)
  platform.actions.receiveDelivery({ orderId, sku: 'TEE-BLK-M', quantity: 3 })
  await platform.settled()
  the.lose(false)
  clock.advance(HOUR)

  expect(await the.run('goods-deliveries')).toBe('5 stocks: 1 delivery, 1 with news')
  await the.quiet()
  expect(await the.run('goods-deliveries')).toBe('5 stocks: 1 delivery, 0 with news')

  const [event] = the.events(KIND).map(said)
  expect(event).toMatchObject({
    stockId: 12,
    orderId,
    orderReference: 'PO-1',
    type: 'PlannedDelivery',
    isCompleted: false,
    products: [{ gtin: TEE, quantityExpected: 4, quantityReceived: 3, costPrice: 120, costPriceCurrency: 'NOK' }],
    updatedDateTime: null,
    // Two minutes before it was asked for, on the clock of Oslo.
    readDateTime: expect.stringMatching(/^2026-11-20T11:58/),
  })
  expect(await received(orderId)).toEqual({ [TEE]: '3' })
})

test('when what was lost comes late, then it does not take back what the list said; and what is pushed later goes before it', async () => {
  const { platform, hub, clock } = the
  const orderId = the.events('DeliveryCreated').map(said)[0]?.orderId as number
  const late = said(the.events('DeliveryCreated')[0] ?? expect.fail())
  // As it was before goods came, but changed after it was announced.
  await hub.post(KIND, { ...late, updatedDateTime: '2026-11-20T10:30:00' }, { eventId: 'late' })
  await the.quiet()
  expect(await received(orderId)).toEqual({ [TEE]: '3' })

  clock.advance(1_000)
  platform.actions.receiveDelivery({ orderId, close: true })
  await the.quiet()
  expect(await received(orderId)).toEqual({ [TEE]: '4' })
  expect(await the.run('goods-deliveries')).toMatch('0 with news')
})

test('when the mirror is behind, then the same is not told again; and what was over before the hub came is left alone', async () => {
  const open = anOrder()
  const over = { ...open, orderId: '5', completed: true, orderDate: '2026-11-01T10:00:00' }
  const job = the.beside('goods-deliveries', ({ goodsDeliveries }) => ({
    goodsDeliveries: {
      ...goodsDeliveries,
      list: async (stockId) => listed(stockId === open.stockId ? [open, over] : []),
    },
  }))
  const { storage } = the.hub.hub
  const queue = { destination: 'mirror', urgency: 'bulk' } as const
  await storage.pause(queue, { until: null, why: 'A test.' })

  expect(await job.run()).toBe('5 stocks: 2 deliveries, 1 with news')
  the.clock.advance(HOUR)
  expect(await job.run()).toBe('5 stocks: 2 deliveries, 0 with news')
  expect(await storage.mirrorRows('goods-deliveries', [open.orderId, over.orderId])).toEqual([])

  await storage.resume(queue)
  await the.quiet()
  expect(await job.run()).toBe('5 stocks: 2 deliveries, 0 with news')
  expect(await storage.mirrorRows('goods-deliveries', [open.orderId, over.orderId])).toHaveLength(1)
  expect(job.state).toMatchObject({ reported: {} })
})

test('when the run is cut off, then the next one goes on with the next stock; one that cannot be read does not hold up the others', async () => {
  const asked: string[] = []
  const stop = new AbortController()
  const job = the.beside('goods-deliveries', ({ goodsDeliveries }) => ({
    goodsDeliveries: {
      ...goodsDeliveries,
      list: (stockId, signal) => {
        asked.push(stockId)
        if (asked.length === 3) stop.abort(new Error('The hub is stopping.'))
        return goodsDeliveries.list(stockId === '21' ? '4711' : stockId, signal)
      },
    },
  }))

  await expect(job.run(stop.signal)).rejects.toThrow('The hub is stopping.')
  await expect(job.run()).rejects.toThrow(/^stock 21: .*Done: 2 stocks/)
  await expect(job.run()).rejects.toThrow(/^stock 21: .*Done: 0 stocks/)
  expect(asked).toEqual(['12', '13', '14', '14', '21', '22', '21'])

  the.clock.advance(DAY)
  await expect(job.run()).rejects.toThrow(/Done: 4 stocks/)
})

/** How much of each article has come, by the mirror. */
async function received(orderId: number): Promise<Record<string, unknown>> {
  const [row] = await the.hub.hub.storage.mirrorRows('goods-deliveries', [String(orderId)])
  const lines = row?.body.lines as ReturnType<typeof readDelivery>['lines']
  return Object.fromEntries(lines.map(({ article, received }) => [article, received]))
}

function anOrder() {
  return {
    orderId: '4',
    number: 'PO-4',
    description: null,
    orderDate: '2026-11-20T10:00:00',
    brand: null,
    season: null,
    confirmedQuantity: null,
    confirmedCost: null,
    receivedQuantity: null,
    receivedCost: null,
    stockId: '14',
    type: '1',
    status: '1',
    completed: false,
    products: [],
    record: {},
  }
}
