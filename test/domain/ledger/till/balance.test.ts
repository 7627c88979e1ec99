import { describe, expect, test } from 'vitest'
import { unbalanced } from '../../../../src/domain/ledger/till/balance.ts'
import { MEANINGS, PROFILES } from '../../../../src/domain/ledger/till/meanings.ts'
import { differenceText } from '../../../../src/domain/ledger/till/named-sum.ts'
import { paymentSums } from '../../../../src/domain/ledger/till/payments.ts'
import { counts } from '../../../../src/domain/ledger/till/span.ts'
import { decimal, receipt, report } from './given.ts'

const { no } = PROFILES
const texts = (...args: Parameters<typeof unbalanced>) => unbalanced(...args).map(differenceText)

test('when the receipts are what the till has counted, then nothing differs', () => {
  expect(unbalanced(report(1), [receipt(1)], no)).toEqual([])
})

test('when one lacks, then the count, the total, the way it was paid and its rate say so', () => {
  expect(texts(report(1), [], no)).toEqual([
    'receipts: 1 at the till, 0 here',
    'total: 100 at the till, 0 here',
    'card: 100 at the till, 0 here',
    'VAT 25 %: 100 at the till, 0 here',
  ])
})

test('when it was paid in another way than the till says, then both ways differ', () => {
  const paid = { cash: decimal(101), rounding: decimal(-1) }
  expect(texts(report(1), [receipt(1, { payments: paid })], no)).toEqual([
    'card: 100 at the till, 0 here',
    'cash: 0 at the till, 101 here',
    'rounding: 0 at the till, -1 here',
  ])
  expect(texts(report(1), [receipt(1, { payments: paid })], { ...no, payments: 'total' })).toEqual([])
  expect(texts(report(1), [receipt(1, { payments: {} })], { ...no, payments: 'none' })).toEqual([])
})

test('when the till writes sales at a rate with VAT, or before it, then either is understood, unless config says which', () => {
  const withVat = report(1, { rates: [{ rate: decimal('0.25'), sales: decimal(100), vat: decimal(20) }] })
  expect(texts(withVat, [receipt(1)], no)).toEqual([])
  expect(texts(withVat, [receipt(1)], { ...no, rates: 'with-vat' })).toEqual([])
  expect(texts(withVat, [receipt(1)], { ...no, rates: 'before-vat' })).toEqual(['VAT 25 %: 120 at the till, 100 here'])
  expect(texts(report(1), [receipt(1)], { ...no, rates: 'with-vat' })).toEqual(['VAT 25 %: 80 at the till, 100 here'])
  expect(texts(withVat, [receipt(1, { rates: {} })], { ...no, rates: 'none' })).toEqual([])
})

test('when nobody knows how one of the receipts was paid, then the ways to pay are not compared, and the rest is', () => {
  const two = report(1, {
    receipts: 2,
    sold: decimal(200),
    payments: { card: decimal(150), cash: decimal(50) },
    rates: null,
  })
  const thin = receipt(1, { payments: null })
  expect(unbalanced(two, [receipt(1), thin], no)).toEqual([])
  expect(texts(two, [thin], no)).toEqual(['receipts: 2 at the till, 1 here', 'total: 200 at the till, 100 here'])
})

test('when a till does not say something, then it is not compared', () => {
  const silent = report(1, { receipts: null, payments: null, rates: null })
  expect(unbalanced(silent, [receipt(1, { payments: {} })], no)).toEqual([])
})

test('when payments are summed, then gift cards, vouchers and rounding are apart, and cards are one', () => {
  const paid = (type: string, subType: string | null, amount: number) => ({ type, subType, amount: decimal(amount) })
  expect(
    paymentSums([
      paid('Card', 'Visa', 10),
      paid('Card', 'BankAxept', 20),
      paid('Cash', 'Cash', 5),
      paid('Cash', 'ForeignCash', 7),
      paid('Cash', 'Rounding', -0.4),
      paid('Giftcard', 'Giftcard in', 50),
      paid('Giftcard', 'Giftcard out', -50),
      paid('Voucher', 'Voucher old in', 3),
      paid('Invoice', null, 1),
      paid('Swish', null, 0),
    ]),
  ).toEqual({
    card: '30',
    cash: '12',
    rounding: '-0.4',
    'giftcard in': '50',
    'giftcard out': '-50',
    'voucher old in': '3',
    invoice: '1',
  })
})

describe('which receipts a report counts', () => {
  test('when it has numbers, then those with one of them, unless they are of another time', () => {
    const numbered = report(1, { numbers: { from: 5, to: 7 } })
    const is = (no: number, day = 1) => counts(numbered, receipt(day, { no }))
    expect([4, 5, 7, 8].map((one) => is(one))).toEqual([false, true, true, false])
    expect(is(6, 2)).toBe(false)
  })

  test('when it has none, then those from its first sale to its last', () => {
    const is = (at: string) => counts(report(1), receipt(1, { at: `2026-11-01T${at}` }))
    expect(['09:59:59', '10:00:00', '18:00:00', '18:00:01'].map(is)).toEqual([false, true, true, false])
    expect(counts(report(1, { from: null, to: null }), receipt(1))).toBe(false)
  })
})

test('when a country has a profile, then it says what every field means', () => {
  for (const profile of Object.values(PROFILES))
    for (const [field, words] of Object.entries(MEANINGS))
      expect(words).toContain(profile[field as keyof typeof profile])
})
