import { expect, test } from 'vitest'
import type { CustomerRecord } from '../../../src/domain/customers/customer-record.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { startHubSpot } from './hubspot-peer.ts'
import { configOf, startRest } from './kit.ts'

const KARI: CustomerRecord = {
  customerId: '501',
  extId: null,
  email: 'kari@example.com',
  firstName: 'Kari',
  lastName: 'Nordmann',
  companyName: null,
  phone: '+4791234567',
  address: null,
  postalCode: '0155',
  city: 'Oslo',
  countryCode: 'NO',
}

async function startWithHubSpot(token = 'pat-eu1-of-the-tests') {
  const hubspot = await startHubSpot('pat-eu1-of-the-tests')
  const { options } = await configOf('hubspot', { HUBSPOT_TOKEN: token })
  const instance = startRest({ ...options, url: hubspot.url }, 'hubspot')
  const { upsert, search } = instance.ports.customers ?? {}
  if (!upsert || !search) throw new Error('The page has no customers port.')
  return {
    hubspot,
    upsert,
    search,
    async [Symbol.asyncDispose]() {
      await instance[Symbol.asyncDispose]()
      await hubspot[Symbol.asyncDispose]()
    },
  }
}

const linked = (theirId: string) =>
  attempt({ links: async (kind, [id = '']) => [{ kind, id, destination: 'hubspot', theirId }] })

test('When a customer is new, then a contact is created by e-mail; linked, it is changed by its id, even with another e-mail', async () => {
  await using world = await startWithHubSpot()
  const created = await world.upsert(KARI, attempt())
  expect(created.links).toEqual([{ kind: 'customer', id: '501', theirId: '101' }])
  await world.upsert({ ...KARI, email: 'kari.n@example.com', city: 'Bergen' }, linked('101'))
  expect(world.hubspot.contacts).toEqual([
    {
      id: '101',
      properties: expect.objectContaining({
        email: 'kari.n@example.com',
        firstname: 'Kari',
        zip: '0155',
        city: 'Bergen',
      }),
    },
  ])
  expect(world.hubspot.asked).toEqual([
    'POST /crm/v3/objects/contacts/batch/upsert',
    'PATCH /crm/v3/objects/contacts/101',
  ])
})

test('When another contact has the e-mail address, then it is a dead letter with HubSpot’s word and no address', async () => {
  await using world = await startWithHubSpot()
  await world.upsert(KARI, attempt())
  await world.upsert({ ...KARI, customerId: '502', email: 'ola@example.com' }, attempt())
  await expect(world.upsert({ ...KARI, customerId: '502' }, linked('102'))).rejects.toMatchObject({
    name: 'PermanentError',
    message: `hubspot: PATCH ${world.hubspot.url}/crm/v3/objects/contacts/{{theirId}} answered 409 Conflict`,
  })
})

test('When a customer has no e-mail address and no link, then nothing is sent, and the timeline says so', async () => {
  await using world = await startWithHubSpot()
  expect(await world.upsert({ ...KARI, email: null }, attempt())).toEqual({ note: 'nothing to send: no `when` holds' })
  expect(world.hubspot.asked).toEqual([])
})

test('When the POS asks by e-mail or by phone, then the contact is found', async () => {
  await using world = await startWithHubSpot()
  await world.upsert(KARI, attempt())
  const question = { signal: AbortSignal.timeout(5_000) }
  const asked = [
    { type: 'email', email: 'kari@example.com' },
    { type: 'phone', numbers: ['+4791234567'], typed: '91234567' },
    { type: 'phone', numbers: ['+4691234567'], typed: '91234567' },
  ] as const
  for (const query of asked)
    expect(await world.search(query, question)).toEqual([
      { ...KARI, customerId: null, extId: '101', countryCode: null },
    ])
  expect(await world.search({ type: 'email', email: 'nobody@example.com' }, question)).toEqual([])
})

test('When the token is wrong, then it is a dead letter that does not show it', async () => {
  await using world = await startWithHubSpot('pat-eu1-another')
  await expect(world.upsert(KARI, attempt())).rejects.toMatchObject({
    name: 'PermanentError',
    message: expect.stringMatching(/answered 401 Unauthorized: INVALID_AUTHENTICATION$/),
  })
})
