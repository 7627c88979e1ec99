import { expect, test } from 'vitest'
import { createJoining } from '../../../../src/domain/people/erasing/joining.ts'
import { needlesOf, withoutNeedles } from '../../../../src/domain/people/erasing/needles.ts'
import { identitiesOf, personNodesOf } from '../../../../src/domain/people/erasing/person-nodes.ts'
import { hiddenNames, mayBePersonal } from '../../../../src/domain/people/erasing/personal-fields.ts'
import { PERSONAL_FIELDS } from '../../../../src/domain/people/erasing/personal-names.ts'
import { standIn } from '../../../../src/domain/people/erasing/pseudonym.ts'
import { type Forgotten, rewriteJson, withoutIds } from '../../../../src/domain/people/erasing/rewriting.ts'
import { shownField } from '../../../../src/domain/people/shown-fields.ts'
import { searchKeysOf } from '../../../../src/domain/queue/search-keys.ts'
import { createLogger } from '../../../../src/lib/logger.ts'

const TOKEN = '0000beef'
const VALUES = [
  { name: 'firstName', sort: 'name', value: 'Bo' },
  { name: 'lastName', sort: 'name', value: 'Ås' },
  { name: 'email', sort: 'email', value: 'Bo@Canary.example' },
  { name: 'phone', sort: 'phone', value: '+4741239876' },
] as const
const IDENTITIES = { customerIds: ['17'], emails: ['bo@canary.example'], phones: ['+4741239876', '41239876'] }
const { isOfAnother } = createJoining(IDENTITIES)
const told = { isOfAnother, isLinked: () => false }
const BO: Forgotten = { ...IDENTITIES, ...told, alone: IDENTITIES, needles: needlesOf(VALUES), token: TOKEN }

test('When a payload has several persons, then each is told apart, and a store is none', () => {
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
  expect(nodes.map(identitiesOf)).toEqual([
    { customerIds: ['17'], emails: [], phones: ['41239876', '+4741239876'] },
    { customerIds: [], emails: [], phones: ['40404040'] },
  ])
  expect(JSON.stringify(nodes)).not.toMatch(/Oslo|2222|T-shirt|red/)
  expect(personNodesOf('SaleCreated', { customer: { customerId: 0, email: '' } })).toEqual([])
})

test('When JSON of the person is rewritten, then amounts stay as they were typed, and others stay', () => {
  const text =
    '{"total":100.00,"id":12345678901234567890,"customer":{"customerId":17,"email":"bo@canary.example","phone":41239876},"shippingAddress":{"email":"eva@example.com","firstName":"Eva"},"text":"Bo Ås, BO@canary.example, +47 BoX"}'
  const rewritten = rewriteJson(text, 'SaleCreated', BO, true)
  expect(rewritten).toContain('"total":100.00,"id":12345678901234567890')
  expect(rewritten).toContain('"email":"erased-0000beef@erased.invalid"')
  expect(rewritten).toContain('"shippingAddress":{"email":"eva@example.com","firstName":"Eva"}')
  expect(rewritten).toContain('"text":"erased-0000beef, erased-0000beef@erased.invalid, +47 BoX"')
  expect(JSON.parse(rewritten).customer.phone).toBeTypeOf('number')
  expect(rewriteJson('{"a": 1.0}', 'SaleCreated', BO, true), 'the same where nothing is in it').toBe('{"a": 1.0}')
  expect(rewriteJson('{"email":"eva@example.com"}', '', BO, false)).toBe('{"email":"eva@example.com"}')
  expect(rewriteJson('not JSON of bo@canary.example', '', BO, false)).toBe('not JSON of erased-0000beef@erased.invalid')
})

test('When a text is of anybody, then only what is sure is taken out of it, and never a part of a longer word or number', () => {
  const out = (text: string, all = false) => withoutNeedles(text, BO.needles, TOKEN, all)
  expect(out('Bo bought; mail xbo@canary.example2 and 041239876')).toBe(
    'Bo bought; mail xbo@canary.example2 and 041239876',
  )
  expect(out('call 41239876 now, or bo%40canary.example')).toBe(
    'call 9990000048879 now, or erased-0000beef@erased.invalid',
  )
  expect(out('Ås, Bo')).toBe('erased-0000beef')
  expect(withoutIds('customer:17/order:117', BO)).toBe('customer:900048879/order:117')
})

test('When something stands instead of a value, then it has the form that its field needs', () => {
  expect(standIn(TOKEN, 'email', 'a@b.c')).toBe('erased-0000beef@erased.invalid')
  expect(standIn(TOKEN, 'phone', '+47 41239876')).toBe('+9990000048879')
  expect(standIn(TOKEN, 'customer', '9a3c6a0e-7a35-4d7d-a0b0-2c3a5a8ff003')).toBe(
    'e0000000-0000-4000-8000-00000000beef',
  )
  expect(standIn(TOKEN, 'customer', 4711)).toBe(900_048_879)
  expect(standIn(TOKEN, 'name', '')).toBe('')
})

test('When a field is on the map, then neither logs nor what a replay shows have its value', () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (text: string) => void lines.push(text) })
  for (const name of hiddenNames()) {
    const shown = ['firstName', 'lastName'].find((one) => one.toLowerCase() === name)
    expect(shownField(`a.${name}`, '12345'), name).toBe('… (5 signs)')
    if (shown) logger.info({ [shown]: 'Canary' }, 'x')
  }
  expect(lines).toHaveLength(2)
  expect(lines.join()).not.toContain('Canary')
  expect(mayBePersonal('CustomerGuid')).toBe(true)
  expect(hiddenNames().length).toBeGreaterThan(10)
})

test('When a field tells who somebody is, then whoever asks by it finds the event', () => {
  const told = [...PERSONAL_FIELDS].filter(([, { sort }]) => sort === 'email' || sort === 'phone').map(([name]) => name)
  const ids = ['customerId', 'customerExtId', 'customerGuid', 'customerNo', 'extId', 'customer_id']
  expect(told.length).toBeGreaterThan(10)
  for (const name of [...told, ...ids, 'recipient']) {
    const payload = { customer: { [name]: /mail|recipient/i.test(name) ? 'ola@example.com' : '41239876' } }
    const [its] = personNodesOf('SaleCreated', payload).map(identitiesOf)
    expect(searchKeysOf(payload).length, name).toBeGreaterThan(0)
    expect(its && [...its.customerIds, ...its.emails, ...its.phones], name).toHaveLength(1)
  }
})

test('When a link says a customer, then it is the person’s by the ids that the destination is told by', () => {
  const joining = createJoining({ customerIds: [], emails: ['bo@canary.example'], phones: [] })
  for (const node of personNodesOf('CustomerCreated', {
    customerId: 17,
    customerExtId: 'B-9',
    email: 'bo@canary.example',
  }))
    joining.join(node)
  const { isLinked, platformIds } = joining.person()
  expect([isLinked('crm', '17'), isLinked('crm', 'B-9'), isLinked('crm', '18')]).toEqual([true, false, false])
  expect([isLinked('platform', '17'), isLinked('platform', 'B-9')]).toEqual([false, true])
  expect(platformIds).toEqual(['17'])
  // Nothing but what was asked says who it is.
  expect(
    createJoining({ customerIds: ['17'], emails: [], phones: [] })
      .person()
      .isLinked('platform', '17'),
  ).toBe(true)
})
