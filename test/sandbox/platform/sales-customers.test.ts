import request from 'supertest'
import { describe, expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { givenPlatform, HEADERS, startReceiver, subscribe } from './given.ts'

const NEW = { extId: 'C-1', firstName: 'Liv', lastName: 'Dahl', email: 'liv@example.com', phone: '99887766' }

describe('customers', () => {
  test('When somebody new is put, then there is an id, and CustomerCreated is told', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'CustomerCreated', receiver.url)
    const { body: id } = await put(platform, NEW).expect(200)
    expect(id).toEqual(expect.any(Number))
    await platform.settled()
    expect(receiver.bodies).toMatchObject([{ customerId: id, customerExtId: 'C-1', firstName: 'Liv' }])
  })

  // Facts, §1d: by external id, then phone, then e-mail.
  test.each([
    ['the external id', { extId: 'C-1', phone: '91234567', email: 'kari.nordmann@example.com' }],
    ['the phone, written in another way', { phone: '998 87 766', email: 'kari.nordmann@example.com' }],
    ['the e-mail, in another case', { email: 'LIV@example.com' }],
  ])('When a customer is known by %s, then they are changed, and what was left out stays', async (_, body) => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'CustomerUpdated', receiver.url)
    const { body: id } = await put(platform, NEW)
    const again = await put(platform, { ...body, city: 'Oslo' }).expect(200)
    expect(again.body).toBe(id)
    await platform.settled()
    expect(receiver.bodies).toMatchObject([{ customerId: id, lastName: 'Dahl', city: 'Oslo' }])
  })

  test('When consents are changed at a till, or a customer is deleted there, then the webhook says so', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'CustomerUpdated', receiver.url)
    platform.actions.updateCustomer({ customerId: 4712, agreedSendEmail: true, agreedSendSms: true })
    platform.actions.updateCustomer({ customerId: 4712, agreedSendEmail: false, deleted: true })
    await platform.settled()
    expect(receiver.bodies).toMatchObject([
      { customerId: 4712, agreedSendEmail: true, agreedSendSMS: true, deleted: false },
      { customerId: 4712, agreedSendEmail: false, agreedSendSMS: true, deleted: true },
    ])
  })

  test('When somebody is searched for, then case does not matter; PUT and POST are not the same', async () => {
    await using platform = await givenPlatform({ seedCatalogue: false })
    const { body } = await search(platform, { EmailContains: 'OLA.' }).expect(200)
    expect(body).toMatchObject([{ customerid: 4712, email: 'ola.hansen@example.com' }])
    expect((await search(platform, NEW)).body).toHaveLength(3)
    expect((await search(platform, { customerExtIds: ['C-4713'] })).body).toMatchObject([{ firstName: 'Åse' }])
    expect((await search(platform, { pageSize: 1, pageSkip: 1 })).body).toMatchObject([{ customerid: 4712 }])
    const counted = await request(platform.url).post('/api/Customer/count').set(HEADERS).send({ phoneContains: '345' })
    expect(counted.body).toBe(3)
  })

  // Facts, §5 trap 20.
  test('When the filter has a field that nobody knows, then it is ignored, and the first one is a stranger', async () => {
    await using platform = await givenPlatform()
    const { body } = await search(platform, { email: 'aase.bjornstad@example.com' }).expect(200)
    expect(body[0].email).not.toBe('aase.bjornstad@example.com')
  })

  test.each([
    ['nothing', { city: 'Oslo' }, 'needs one of'],
    ['an id that nobody has', { customerid: 1 }, 'customer 1'],
    ['a number as a name', { firstName: 7 }, 'firstName'],
    ['a list', [], 'expected object'],
  ])('When a customer is put with %s, then it is refused', async (_, body, why) => {
    await using platform = await givenPlatform()
    const refused = await put(platform, body).expect(400)
    expect(refused.body.message).toContain(why)
  })
})

function put(platform: SandboxPlatform, body: object) {
  return request(platform.url).put('/api/Customer').set(HEADERS).send(body)
}

function search(platform: SandboxPlatform, filter: object) {
  return request(platform.url).post('/api/customer').set(HEADERS).send(filter)
}
