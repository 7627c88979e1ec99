import { expect, test } from 'vitest'
import { endlessAisle, orderUpdate } from '../../../test/fixtures/payloads.ts'
import { startTestHub } from '../../../test/hub.ts'
import { startOms } from '../../../test/peers/oms/oms.ts'
import { untilDelivery } from '../../../test/queue/kit/kit.ts'
import { startSink } from '../../../test/sink.ts'
import { configOf } from './kit.ts'

test('When an order is placed at a POS, then the OMS is told which stock ships it', async () => {
  await using oms = await startSink()
  const body =
    '{ "number": order.number, "stock": order.fulfillment.stockId, "place": order.fulfillment.stockName, "seasons": [order.lines.season] }'
  await using hub = await startTestHub({
    destinations: {
      oms: { adapter: 'rest', url: new URL(oms.url).origin, orders: { create: { path: '/orders', body } } },
    },
  })
  await hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle())
  const [request] = await oms.until(1)
  expect(JSON.parse(request?.body ?? '')).toEqual({
    number: 'EA-77',
    stock: '12',
    place: 'Oslo City',
    seasons: ['AW26'],
  })
})

test('an update of an order that the OMS never handed over is dead with whose id is not known, and what to do', async () => {
  await using oms = await startOms()
  const { options } = await configOf('home-made-oms', { OMS_URL: oms.url, OMS_CLIENT_SECRET: 'secret-of-the-oms' })
  await using hub = await startTestHub({
    destinations: { oms: { adapter: 'rest', ...options } },
    config: { platform: { trustWebhooks: true } },
  })
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: 'W-1001' }))
  const { code, why } = await untilDelivery(hub, 1, ({ state }) => state === 'dead')
  expect(code).toBe('unknown-id')
  expect(why).toMatch(
    /^oms: orders\.ready: oms's id of order W-1001 is not known here: .*To do: .*\{\{order\.number\}\}/,
  )
})
