import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  advanceWatermark,
  provenUntil,
  type Watermark,
  watermarkOf,
} from '../../../src/domain/completeness/completeness.ts'
import {
  addRange,
  coveredUntil,
  covers,
  intersectRanges,
  mergeRanges,
} from '../../../src/domain/completeness/covered.ts'
import {
  changedGap,
  coversStore,
  type DetectedGap,
  type Gap,
  gapKey,
  keyOfChange,
  type OldestGap,
} from '../../../src/domain/completeness/gap.ts'
import {
  createDayCounts,
  type DestinationReconciliation,
  destinationCompleteness,
  destinationVerdicts,
  differenceOf,
  NEVER_RECONCILED,
  type Reconciled,
} from '../../../src/domain/completeness/reconciled.ts'
import { money, parseDecimal } from '../../../src/domain/values/money.ts'

const Ranges = fc.array(
  fc.tuple(fc.nat(40), fc.nat(10)).map(([from, length]) => ({ from, to: from + length })),
  { maxLength: 8 },
)
const minutes = Array.from({ length: 60 }, (_, at) => at)

test('when ranges are added in any order, then each instant is covered as one of them covers it, and none touches another', () => {
  fc.assert(
    fc.property(Ranges, Ranges, (some, others) => {
      const ranges = mergeRanges(some)
      const isIn = (all: typeof some, at: number) => all.some(({ from, to }) => from <= at && at < to)
      expect(minutes.filter((at) => isIn(ranges, at))).toEqual(minutes.filter((at) => isIn(some, at)))
      expect(ranges.every(({ from }, nth) => nth === 0 || from > (ranges[nth - 1]?.to ?? 0))).toBe(true)
      const both = intersectRanges(ranges, mergeRanges(others))
      expect(minutes.filter((at) => isIn(both, at))).toEqual(minutes.filter((at) => isIn(some, at) && isIn(others, at)))
      expect(covers(ranges, { from: 0, to: 60 })).toBe(minutes.every((at) => isIn(some, at)))
    }),
  )
})

test('when a range is empty, then nothing is covered, and where nothing is covered, nothing is proven', () => {
  expect(addRange([], { from: 5, to: 5 })).toEqual([])
  expect(coveredUntil([{ from: 1, to: 5 }], 0)).toBe(0)
  expect(coveredUntil([{ from: 1, to: 5 }], 3)).toBe(5)
})

test('when two cover something, then what both cover is a stretch; where they only touch, there is none', () => {
  const range = (from: number, to: number) => ({ from, to })
  expect(intersectRanges([range(0, 10)], [range(5, 20), range(10, 12)])).toEqual([range(5, 10)])
})

const seen: DetectedGap = {
  source: 'log',
  cause: 'failed',
  kind: 'SaleCreated',
  storeId: '12',
  destination: null,
  day: '2026-08-03',
  subject: 'a/b',
  at: 50,
  evidence: { log: { attempts: 3 } },
}
const open: Gap = { ...seen, firstSeenAt: 100, lastSeenAt: 100, state: 'open', ended: null }
const explained: Gap = { ...open, state: 'explained', ended: { at: 120, by: 'kari', reason: 'a test' } }
const repaired: Gap = { ...open, state: 'repaired', ended: { at: 120, by: 'hub', reason: 'it came' } }

describe('what becomes of a gap', () => {
  test('When it is seen for the first time, then it is open', () => {
    expect(changedGap(null, { type: 'see', gap: seen }, 100)).toEqual(open)
  })

  test('When what was missing is here, then an open one is repaired, and no other', () => {
    const repair = { type: 'repair', key: 'k', reason: 'it came' } as const
    expect(changedGap(open, repair, 120)).toEqual(repaired)
    expect(changedGap(explained, repair, 130)).toBe(explained)
    expect(changedGap(repaired, repair, 130)).toBe(repaired)
    expect(changedGap(null, repair, 130)).toBeNull()
  })

  test('When it is seen again, then it is open again, with all that sources know; who first saw it stays', () => {
    const again: DetectedGap = {
      ...seen,
      cause: 'claimed',
      storeId: null,
      day: null,
      at: 60,
      evidence: { lists: { z: 7 } },
    }
    expect(changedGap(repaired, { type: 'see', gap: again }, 200)).toEqual({
      ...open,
      cause: 'claimed',
      at: 60,
      evidence: { log: { attempts: 3 }, lists: { z: 7 } },
      lastSeenAt: 200,
    })
    const elsewhere = { ...again, storeId: '13', day: '2026-08-04' }
    expect(changedGap(open, { type: 'see', gap: elsewhere }, 200)).toMatchObject({ storeId: '13', day: '2026-08-04' })
    // A look that took longer than the next one.
    expect(changedGap({ ...open, lastSeenAt: 300 }, { type: 'see', gap: seen }, 200)?.lastSeenAt).toBe(300)
  })

  test('When a person has explained it, then what is found out is added, and it stays as it is', () => {
    const gap: DetectedGap = { ...seen, cause: 'claimed', evidence: { pos: { z: 7 } } }
    const evidence = { log: { attempts: 3 }, pos: { z: 7 } }
    expect(changedGap(explained, { type: 'see', gap }, 200)).toEqual({ ...explained, evidence, lastSeenAt: 200 })
  })

  test('When it has a name, then that is of its source, destination, kind and subject, whatever they hold', () => {
    expect(gapKey(seen)).toBe('log//SaleCreated/a%2Fb')
    expect(gapKey({ ...seen, kind: null, destination: 'shop' })).toBe('log/shop//a%2Fb')
    expect(keyOfChange({ type: 'see', gap: seen })).toBe(gapKey(seen))
    expect(keyOfChange({ type: 'repair', key: 'k', reason: '' })).toBe('k')
  })

  test('When its store is known, then it holds up that one; else every one', () => {
    expect(['12', '13', null].map((store) => coversStore(seen, store))).toEqual([true, false, false])
    expect(['12', null].map((store) => coversStore({ storeId: null }, store))).toEqual([true, true])
  })
})

