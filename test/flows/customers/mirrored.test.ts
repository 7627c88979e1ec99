import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import type { Exported } from '../../../src/privacy/report.ts'
import { eventually } from '../../eventually.ts'
import { customer, sale } from '../../fixtures/payloads.ts'
import { deliveriesOf, startTestHub } from '../../hub.ts'
import { bytesWith, ZEB } from './zeb.ts'

test.each([4_790_001, 47_900_017])(
  'When a sale of the mirror names a person by the id %i and a name alone, then an erasure by the address reaches it',
  async (customerId) => {
    await using hub = await startTestHub({
      config: { mirror: 'all', lookups: { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } } },
    })
    const { firstName, lastName } = ZEB
    await hub.post('CustomerCreated', customer({ ...ZEB, customerId }), { eventId: 'Z-1' })
    const nameless = { email: '', phone: '', customerExtId: '' }
    const bought = { ...sale().customer, ...nameless, customerId, firstName, lastName }
    await hub.post('SaleCreated', sale({ customer: bought }), { eventId: 'Z-2' })
    // Somebody else has an id that begins like it.
    const other = { ...bought, customerId: customerId * 10, firstName: 'Kari', lastName: 'Nordmann' }
    await hub.post('SaleCreated', sale({ receiptNo: '1002', customer: other }), { eventId: 'O-1' })
    const rows = () => hub.hub.storage.mirrorPage({ set: 'sales' }, null, 10)
    await eventually(async () => {
      const said = JSON.stringify(await rows())
      expect([lastName, 'Kari'].filter((name) => !said.includes(name))).toEqual([])
      const states = (await deliveriesOf(hub)).map(({ state }) => state)
      expect(states.filter((state) => !['delivered', 'superseded'].includes(state))).toEqual([])
    })

    const erased = await hub.admin<ErasedPerson>('people/erase', { who: ZEB.email, reason: 'asked' })
    expect(erased.status).toBe(200)
    const left = JSON.stringify(await rows())
    expect([firstName, lastName, `"${customerId}"`].filter((text) => left.includes(text))).toEqual([])
    expect(left).toContain('Kari')
    expect(bytesWith(hub, [firstName, lastName])).toEqual([])
  },
)

test('When a sale of somebody else says an address, then whoever asks for what is kept of that one is handed it without the buyer', async () => {
  await using hub = await startTestHub({
    config: { mirror: 'all', lookups: { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } } },
  })
  await hub.post('CustomerCreated', customer(ZEB), { eventId: 'Z-1' })
  await hub.post('SaleCreated', sale({ customer: { ...ZEB, customerExtId: '' } }), { eventId: 'Z-2' })
  const kari = { ...sale().customer, customerId: 701, email: 'kari1@example.com', firstName: 'Kari', lastName: 'Lie' }
  const line = { ...(sale().orderLines[0] as object), reasons: [`For ${ZEB.email}`] }
  const theirs = { receiptNo: '1003', orderLines: [line], customer: { ...kari, phone: '91000011', customerExtId: '' } }
  await hub.post('SaleCreated', sale(theirs), { eventId: 'K-1' })
  await eventually(async () => {
    const rows = await hub.hub.storage.mirrorPage({ set: 'sales' }, null, 10)
    expect(JSON.stringify(rows)).toMatch(/1001.*1003/)
  })

  const { body } = await hub.admin<Exported>('people/export', { who: ZEB.email, reason: 'asked' })
  const mirrored = body.rows.filter(({ table }) => table === 'mirror').map(({ says }) => JSON.parse(says.body ?? ''))
  expect(mirrored).toMatchObject([
    { receiptNo: '1001', customerId: '4790001', customer: { firstName: 'Zebedæus' } },
    { receiptNo: '1003', lines: [{ reasons: `For ${ZEB.email}` }] },
  ])
  expect(JSON.stringify(body)).not.toMatch(/kari|"lie"|91000011|"701"/i)
})
