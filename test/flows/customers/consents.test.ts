import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { startHttpPeer } from '../../adapters/http-peer.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { customer } from '../../fixtures/payloads.ts'
import { KEYS, openCounter } from '../../http/submissions/given.ts'
import { startTestHub } from '../../hub.ts'
import { deliveriesOf } from '../../queue/kit/kit.ts'
import { settled } from '../days/open-store.ts'
import { bytesWith } from './zeb.ts'

/* What customers agree to at a POS reaches whoever writes to them. */

const UPSERT = { path: '/customers', body: '{ "id": customer.customerId }', link: 'customer.customerId' }
const CONSENT = {
  path: '/consents/{{theirId}}',
  body: '{ "mail": consent.agreedSendEmail, "texts": consent.agreedSendSms, "to": consent.email, "at": consent.agreedAt }',
}

/** A change of Kari, made so many hours after her first. */
function kari(hours: number, more: object = {}) {
  const at = new Date(Date.UTC(2026, 10, 20, hours)).toISOString().slice(0, -1)
  return customer({ email: 'kari@example.com', gdprUpdatedDateTime: at, updatedDateTime: at, ...more })
}

test('When a customer withdraws a consent at a POS, then the CRM is told that alone, once, and nothing of who moves', async () => {
  await using the = await startWithCrm({ noteConsent: CONSENT })
  await the.reported(kari(0))
  expect(the.paths()).toEqual(['/customers', '/consents/4711'])
  await the.reported(kari(1, { city: 'Bergen' }))
  expect(the.paths().slice(2)).toEqual(['/customers'])
  await the.reported(kari(3, { city: 'Bergen', agreedSendEmail: false }))
  expect(the.paths().slice(3)).toEqual(['/consents/4711'])
  expect(the.bodies().at(-1)).toEqual({
    mail: false,
    texts: false,
    to: 'kari@example.com',
    at: '2026-11-20T03:00:00.000',
  })

  // What she agreed to before comes late; a customer of whom no consent is known tells none; one who is deleted, what was revoked.
  await the.reported(kari(2, { city: 'Bergen' }))
  await the.reported(kari(4, { city: 'Bergen', agreedSendEmail: undefined, agreedSendSMS: null }))
  expect(the.paths()).toHaveLength(4)
  await the.reported(kari(5, { city: 'Bergen', agreedSendEmail: true, deleted: true }))
  expect(the.paths().slice(4)).toEqual(['/consents/4711'])
  expect(the.bodies().at(-1)).toMatchObject({ texts: false })
  expect(the.bodies().at(-1)).not.toHaveProperty('mail')
  await the.reported(kari(6, { city: 'Bergen', agreedSendEmail: undefined, agreedSendSMS: true }))
  expect(the.bodies().at(-1)).toMatchObject({ texts: true })
  expect(the.bodies().at(-1)).not.toHaveProperty('mail')
})

test('When a customer is deleted while a consent that they gave waits, then it is told to nobody any more, and again once they are back', async () => {
  const texts = { agreedSendEmail: false, agreedSendSMS: true }
  const both = { agreedSendEmail: true, agreedSendSMS: true }
  await using the = await startWithCrm({ noteConsent: CONSENT })
  await the.reported(kari(0, texts))
  await the.hub.admin('destinations/crm/pause', { reason: 'a test' })
  for (const payload of [kari(1, both), kari(2, { ...both, deleted: true })])
    await the.hub.post('CustomerUpdated', payload, { eventId: `p-${payload.updatedDateTime}` })
  await the.hub.admin('destinations/crm/resume', { reason: 'a test' })
  await the.reported(kari(3, { ...both, deleted: true }))
  expect(the.paths()).toEqual(['/customers', '/consents/4711'])

  // What it knows is as it was before.
  await the.reported(kari(4, texts))
  expect(the.paths()).toHaveLength(2)
  await the.reported(kari(5, both))
  expect(the.paths().slice(2)).toEqual(['/consents/4711'])
})

test('When a customer is deleted who withdraws a consent with it, then the CRM hears what is revoked, and nothing else', async () => {
  await using the = await startWithCrm({ noteConsent: CONSENT })
  await the.reported(kari(0))
  await the.reported(kari(1, { agreedSendEmail: false, agreedSendSMS: true, deleted: true }))
  expect(the.paths()).toEqual(['/customers', '/consents/4711', '/consents/4711'])
  expect(the.bodies().at(-1)).toMatchObject({ mail: false })
  expect(the.bodies().at(-1)).not.toHaveProperty('texts')
  await the.reported(kari(2, { agreedSendEmail: false, agreedSendSMS: true, deleted: true, city: 'Bergen' }))
  expect(the.paths()).toHaveLength(3)
})

test('When a system has no place for consents, then it is not told any', async () => {
  await using the = await startWithCrm({})
  await the.reported(kari(0))
  await the.reported(kari(1, { agreedSendEmail: false }))
  expect(the.paths()).toEqual(['/customers'])
  expect((await deliveriesOf(the.hub)).map(({ flow }) => flow)).toEqual(['upsert-customer', 'upsert-customer'])
})

