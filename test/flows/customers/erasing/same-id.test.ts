import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../../src/admin/data-subjects.ts'
import { createPlatform } from '../../../../src/platform/platform.ts'
import type { FoundPerson } from '../../../../src/privacy/report.ts'
import { asking } from '../../../cli/run.ts'
import { onlyIn } from '../../../dialect.ts'
import { eventually } from '../../../eventually.ts'
import { customer, sale } from '../../../fixtures/payloads.ts'
import { KEYS, openCounter } from '../../../http/submissions/given.ts'
import type { TestHub } from '../../../hub.ts'
import { settled } from '../../days/open-store.ts'
import { aHubThatKnowsZeb, erase, ZEB } from '../zeb.ts'

test('When an own system has the id of an erased person for somebody else, then whoever that is stays in the directory', async () => {
  await using hub = await aHubThatKnowsZeb()
  const nora = { email: 'nora@example.com', firstName: 'Nora', lastName: 'Vik' }
  await submit(hub, { extId: String(ZEB.customerId), ...nora })
  await eventually(async () => expect(await inDirectory(hub, nora.email)).toMatchObject([nora]))

  const { proof } = (await erase(hub)).body

  expect(await inDirectory(hub, nora.email)).toMatchObject([nora])
  expect(await inDirectory(hub, ZEB.email.toLowerCase())).toEqual([])
  expect(proof?.secondPass.found).toBe(0)
})

test('When an own system’s id of a customer is their address, then it is masked as the address is', async () => {
  await using hub = await aHubThatKnowsZeb()
  const customer = {
    ...sale().customer,
    customerId: 31,
    email: 'kari6@example.com',
    customerExtId: 'kari6@example.com',
  }
  await hub.post('SaleCreated', sale({ receiptNo: '6201', customer }), { eventId: 'K-6' })
  await eventually(async () => {
    const { body } = await hub.admin<FoundPerson>('people/find', { who: 'kari6@example.com' })
    expect(body.customerIds).toEqual(['31', 'k…@example.com'])
  })
  expect((await asking(hub)('people', 'find', '31')).out).not.toContain('kari6')
  const tried = await hub.admin<ErasedPerson>('people/erase', { who: '31', dryRun: true })
  expect(JSON.stringify(tried.body)).not.toContain('kari6')
  expect((await asking(hub)('people', 'find', '31', '--reveal')).out).toContain('kari6@example.com')
})

function inDirectory(hub: TestHub, email: string) {
  return hub.hub.storage.findCustomers({ type: 'email', email })
}

async function submit(hub: TestHub, customer: object): Promise<void> {
  const { key } = (await hub.admin<{ key: string }>('keys', { system: 'crm2', may: 'customers' })).body
  const said = await hub.ask('/v1/customers?directoryOnly=true', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'of Nora' },
    body: JSON.stringify(customer),
  })
  expect(said.status).toBeLessThan(300)
}

onlyIn(['facts'], 'it asks the platform as frontsystems-v2 itself')(
  'When an own system has the platform’s id of an erased person for somebody else, then the platform deletes the person, and nobody else',
  async () => {
    await using counter = await openCounter({}, async () => ({ preset: 'frontsystems-v2' }))
    await using portal = createPlatform({ preset: 'frontsystems-v2', baseUrl: counter.platform.url, ...KEYS })
    const { hub, platform } = counter
    const there = async (email: string) => (await Array.fromAsync(portal.customers.search({ email }))).length
    const { customerId } = platform.actions.createCustomer({ email: 'per@example.com', firstName: 'Per' })
    await hub.post(
      'CustomerCreated',
      customer({ customerId: Number(customerId), email: 'per@example.com', firstName: 'Per' }),
    )
    await counter.submit('customers', { extId: String(customerId), email: 'nora@example.com', firstName: 'Nora' })
    await settled(hub)
    expect([await there('per@example.com'), await there('nora@example.com')]).toEqual([1, 1])

    const { notices, notified } = (await erase(hub, 'per@example.com')).body
    expect(notices).toMatchObject([{ destination: 'platform' }])
    expect(notified.find(({ destination }) => destination === 'platform')?.theirIds).toEqual([])
    await settled(hub)
    expect([await there('per@example.com'), await there('nora@example.com')]).toEqual([0, 1])
    expect(await hub.hub.storage.links('platform', 'customer', [String(customerId)])).toHaveLength(1)
  },
)
