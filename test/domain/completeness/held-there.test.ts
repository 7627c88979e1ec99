import { describe, expect, test } from 'vitest'
import type { OldestGap } from '../../../src/domain/completeness/gap.ts'
import {
  type DestinationReconciliation,
  destinationCompleteness,
  destinationVerdicts,
  NEVER_RECONCILED,
} from '../../../src/domain/completeness/held-there.ts'
import { createDayCounts, differenceOf, type Reconciled } from '../../../src/domain/completeness/reconciled.ts'
import { money, parseDecimal } from '../../../src/domain/values/money.ts'

const DAY = 86_400_000
const NOW = 10 * DAY
const gap = (destination: string, cause: OldestGap['cause'], more: Partial<OldestGap> = {}): OldestGap => ({
  ...{ destination, cause, kind: 'SaleCreated', storeId: '12', at: 5 * DAY, count: 2 },
  ...more,
})

test('When destinations have open gaps, then a loss counts more than what has to be explained, in that time and store', () => {
  const oldest = [
    gap('bi', 'other-amount'),
    gap('bi', 'not-there', { at: 7 * DAY }),
    gap('erp', 'there-twice', { storeId: null }),
    gap('shop', 'not-there', { storeId: '13' }),
  ]
  const all = { until: null, storeId: null }
  expect([...destinationVerdicts(oldest, all)]).toEqual([
    ['bi', { verdict: 'gaps', gaps: 4 }],
    ['erp', { verdict: 'unknown', gaps: 2 }],
    ['shop', { verdict: 'gaps', gaps: 2 }],
  ])
  expect([...destinationVerdicts(oldest, { until: 6 * DAY, storeId: '12' })]).toEqual([
    ['bi', { verdict: 'unknown', gaps: 2 }],
    ['erp', { verdict: 'unknown', gaps: 2 }],
  ])
})

test('When a destination was asked lately, then it is proven until then; one that was not, or that config has no more, is not', () => {
  const asked = { ...NEVER_RECONCILED, askedAt: NOW, from: DAY, until: NOW - DAY }
  const seen = {
    bi: asked,
    late: { ...asked, until: NOW - 3 * DAY },
    mail: { ...NEVER_RECONCILED, cannot: 'it cannot' },
  }
  const held = destinationVerdicts([gap('gone', 'not-there')], { until: null, storeId: null })
  const verdicts = (until: number | null) =>
    destinationCompleteness(seen, held, { until, now: NOW }).map(({ name, verdict }) => `${name} ${verdict}`)
  expect(verdicts(null)).toEqual(['bi proven', 'gone gaps', 'late unknown', 'mail unknown'])
  expect(verdicts(NOW - 3 * DAY)).toEqual(['bi proven', 'gone gaps', 'late proven', 'mail unknown'])
  expect(verdicts(NOW)).toEqual(['bi unknown', 'gone gaps', 'late unknown', 'mail unknown'])
  // Of what came before the first day that it was asked for, nobody knows.
  expect([verdicts(DAY), verdicts(DAY + 1)].map(([bi]) => bi)).toEqual(['bi unknown', 'bi proven'])
})

test('When a destination could tell of nothing that it was asked for, then nothing is proven of it', () => {
  const sums = { givenSum: parseDecimal(0), thereSum: parseDecimal(0), there: 0 }
  const day = { day: '1970-01-05', flow: 'book-sale', currency: 'NOK', given: 3, unknown: 3, ...sums }
  const verdictOf = (...days: DestinationReconciliation['days']) =>
    destinationCompleteness(
      { files: { ...NEVER_RECONCILED, askedAt: NOW, from: DAY, until: NOW - DAY, days } },
      new Map(),
      {
        until: null,
        now: NOW,
      },
    )[0]?.verdict
  expect(verdictOf(day)).toBe('unknown')
  expect(verdictOf(day, { ...day, unknown: 2, there: 1 })).toBe('proven')
  // Nothing was given to it.
  expect(verdictOf()).toBe('proven')
})

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
