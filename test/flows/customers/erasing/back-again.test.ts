import { expect, test } from 'vitest'
import { eventually } from '../../../eventually.ts'
import { customer, sale } from '../../../fixtures/payloads.ts'
import { deliveriesOf, startTestHub, type TestHub } from '../../../hub.ts'
import { startSink } from '../../../sink.ts'
import { bytesWith, erase, ZEB } from '../zeb.ts'

const CUSTOMERS = { upsert: { path: '/customers', body: 'customer' }, erase: { path: '/erase', body: 'erased' } }

test('When a person comes back before their erasure has ended, then systems that were told of them since are told to erase them again', async () => {
  await using crm = await startSink()
  await using hub = await startTestHub({
    destinations: { crm: { adapter: 'rest', url: new URL(crm.url).origin, customers: CUSTOMERS } },
  })
  await hub.post('CustomerCreated', customer(ZEB), { eventId: 'Z-1' })
  await allTaken(hub)
  const comment = `For ${ZEB.email}`
  await hub.post('SaleCreated', sale({ customer: null, comment }), { eventId: 'K-1' })
  await hub.admin('retention/hold', { events: [2], reason: 'case 7' })
  const first = (await erase(hub)).body
  expect(first.proof?.secondPass.held).toEqual([2])
  await allTaken(hub)
  expect(erased(crm)).toBe(1)

  await hub.post('CustomerUpdated', customer({ ...ZEB, city: 'Kanariby' }), { eventId: 'Z-2' })
  await allTaken(hub)
  await hub.admin('retention/unhold', { events: [2], reason: 'closed' })
  const again = (await erase(hub)).body
  expect(again.proof).toMatchObject({ secondPass: { found: 0, held: [] } })
  await allTaken(hub)
  expect(erased(crm)).toBe(2)
  expect(bytesWith(hub, ['"begun":true,"key"'])).toEqual([])
  expect(again.notices.map(({ delivery }) => delivery)).not.toEqual(first.notices.map(({ delivery }) => delivery))
})

async function allTaken(hub: TestHub): Promise<void> {
  await eventually(async () => {
    const open = (await deliveriesOf(hub)).filter(({ state }) => state !== 'delivered')
    expect(open).toEqual([])
  })
}

function erased({ received }: Awaited<ReturnType<typeof startSink>>): number {
  return received.filter(({ body }) => body.includes('erased-')).length
}