test('When a system submitted the consents itself, then they do not come back to it, until they are others', async () => {
  await using the = await startWithCrm({ noteConsent: CONSENT })
  await the.submit('customers', { extId: 'C-1', firstName: 'Kari', agreedSendEmail: true, agreedSendSms: false })
  const same = { customerExtId: 'C-1', agreedSendEmail: true, agreedSendSMS: false }
  await the.reported(kari(0, same))
  expect(the.paths()).toEqual(['/customers'])
  await the.reported(kari(1, { ...same, agreedSendSMS: true }))
  expect(the.paths()).toEqual(['/customers', '/consents/4711'])
  const { email, firstName, lastName, address1: address, postalCode, city } = kari(0)
  const known = { email, firstName, lastName, address, postalCode, city, countryCode: 'NO', phone: '+4790012345' }
  await the.submit('customers', { extId: 'C-1', ...known, agreedSendEmail: false, agreedSendSms: false })
  await the.reported(kari(2, { ...same, agreedSendEmail: false }))
  expect(the.paths()).toHaveLength(2)
  await the.reported(kari(3, same))
  expect(the.bodies().at(-1)).toMatchObject({ mail: true, texts: false })
})

/** A hub with a CRM by the name of crm, which takes customers and what else is given. */
async function startWithCrm(more: object) {
  const crm = await startHttpPeer()
  crm.play({ status: 200, body: '{}' })
  const customers = { upsert: UPSERT, ...more }
  const hub = await startTestHub({ destinations: { crm: { adapter: 'rest', url: crm.address, customers } } })
  let n = 0
  let submissions = 0
  return {
    hub,
    paths: () => crm.calls.map(({ line }) => line.replace('POST ', '')),
    bodies: () => crm.calls.map(({ body }) => JSON.parse(String(body))),
    /** Posts a change, and waits until all that it owes is settled. */
    async reported(payload: object) {
      n += 1
      await hub.post('CustomerUpdated', payload, { eventId: `e-${n}` })
      await settled(hub)
    },
    async submit(resource: string, body: object) {
      const { key } = (await hub.admin<{ key: string }>('keys', { system: 'crm', may: resource })).body
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `s-${++submissions}`,
      }
      const answer = await hub.ask(`/v1/${resource}`, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(answer).toMatchObject({ body: { accepted: 1 } })
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await crm[Symbol.asyncDispose]()
    },
  }
}

test('When an own system deletes a customer by the platform’s id alone, then no name has that id once the customer is erased', async () => {
  await using hub = await startTestHub({
    destinations: {},
    config: { lookups: { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } } },
  })
  await hub.post('CustomerCreated', customer({ customerId: 31, email: 'zeb@canary.example.com' }), { eventId: 'C-1' })
  const { key } = (await hub.admin<{ key: string }>('keys', { system: 'crm', may: 'customer-deletions' })).body
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'c' }
  for (const customerId of [31, 32]) {
    const body = JSON.stringify({ customerId })
    const said = await hub.ask('/v1/customer-deletions', {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': `c${customerId}` },
      body,
    })
    expect(said).toMatchObject({ body: { accepted: 1 } })
  }
  const { status } = await hub.admin<ErasedPerson>('people/erase', {
    who: 'zeb@canary.example.com',
    reason: 'asked',
    skipOpen: true,
  })
  expect(status).toBe(200)
  expect(bytesWith(hub, ['customerId%3D31', 'customerId%3D32']).map((text) => text.slice(-15))).toContain(
    'customerId%3D32',
  )
  expect(bytesWith(hub, ['customerId%3D31'])).toEqual([])
})

const HOUR = 3_600_000

test('When a customer who agreed withdraws at a POS while the hub cannot tell the platform yet, then they are not written to', async () => {
  const clock = createTestClock()
  await using counter = await openCounter({ clock }, async () => ({ preset: 'frontsystems-v2' }))
  await using portal = createPlatform({ preset: 'frontsystems-v2', baseUrl: counter.platform.url, ...KEYS })
  const found = () => Array.fromAsync(portal.customers.search({ extIds: ['C-1'] }))
  const paused = async (verb: string) => await counter.hub.admin(`destinations/platform/${verb}`, { reason: 'a test' })
  const ended = async () =>
    await eventually(async () => {
      const rows = await deliveriesOf(counter.hub)
      expect(rows.filter(({ state }) => state === 'waiting' || state === 'claimed')).toEqual([])
      return rows.map(({ flow, state, code }) => `${flow} ${state} ${code}`)
    })
  const kari = { extId: 'C-1', email: 'kari@example.com', firstName: 'Kari' }
  await counter.submit('customers', { ...kari, agreedSendEmail: false, agreedSendSms: false })
  await ended()
  const [{ customerId = '' } = {}] = await found()

  await paused('pause')
  await counter.submit('customers', { ...kari, firstName: 'Karin', agreedSendEmail: true })
  clock.advance(HOUR)
  const at = new Date(clock.now()).toISOString().slice(0, -1)
  const said = { agreedSendEmail: false, agreedSendSMS: false, gdprUpdatedDateTime: at, updatedDateTime: at }
  await counter.hub.post('CustomerUpdated', customer({ customerId: Number(customerId), customerExtId: 'C-1', ...said }))
  // Whoever looks for them has the index catch up.
  await counter.hub.admin('people/find', { who: 'C-1' })
  await paused('resume')

  expect(await ended()).toEqual(['save-customer delivered delivered', 'save-customer delivered delivered'])
  expect((await asking(counter.hub)('deliveries', 'show', '2')).out).toContain(
    'without what the customer has revoked since, by event 3',
  )
  expect((await found()).map(({ record }) => record)).toMatchObject([
    { firstName: 'Karin', agreedSendEmail: false, agreedSendSms: false },
  ])
})
