import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { CustomerRecord } from '../../../src/domain/customers/customer-record.ts'
import { eventually } from '../../eventually.ts'
import { bearer, finding, hanging, OLD_TOKEN, person, startLookups, TOKEN } from './app.ts'

const kari = person({ customerId: '7', email: 'kari@example.com', firstName: 'Kari', phone: '+4791234567' })

test('when a POS asks for an e-mail address, then the customer is answered as the platform writes one', async () => {
  await using app = await startLookups({
    customers: [finding('crm', { ...kari, extId: 'C-1', address: 'Storgata 1', city: 'Oslo', countryCode: 'NO' })],
  })

  const answer = await app.customers(' Kari@Example.com ')

  expect(answer).toMatchObject({
    status: 200,
    headers: { 'tillbridge-sources': 'crm', 'cache-control': 'no-store' },
    body: [
      {
        customerId: 7,
        customerExtId: 'C-1',
        email: 'kari@example.com',
        firstName: 'Kari',
        lastName: null,
        address1: 'Storgata 1',
        city: 'Oslo',
        countryCode: 'NO',
        phoneCountryPrefix: '47',
        phone: '91234567',
        agreedSendEmail: null,
      },
    ],
  })
  expect(answer.headers).not.toHaveProperty('tillbridge-missing')
})

test('when several sources know one person, then it is one row: the most trusted word, filled up from the others', async () => {
  await using app = await startLookups({
    customers: [
      finding('shop', person({ extId: 'S-9', email: 'KARI@example.com', firstName: 'Karianne', phone: '912 34 567' })),
      finding('crm', person({ extId: 'C-1', email: 'kari@example.com', firstName: 'Kari' })),
      finding('directory', kari),
    ],
    config: { customers: { ask: ['crm', 'directory', 'shop'] } },
  })
  const { headers, body } = await app.customers('kari@example.com')
  expect(headers['tillbridge-sources']).toBe('crm, directory, shop')
  expect(body).toMatchObject([{ customerId: 7, customerExtId: 'C-1', firstName: 'Kari', phone: '91234567' }])
})

test('when one source tells two people with one phone apart, then they stay two, and exact matches come first', async () => {
  await using app = await startLookups({
    customers: [
      finding(
        'crm',
        person({ extId: 'C-8', firstName: 'Dane', phone: '+4591234567' }),
        person({ extId: 'C-1', firstName: 'Mother', phone: '+4791234567' }),
        person({ extId: 'C-2', firstName: 'Son', phone: '+4791234567' }),
        person({ extId: 'C-9', firstName: 'Somebody else' }),
      ),
      finding(
        'shop',
        person({ extId: 'S-2', email: 'mother@example.com', firstName: 'Ma', phone: '+4791234567', city: 'Oslo' }),
        person({ email: 'aunt@example.com', firstName: 'Aunt', phone: '+4791234567' }),
      ),
    ],
  })

  const { body } = await app.customers('91234567')

  expect(body.map(({ firstName }: { firstName: string }) => firstName)).toEqual([
    'Mother',
    'Son',
    'Ma',
    'Aunt',
    'Dane',
    'Somebody else',
  ])
  // Whose phone it is, the shop's rows do not say.
  expect(body[1]).toMatchObject({ customerExtId: 'C-2', email: null })
})

test('when a source never answers and one fails, then the POS has the rest within the budget, and sees who is missing', async () => {
  const slow = hanging('slow')
  const broken = { name: 'broken', search: () => Promise.reject(new Error('no row for kari@example.com')) }
  await using app = await startLookups({
    customers: [slow, broken, finding('directory', kari)],
    config: { customers: { budget: '150ms' } },
  })
  const begun = performance.now()
  const answer = await app.customers('kari@example.com')
  const took = performance.now() - begun
  expect(answer).toMatchObject({
    status: 200,
    body: [{ customerId: 7 }],
    headers: { 'tillbridge-sources': 'directory', 'tillbridge-missing': 'slow, broken' },
  })
  expect(took).toBeGreaterThanOrEqual(140)
  // The slow one would never answer.
  expect(took).toBeLessThan(10_000)
  await eventually(() => expect(slow.counts).toEqual({ asked: 1, stopped: 1 }))
  const said = JSON.stringify(app.lines)
  expect(said).toContain('"broken"')
  expect(said).not.toMatch(/kari/i)
})