describe('the watermark of a kind', () => {
  const mark = (given: Partial<Watermark> = {}): Watermark => ({
    ...{ level: 'log', kind: 'SaleCreated', storeId: null, from: 0, until: 50, since: 60 },
    ...given,
  })

  test('When everything was looked through, then it stands at the end, or at the oldest open gap; never before its begin', () => {
    const proof = { from: 10, covered: [{ from: 0, to: 40 }], excused: [{ from: 40, to: 60 }], oldestGap: null }
    expect(provenUntil(proof)).toBe(60)
    expect(provenUntil({ ...proof, excused: [] })).toBe(40)
    expect(provenUntil({ ...proof, oldestGap: 30 })).toBe(30)
    expect(provenUntil({ ...proof, oldestGap: 99 })).toBe(60)
    expect(provenUntil({ ...proof, oldestGap: 5 })).toBe(10)
  })

  test('When it moves, then it has stood there since now; when it goes back, then somebody is told', () => {
    const to = (until: number) => ({ ...mark(), until })
    expect(advanceWatermark(null, to(50), 100)).toEqual({ watermark: mark({ since: 100 }), wentBack: false })
    expect(advanceWatermark(mark(), to(50), 100)).toEqual({ watermark: mark(), wentBack: false })
    expect(advanceWatermark(mark(), to(70), 100)).toEqual({
      watermark: mark({ until: 70, since: 100 }),
      wentBack: false,
    })
    expect(advanceWatermark(mark(), to(40), 100)).toEqual({
      watermark: mark({ until: 40, since: 100 }),
      wentBack: true,
    })
  })

  test('When a store has one of its own, then that holds for it; else the one of all, of the same level and kind', () => {
    const [all, own] = [mark(), mark({ storeId: '12' })]
    const marks = [mark({ level: 'lists', storeId: '12' }), mark({ kind: 'Other', storeId: '12' }), own, all]
    expect(watermarkOf(marks, 'log', 'SaleCreated', '12')).toBe(own)
    expect(watermarkOf(marks, 'log', 'SaleCreated', '13')).toBe(all)
    expect(watermarkOf(marks, 'log', 'SaleCreated', null)).toBe(all)
    expect(watermarkOf(marks, 'pos', 'SaleCreated', '12')).toBeNull()
    expect(watermarkOf([own], 'log', 'SaleCreated', '13')).toBeNull()
  })
})

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
  const ofDay = (since: number) =>
    destinationCompleteness(seen, held, { since, until: since + DAY, now: NOW }).map(
      ({ name, verdict }) => `${name} ${verdict}`,
    )[0]
  expect([ofDay(DAY - 1), ofDay(DAY)]).toEqual(['bi unknown', 'bi proven'])
})

test('When a destination could tell of nothing that it was asked for, then nothing is proven of it', () => {
  const sums = { givenSum: parseDecimal(0), thereSum: parseDecimal(0), there: 0 }
  const day = { day: '1970-01-05', flow: 'book-sale', currency: 'NOK', given: 3, unknown: 3, ...sums }
  const verdictOf = (...days: DestinationReconciliation['days']) =>
    destinationCompleteness(
      { files: { ...NEVER_RECONCILED, askedAt: NOW, from: DAY, until: NOW - DAY, days } },
      new Map(),
      { until: null, now: NOW },
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
