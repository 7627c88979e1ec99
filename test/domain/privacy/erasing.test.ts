import { expect, test } from 'vitest'
import { identifiersOf, noIdentifiers, personNodesOf } from '../../../src/domain/privacy/person-nodes.ts'
import { PERSONAL_FIELDS } from '../../../src/domain/privacy/personal-fields.ts'
import { keyTextsOf, platformIdsOf, resolvePerson } from '../../../src/domain/privacy/resolution.ts'
import {
  type Erasing,
  mentionsOf,
  pseudonymize,
  rewriteJson,
  withoutIds,
  withoutKeys,
  withoutMentions,
} from '../../../src/domain/privacy/rewriting.ts'
import { searchKeysOf } from '../../../src/domain/queue/search-keys.ts'
import { createLogger } from '../../../src/lib/logger.ts'

const TOKEN = '0000beef'
const [SAID] = personNodesOf('CustomerCreated', {
  customerId: 17,
  firstName: 'Bo',
  lastName: 'Ås',
  email: 'Bo@Canary.example',
  phone: '+4741239876',
})
const PERSON = resolvePerson({ ...noIdentifiers(), customerIds: ['17'] }, SAID ? [SAID] : [])
const BO: Erasing = { ...PERSON, keys: keyTextsOf(PERSON), mentions: mentionsOf(PERSON.values), token: TOKEN }

test('When a payload has several persons, then each is distinguished, and a store is none', () => {
  const sale = {
    store: { storeExtId: '101', phone: '22222222', address: { city: 'Oslo' } },
    customer: {
      customerId: 17,
      firstName: 'Bo',
      address: { address1: 'Gata 1' },
      phoneCountryPrefix: '47',
      phone: '412 39 876',
    },
    shippingAddress: { firstName: 'Eva', phone: '40404040' },
    orderLines: [{ name: 'T-shirt', description: 'red' }],
  }
  const nodes = personNodesOf('SaleCreated', sale)
  expect(nodes.map(identifiersOf)).toEqual([
    { ...noIdentifiers(), customerIds: ['17'], phones: ['41239876', '+4741239876'] },
    { ...noIdentifiers(), phones: ['40404040'] },
  ])
  expect(JSON.stringify(nodes)).not.toMatch(/Oslo|2222|T-shirt|red/)
  expect(personNodesOf('SaleCreated', { customer: { customerId: 0, email: '' } })).toEqual([])
})

test('When JSON of the person is rewritten, then amounts stay as they were typed, and others stay', () => {
  const text =
    '{"total":100.00,"id":12345678901234567890,"customer":{"customerId":17,"email":"bo@canary.example","phone":41239876},"shippingAddress":{"email":"eva@example.com","firstName":"Eva"},"comment":"Bo Ås, +47 BoX","text":"to BO@canary.example, not xbo@canary.example"}'
  const rewritten = rewriteJson(text, 'SaleCreated', BO, true)
  expect(rewritten).toContain('"total":100.00,"id":12345678901234567890')
  expect(rewritten).toContain('"email":"erased-0000beef@erased.invalid"')
  expect(rewritten).toContain('"shippingAddress":{"email":"eva@example.com","firstName":"Eva"}')
  expect(rewritten).toContain('"text":"to erased-0000beef@erased.invalid, not xbo@canary.example"')
  expect(JSON.parse(rewritten).customer.phone).toBeTypeOf('number')
  expect(rewriteJson('{"a": 1.0}', 'SaleCreated', BO, true), 'the same where nothing is in it').toBe('{"a": 1.0}')
  expect(rewriteJson('{"email":"eva@example.com"}', '', BO, false)).toBe('{"email":"eva@example.com"}')
  expect(rewriteJson('not JSON of bo@canary.example', '', BO, false)).toBe('not JSON of erased-0000beef@erased.invalid')
})

test('When a text is of anybody, then only identifiers are taken out of it, and never a part of a longer word or number', () => {
  const out = (text: string) => withoutKeys(text, BO)
  expect(out('Bo bought; mail xbo@canary.example2 and 041239876')).toBe(
    'Bo bought; mail xbo@canary.example2 and 041239876',
  )
  expect(out('call 41239876 now, or bo%40canary.example')).toBe(
    'call 9990000048879 now, or erased-0000beef@erased.invalid',
  )
  expect(withoutKeys('order 41239876', BO, false), 'a number of the books').toBe('order 41239876')
  expect(withoutIds('customer:17/order:117', BO)).toBe('customer:900048879/order:117')
})

test('When a text is known to be about the person, then what their fields say goes as well', () => {
  const anne = { ...BO, mentions: mentionsOf([{ name: 'firstName', sort: 'name', value: 'Anne' }]) }
  expect(withoutMentions('no such customer: ANNE, bo@canary.example. Annex 1', anne)).toBe(
    'no such customer: erased-0000beef, erased-0000beef@erased.invalid. Annex 1',
  )
})