test('when a source is dead, then only a few questions lie with it at a time, and none waits longer than the budget', async () => {
  let asked = 0
  const search = () => {
    asked += 1
    return new Promise<never>(() => {})
  }
  const dead = { name: 'dead', search }
  await using app = await startLookups({
    customers: [dead, finding('directory', kari)],
    config: { customers: { budget: '100ms' } },
  })
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(Array.from({ length: 30 }, () => app.customers('kari@example.com')))
    expect(answers.every(({ status, body }) => status === 200 && body.length === 1)).toBe(true)
  }
  expect(asked).toBe(8)
})

test('when the POS hangs up, then the sources are told to stop', async () => {
  const crm = hanging('crm')
  await using app = await startLookups({ customers: [crm], config: { customers: { budget: '20s' } } })
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`GET /api/customers/search?query=91234567 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`)
  await eventually(() => expect(crm.counts.asked).toBe(1))
  socket.destroy()
  await eventually(() => expect(crm.counts.stopped).toBe(1))
})

test.each([
  ['a name', 'query=Kari%20Nordmann'],
  ['half an address', 'query=kari%40'],
  ['three digits', 'query=123'],
  ['too many digits', `query=${'1'.repeat(30)}`],
  ['nothing', 'query='],
  ['no parameter', ''],
  ['two of it', 'query=a%40b.no&query=c%40d.no'],
  ['a list', 'query[]=a%40b.no'],
  ['a very long text', `query=${'a'.repeat(400)}%40b.no`],
  ['a line break', 'query=91234567%0Aa'],
])('when a POS asks for %s, then the answer is 400 that repeats nothing, and nobody is asked', async (_, query) => {
  const crm = hanging('crm')
  await using app = await startLookups({ customers: [crm] })
  const answer = await app.get(`/api/customers/search?${query}`)
  expect(answer).toMatchObject({ status: 400, body: { status: 400, code: expect.stringMatching(/^(bad|neither)-/) } })
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
  expect(answer.text).not.toMatch(/kari|1111|aaaa/i)
  expect(crm.counts.asked).toBe(0)
})

test('when the token is missing or wrong, then the answer is 401; two tokens are good at a time', async () => {
  await using app = await startLookups({ customers: [finding('crm', kari)] })
  const path = '/api/customers/search?query=91234567'
  for (const headers of [{}, bearer('wrong'), bearer(`${TOKEN}x`), { authorization: TOKEN }])
    expect(await app.get(path, headers)).toMatchObject({ status: 401, body: { code: 'wrong-token' } })
  for (const token of [TOKEN, OLD_TOKEN]) expect(await app.get(path, bearer(token))).toMatchObject({ status: 200 })
})

test('when a token asks too often, then it is told when to come again, and the other one is still answered', async () => {
  await using app = await startLookups({ customers: [finding('crm', kari)], config: { customers: { perMinute: 3 } } })
  for (let n = 0; n < 3; n++) expect((await app.customers('91234567')).status).toBe(200)
  const refused = await app.customers('91234567')
  expect(refused).toMatchObject({ status: 429, body: { code: 'too-many-lookups' } })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(await app.get('/api/customers/search?query=91234567', bearer(OLD_TOKEN))).toMatchObject({ status: 200 })
})

