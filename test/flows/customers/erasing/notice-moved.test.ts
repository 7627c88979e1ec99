import { expect, test } from 'vitest'
import { asking } from '../../../cli/run.ts'
import { customer } from '../../../fixtures/payloads.ts'
import { allDelivered, deliveriesOf, startTestHub } from '../../../hub.ts'
import { startSink } from '../../../sink.ts'
import { erase, ZEB } from '../zeb.ts'

const eraseCall = { path: '/erase', body: 'erased' }
const upsert = { path: '/customers', body: 'customer' }

test('When what is owed to a destination moves to another one, then whom it has to erase stays with it: its ids say somebody else there', async () => {
  await using system = await startSink()
  const url = new URL(system.url).origin
  await using hub = await startTestHub({
    destinations: {
      crm: { adapter: 'rest', url, customers: { upsert, erase: eraseCall } },
      other: { adapter: 'rest', url, customers: { erase: eraseCall } },
    },
  })
  await hub.post('CustomerCreated', customer(ZEB))
  await allDelivered(hub, 1)
  const run = asking(hub)
  await hub.admin('destinations/crm/pause', {})
  await erase(hub)

  const move = ['deliveries', 'move', '--from', 'crm', '--to', 'other', '--reason', 'renamed']
  const moved = await run(...move)
  expect(moved.out).toMatch(/^other cannot execute erase-person: 1 delivery stays with crm\.$/m)
  await hub.admin('destinations/crm/resume', {})
  await allDelivered(hub, 2)
  expect((await deliveriesOf(hub)).map(({ destination, flow }) => [flow, destination])).toContainEqual([
    'erase-person',
    'crm',
  ])
})
