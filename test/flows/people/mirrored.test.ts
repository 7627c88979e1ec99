import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/people/people.ts'
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
    const rows = () => hub.hub.store.mirrorPage({ set: 'sales' }, null, 10)
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