test('when config has a template, then it makes the answer, a list of any number', async () => {
  const template = 'customers.{ "id": customerId, "name": firstName }'
  const found: (typeof kari)[] = []
  await using app = await startLookups({
    customers: [finding('none'), { name: 'crm', search: async () => found }],
    config: { customers: { answer: template } },
  })
  expect((await app.customers('91234567')).body).toEqual([])
  found.push(kari)
  expect((await app.customers('91234567')).body).toEqual([{ id: '7', name: 'Kari' }])
  found.push({ ...kari, customerId: '8', firstName: 'Ola' })
  expect((await app.customers('91234567')).body).toHaveLength(2)
})

test('when the template fails on what was found, then the answer is 500, and nothing of the person is in it or in the log', async () => {
  await using app = await startLookups({
    customers: [finding('crm', kari)],
    config: { customers: { answer: 'customers.(firstName = "Kari" ? $number(firstName) : 1)' } },
  })
  const answer = await app.customers('91234567')
  expect(answer).toMatchObject({ status: 500, body: { code: 'internal-error' } })
  expect(JSON.stringify(app.lines)).toContain('lookups.customers.answer failed')
  expect(answer.text + JSON.stringify(app.lines)).not.toMatch(/kari|91234567/i)
})

test('when an adapter of the operator’s own leaves fields out, or gives no list, then the others’ rows are as good as ever', async () => {
  const sparse = { extId: 'C-1', firstName: 'Kari' } as CustomerRecord
  const other = { extId: 'C-2', firstName: 'Ola' } as CustomerRecord
  const noList = { name: 'no-list', search: async () => null as unknown as CustomerRecord[] }
  await using app = await startLookups({ customers: [finding('crm', sparse, other), noList] })
  const { headers, body } = await app.customers('91234567')
  expect(headers['tillbridge-missing']).toBe('no-list')
  expect(body).toMatchObject([
    { firstName: 'Kari', email: null },
    { firstName: 'Ola', phone: null },
  ])
})

test.each([
  'query=kari+club@example.com',
  'query=kari%2Bclub%40example.com',
  'query=kari%252Bclub%2540example.com',
  'query=%20kari%2Bclub%40example.com+',
])('a customer whose address has a plus is found, however the POS escapes it: %s', async (query) => {
  await using app = await startLookups({ customers: [finding('crm', { ...kari, email: 'kari+club@example.com' })] })
  const answer = await app.get(`/api/customers/search?${query}`)
  expect(answer).toMatchObject({ status: 200, body: [{ email: 'kari+club@example.com' }] })
})

test.each([
  ['a row that is null', null],
  ['a phone that is a number', { extId: 'C-1', phone: 91234567 }],
  ['an address that is an object', { extId: 'C-1', email: { address: 'kari@example.com' } }],
])('when a source answers %s, then it is the one that is missing, and the POS has the others', async (_, row) => {
  await using app = await startLookups({
    customers: [finding('crm', row as unknown as CustomerRecord), finding('directory', kari)],
  })
  expect(await app.customers('91234567')).toMatchObject({
    status: 200,
    headers: { 'tillbridge-sources': 'directory', 'tillbridge-missing': 'crm' },
    body: [{ customerId: 7 }],
  })
})

test('when two systems know different people by one phone, then nobody gets the e-mail address of the other', async () => {
  await using app = await startLookups({
    customers: [
      finding('directory', person({ customerId: '1', email: 'kari@example.com', phone: '+4791234567' })),
      finding('crm', person({ extId: 'C-2', email: 'per@example.com', city: 'Bergen', phone: '+4791234567' })),
      finding('shop', person({ firstName: 'Ola', phone: '+4745678901' })),
      finding('web', person({ firstName: 'Eva', email: 'eva@example.com', phone: '+4745678901' })),
      finding('app', person({ firstName: 'Eva Marie', city: 'Oslo', phone: '+4745678901' })),
    ],
  })
  const { body } = await app.customers('91234567')
  expect(body).toMatchObject([
    { email: 'kari@example.com', customerExtId: null, city: null },
    { email: 'per@example.com', city: 'Bergen' },
    { firstName: 'Ola', email: null, city: null },
    { firstName: 'Eva', email: 'eva@example.com' },
    { firstName: 'Eva Marie' },
  ])
})
