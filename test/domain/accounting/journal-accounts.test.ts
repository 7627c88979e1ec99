import { expect, test } from 'vitest'
import { z } from 'zod'
import { Accounts } from '../../../src/config/sections.ts'
import { WRITTEN } from './journal-kit.ts'

/** What is wrong, each as `key: message`. */
function faults(given: Record<string, unknown>): string[] {
  const issues = Accounts.safeParse({ ...WRITTEN, ...given }).error?.issues ?? []
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

test('When accounts are written as the page shows, then they are taken, and a rate 0 needs no account of VAT', () => {
  expect(faults({})).toEqual([])
  expect(Accounts.parse({ payments: {}, vat: {} }).areas).toEqual({})
})

test.each<[string, Record<string, unknown>, string]>([
  ['a number', { rounding: 7770 }, 'rounding: '],
  ['blank', { differences: ' ' }, 'differences: the number of an account, such as "1900"'],
  ['unknown', { other: '1' }, ': Unrecognized key: "other"'],
  [
    'twice there',
    { payments: { 'Card/Visa': '1', 'card / visa': '2' } },
    'payments.card / visa: another name: it is the same as "Card/Visa"',
  ],
  ['no payment', { payments: { '/Visa': '1' } }, 'payments./Visa: '],
  ['no rate', { vat: { '25 %': { sales: '1', vat: '2' } }, areas: {} }, 'vat.25 %: '],
  ['a rate in another form', { vat: { '25.0': { sales: '1', vat: '2' } }, areas: {} }, 'vat.25.0: '],
  ['a rate without VAT', { vat: { '25': { sales: '1' } }, areas: {} }, 'vat.25.vat: the account of the VAT'],
  ['an area without accounts', { areas: { 2: 11.5 } }, 'areas.2: a rate that has accounts under vat'],
  ['an area of 0 %', { areas: { 1: 0 } }, 'areas.1: '],
])('When something is %s, then it is refused by name', (_, given, expected) => {
  expect(faults(given)).toContainEqual(expect.stringContaining(expected))
})

test('When an editor asks, then every key is described', () => {
  const undescribed = Object.entries(Accounts.shape).filter(([, schema]) => !z.globalRegistry.get(schema)?.description)
  expect(undescribed.map(([key]) => key)).toEqual([])
})
