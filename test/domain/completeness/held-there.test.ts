import { expect, test } from 'vitest'
import type { OldestGap } from '../../../src/domain/completeness/gap.ts'
import {
  completeThere,
  type DestinationSeen,
  heldThere,
  NEVER_ASKED,
} from '../../../src/domain/completeness/held-there.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'

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
  expect([...heldThere(oldest, all)]).toEqual([
    ['bi', { verdict: 'gaps', gaps: 4 }],
    ['erp', { verdict: 'unknown', gaps: 2 }],
    ['shop', { verdict: 'gaps', gaps: 2 }],
  ])
  expect([...heldThere(oldest, { until: 6 * DAY, storeId: '12' })]).toEqual([
    ['bi', { verdict: 'unknown', gaps: 2 }],
    ['erp', { verdict: 'unknown', gaps: 2 }],
  ])
})

test('When a destination was asked lately, then it is proven until then; one that was not, or that config has no more, is not', () => {
  const asked = { ...NEVER_ASKED, askedAt: NOW, from: DAY, until: NOW - DAY }
  const seen = { bi: asked, late: { ...asked, until: NOW - 3 * DAY }, mail: { ...NEVER_ASKED, cannot: 'it cannot' } }
  const held = heldThere([gap('gone', 'not-there')], { until: null, storeId: null })
  const verdicts = (until: number | null) =>
    completeThere(seen, held, { until, now: NOW }).map(({ name, verdict }) => `${name} ${verdict}`)
  expect(verdicts(null)).toEqual(['bi proven', 'gone gaps', 'late unknown', 'mail unknown'])
  expect(verdicts(NOW - 3 * DAY)).toEqual(['bi proven', 'gone gaps', 'late proven', 'mail unknown'])
  expect(verdicts(NOW)).toEqual(['bi unknown', 'gone gaps', 'late unknown', 'mail unknown'])
  // Of what came before the first day that it was asked for, nobody knows.
  expect([verdicts(DAY), verdicts(DAY + 1)].map(([bi]) => bi)).toEqual(['bi unknown', 'bi proven'])
})

test('When a destination could tell of nothing that it was asked for, then nothing is proven of it', () => {
  const sums = { givenSum: parseDecimal(0), thereSum: parseDecimal(0), there: 0 }
  const day = { day: '1970-01-05', flow: 'book-sale', currency: 'NOK', given: 3, unknown: 3, ...sums }
  const verdictOf = (...days: DestinationSeen['days']) =>
    completeThere({ files: { ...NEVER_ASKED, askedAt: NOW, from: DAY, until: NOW - DAY, days } }, new Map(), {
      until: null,
      now: NOW,
    })[0]?.verdict
  expect(verdictOf(day)).toBe('unknown')
  expect(verdictOf(day, { ...day, unknown: 2, there: 1 })).toBe('proven')
  // Nothing was given to it.
  expect(verdictOf()).toBe('proven')
})
