import { describe, expect, test } from 'vitest'
import { createDayCounts, differenceOf, type Reconciled } from '../../../src/domain/completeness/reconciled.ts'
import { money } from '../../../src/domain/values/money.ts'

const GIVEN = money('498.00', 'NOK')
const there = (amount: string | null, currency = 'NOK', count = 1): Reconciled => ({
  ...{ is: 'there', count, amount: amount === null ? null : money(amount, currency) },
})

describe('what differs at a destination', () => {
  test.each<[string, Reconciled, ReturnType<typeof differenceOf>]>([
    ['the same amount, however it is written', there('498.000000000'), null],
    ['no amount', there(null), null],
    ['nothing that can be told', { is: 'unknown', why: 'its file was fetched' }, null],
    ['nothing', { is: 'lacking' }, { cause: 'not-there', there: 'nothing' }],
    ['it in the trash', { is: 'lacking', why: 'in the trash' }, { cause: 'not-there', there: 'in the trash' }],
    ['no row of it', there('498', 'NOK', 0), { cause: 'not-there', there: 'nothing' }],
    ['two rows of it', there('996', 'NOK', 2), { cause: 'there-twice', there: '2 times' }],
    ['an øre more', there('498.01'), { cause: 'other-amount', there: '498.01 NOK' }],
    ['another currency', there('498', 'SEK'), { cause: 'other-amount', there: '498.00 SEK' }],
  ])('When it has %s, then that is what is said', (_, reconciled, difference) => {
    expect(differenceOf(GIVEN, reconciled)).toEqual(difference)
  })

  test('When nobody knows the amount that was given, then only whether it is there is judged', () => {
    expect(differenceOf(null, there('1'))).toBeNull()
    expect(differenceOf(null, { is: 'lacking' })?.cause).toBe('not-there')
  })
})

test('When a day is counted, then both sides have exact sums by currency, and what nobody can tell is in neither', () => {
  const counts = createDayCounts()
  const sale = { day: '2026-11-20', flow: 'book-sale' }
  counts.add({ ...sale, amount: money('0.1', 'NOK'), reconciled: there('0.1') })
  counts.add({ ...sale, amount: money('0.2', 'NOK'), reconciled: there('0.3') })
  counts.add({ ...sale, amount: money('5', 'NOK'), reconciled: { is: 'lacking' } })
  counts.add({ ...sale, amount: money('7', 'NOK'), reconciled: { is: 'unknown', why: 'fetched' } })
  counts.add({ ...sale, amount: money('9', 'NOK'), reconciled: there(null) })
  counts.add({ ...sale, amount: money('1', 'SEK'), reconciled: there('1', 'SEK') })
  counts.add({ day: '2026-11-21', flow: 'book-movement', amount: null, reconciled: there(null) })
  expect(counts.all()).toEqual([
    {
      ...{ day: '2026-11-21', flow: 'book-movement', currency: null, given: 1, there: 1, unknown: 0 },
      ...{ givenSum: '0', thereSum: '0' },
    },
    { ...sale, currency: 'NOK', given: 5, there: 3, unknown: 1, givenSum: '5.3', thereSum: '0.4' },
    { ...sale, currency: 'SEK', given: 1, there: 1, unknown: 0, givenSum: '1', thereSum: '1' },
  ])
})