test('When something stands instead of a value, then it has the form that its field needs', () => {
  expect(pseudonymize(TOKEN, 'email', 'a@b.c')).toBe('erased-0000beef@erased.invalid')
  expect(pseudonymize(TOKEN, 'phone', '+47 41239876')).toBe('+9990000048879')
  expect(pseudonymize(TOKEN, 'customer', '9a3c6a0e-7a35-4d7d-a0b0-2c3a5a8ff003')).toBe(
    'e0000000-0000-4000-8000-00000000beef',
  )
  expect(pseudonymize(TOKEN, 'customer', 4711)).toBe(900_048_879)
  expect(pseudonymize(TOKEN, 'name', '')).toBe('')
})

/** Names that no log line may have. */
function hiddenNames(): string[] {
  return [...PERSONAL_FIELDS].flatMap(([name, { sort, within }]) =>
    within === 'any' && ['email', 'phone', 'name', 'address', 'place'].includes(sort) ? [name] : [],
  )
}

test('When a field is on the map, then logs have no value of it', () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (text: string) => void lines.push(text) })
  for (const name of hiddenNames()) {
    const shown = ['firstName', 'lastName'].find((one) => one.toLowerCase() === name)
    if (shown) logger.info({ [shown]: 'Canary' }, 'x')
  }
  expect(lines).toHaveLength(2)
  expect(lines.join()).not.toContain('Canary')
  expect(hiddenNames().length).toBeGreaterThan(10)
})

test('When a field tells who somebody is, then whoever asks by it finds the event', () => {
  const notified = [...PERSONAL_FIELDS]
    .filter(([, { sort }]) => sort === 'email' || sort === 'phone')
    .map(([name]) => name)
  const ids = ['customerId', 'customerExtId', 'customerGuid', 'customerNo', 'extId', 'customer_id']
  expect(notified.length).toBeGreaterThan(10)
  for (const name of [...notified, ...ids, 'recipient']) {
    const payload = { customer: { [name]: /mail|recipient/i.test(name) ? 'ola@example.com' : '41239876' } }
    const [its] = personNodesOf('SaleCreated', payload).map(identifiersOf)
    expect(searchKeysOf(payload).length, name).toBeGreaterThan(0)
    expect(its && [...its.customerIds, ...its.extIds, ...its.emails, ...its.phones], name).toHaveLength(1)
  }
})

const asked = (given: Partial<ReturnType<typeof noIdentifiers>>) => ({ ...noIdentifiers(), ...given })
const nodesOf = (...payloads: object[]) => payloads.flatMap((one) => personNodesOf('CustomerCreated', one))

test('When a link says a customer, then it is the person’s by the ids that the destination is told by', () => {
  const nodes = nodesOf({ customerId: 17, customerExtId: 'B-9', email: 'bo@canary.example' })
  const person = resolvePerson(asked({ emails: ['bo@canary.example'] }), nodes)
  const { isLinked } = person
  expect([isLinked('crm', '17'), isLinked('crm', 'B-9'), isLinked('crm', '18')]).toEqual([true, false, false])
  expect([isLinked('platform', '17'), isLinked('platform', 'B-9')]).toEqual([false, true])
  expect(platformIdsOf(person)).toEqual(['17'])
  // Nothing but what was asked says who it is.
  expect(resolvePerson(asked({ customerIds: ['17'] }), []).isLinked('platform', '17')).toBe(true)
})

test('When customers share a number or an address, then it says nobody, in whatever order they came', () => {
  const anna = { customerId: 1, email: 'anna@x.example', phone: '41239876' }
  const bernt = { customerId: 2, email: 'bernt@x.example', phone: '41239876' }
  const nameless = { phone: '41239876' }
  const orders = [
    [anna, bernt, nameless],
    [nameless, bernt, anna],
  ]
  for (const payloads of orders) {
    const nodes = nodesOf(...payloads)
    const byMail = resolvePerson(asked({ emails: ['anna@x.example'] }), nodes)
    expect(byMail).toMatchObject({ customerIds: ['1'], isAmbiguous: false, alone: { phones: [] } })
    expect(byMail.notFollowed.map(({ other, why }) => `${other}: ${why}`).sort()).toEqual([
      '2: the customer ids differ',
      ': several customers have it, and nothing else says whose this is',
    ])
    expect(resolvePerson(asked({ phones: ['41239876'] }), nodes).isAmbiguous).toBe(true)
    expect(resolvePerson(asked({ emails: ['anna@x.example'], customerIds: ['2'] }), nodes)).toMatchObject({
      customerIds: expect.arrayContaining(['1', '2']),
      notFollowed: [],
      alone: { phones: ['41239876'] },
    })
  }
})

test('When an own system has the platform’s id of a customer for somebody else, then that is another key', () => {
  const nodes = nodesOf({ customerId: 17, email: 'bo@x.example' }, { customerExtId: '17', email: 'nora@x.example' })
  expect(resolvePerson(asked({ customerIds: ['17'] }), nodes)).toMatchObject({ emails: ['bo@x.example'], extIds: [] })
})
