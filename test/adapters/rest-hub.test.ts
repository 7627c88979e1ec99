import { expect, test } from 'vitest'
import { startOms } from '../../src/sandbox/oms/oms.ts'
import { createTestClock } from '../clock.ts'
import { middle, SECOND, untilDelivery } from '../delivery/kit.ts'
import { endlessAisle } from '../fixtures/payloads.ts'
import { startTestHub } from '../hub.ts'
import { configOf } from './rest-kit.ts'

test('When an OMS loses its answer, then the hub looks, finds the order, and the OMS has it once', async () => {
  const clock = createTestClock()
  await using oms = await startOms()
  const { options } = await configOf('home-made-oms', { OMS_URL: oms.url, OMS_CLIENT_SECRET: 'secret-of-the-oms' })
  await using hub = await startTestHub({
    destinations: { oms: { adapter: 'rest', ...options } },
    clock,
    random: middle,
  })
  oms.loseAnswers(1)
  await hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle())
  await untilDelivery(hub, 1, (delivery) => delivery.attempts.length === 1 && delivery.state === 'waiting')
  clock.advance(60 * SECOND)
  const delivery = await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  expect(delivery.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'delivered'])
  expect(oms.orders()).toMatchObject([{ number: 'EA-77', total: '349' }])
})
