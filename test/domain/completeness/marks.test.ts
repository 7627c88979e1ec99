import { describe, expect, test } from 'vitest'
import { type KindProof, type Watermark, watermarkChanges } from '../../../src/domain/completeness/completeness.ts'
import { type OldestGap, PROVEN_BY_LISTS, rangeOf, stretchesByLists } from '../../../src/domain/completeness/gap.ts'
import {
  isSameClock,
  logReachesBack,
  NARROW,
  nearness,
  RETENTION,
  updateLogSkew,
} from '../../../src/domain/completeness/horizon.ts'

const NOW = 9_000
const PROOF: KindProof = {
  level: 'log',
  kind: 'SaleCreated',
  storeId: null,
  from: 100,
  covered: [{ from: 100, to: 1_000 }],
  excused: [],
}
const KINDS_OWN: Watermark = { level: 'log', kind: 'SaleCreated', storeId: null, from: 100, until: 1_000, since: 5_000 }

const gap = (storeId: string | null, at: number, kind: string | null = 'SaleCreated'): OldestGap => ({
  kind,
  storeId,
  at,
  destination: null,
  cause: 'failed',
  count: 1,
})

function marks(
  oldest: OldestGap[],
  {
    proof = {},
    before = [],
    separate = [],
  }: { proof?: Partial<KindProof>; before?: Watermark[]; separate?: string[] } = {},
) {
  const { changes, wentBack } = watermarkChanges(
    { ...PROOF, ...proof },
    { marks: before, oldest, now: NOW, isIsolated: (storeId) => separate.includes(storeId) },
  )
  return {
    wentBack,
    put: changes.flatMap((one) =>
      one.type === 'put' ? [[one.watermark.storeId, one.watermark.until, one.watermark.since]] : [],
    ),
    dropped: changes.flatMap((one) => (one.type === 'drop' ? [one.storeId] : [])),
  }
}

test('When nothing is open, then the watermark of the kind stands where the log was read to, and no store has its own', () => {
  expect(marks([])).toEqual({ wentBack: [], put: [[null, 1_000, NOW]], dropped: [] })
})

test('When a gap of no store is open, then it holds up all of its kind, and the oldest one counts', () => {
  expect(marks([gap(null, 700), gap(null, 400)]).put).toEqual([[null, 400, NOW]])
  expect(marks([gap(null, 700, null)]).put, 'one of no single kind holds up each').toEqual([[null, 700, NOW]])
  expect(marks([gap(null, 700, 'CustomerCreated')]).put).toEqual([[null, 1_000, NOW]])
})

test('When a gap of one store is open, then that store has its own watermark, and others are not held up', () => {
  expect(marks([gap('1', 300)]).put).toEqual([
    [null, 1_000, NOW],
    ['1', 300, NOW],
  ])
  expect(marks([gap('1', 300), gap('1', 200), gap('2', 600), gap(null, 800)]).put).toEqual([
    [null, 800, NOW],
    ['1', 200, NOW],
    ['2', 600, NOW],
  ])
})

test('When a store has proofs of its own, then they alone move its watermark', () => {
  expect(marks([gap('1', 300)], { separate: ['1'] }).put, 'those of all stores leave it alone').toEqual([
    [null, 1_000, NOW],
  ])
  const own = marks([gap('1', 300), gap('2', 200), gap(null, 600)], { proof: { storeId: '1' }, separate: ['1'] })
  expect(own.put).toEqual([['1', 300, NOW]])
})

test('When a store is held up no more, then its watermark goes, and that of its kind holds for it', () => {
  const ofStore = { ...KINDS_OWN, storeId: '1', until: 300 }
  const before = [KINDS_OWN, ofStore, { ...ofStore, kind: 'CustomerCreated' }, { ...ofStore, level: 'lists' } as const]
  expect(marks([], { before })).toEqual({ wentBack: [], put: [[null, 1_000, 5_000]], dropped: ['1'] })
  expect(marks([gap('1', 300)], { before }).dropped).toEqual([])
  expect(marks([], { before, separate: ['1'] }).dropped, 'one with proofs of its own keeps it').toEqual([])
  expect(marks([], { before, proof: { storeId: '2' }, separate: ['2'] }).dropped).toEqual([])
})

test('When a watermark goes back, then it is told from where to where; where it stands, it has stood since before', () => {
  const { put, wentBack } = marks([gap(null, 400)], { before: [KINDS_OWN] })
  expect(put).toEqual([[null, 400, NOW]])
  expect(wentBack).toEqual([{ level: 'log', kind: 'SaleCreated', storeId: null, from: 1_000, to: 400 }])
  expect(marks([], { before: [KINDS_OWN] })).toMatchObject({ put: [[null, 1_000, 5_000]], wentBack: [] })
  const ahead = marks([], { before: [{ ...KINDS_OWN, until: 900 }] })
  expect(ahead, 'forward is nothing to tell').toMatchObject({ put: [[null, 1_000, NOW]], wentBack: [] })
})

test('When a store gets its first own watermark behind that of its kind, then it is told as gone back from there', () => {
  expect(marks([gap('1', 300)], { before: [KINDS_OWN] }).wentBack).toEqual([
    { level: 'log', kind: 'SaleCreated', storeId: '1', from: 1_000, to: 300 },
  ])
})

test('When nobody has looked through a stretch, then nothing behind it is proven, unless it is excused', () => {
  const covered = [
    { from: 100, to: 500 },
    { from: 600, to: 1_000 },
  ]
  expect(marks([], { proof: { covered } }).put).toEqual([[null, 500, NOW]])
  expect(marks([], { proof: { covered, excused: [{ from: 500, to: 600 }] } }).put).toEqual([[null, 1_000, NOW]])
  expect(marks([gap(null, 50)]).put, 'a gap of before it begins takes it to its beginning').toEqual([[null, 100, NOW]])
})

const HUB = { at: 1, by: 'hub' }
const closed = (kind: string | null, from: number, to: number, reason: string = PROVEN_BY_LISTS) => ({
  kind,
  ended: { ...HUB, reason },
  evidence: { log: { from, to, why: 'the log was gone' } },
})

test('When a gap is of a stretch, then its evidence says from when until when; others are of none', () => {
  expect(rangeOf({ evidence: { log: { from: 1, to: 2 } } })).toEqual({ from: 1, to: 2 })
  for (const log of [{}, { from: 1 }, { to: 2 }, { from: '1', to: 2 }, { from: 1, to: null }])
    expect(rangeOf({ evidence: { log } }), JSON.stringify(log)).toBeNull()
  expect(rangeOf({ evidence: { lists: { from: 1, to: 2 } } })).toBeNull()
  expect(rangeOf({ evidence: {} })).toBeNull()
})

test('When lists have closed gaps, then their stretches are told in order of time, then by kind', () => {
  const gaps = [
    closed('SaleCreated', 30, 40),
    closed('SaleCreated', 10, 20),
    closed('CustomerCreated', 10, 15),
    closed('SaleCreated', 1, 2, 'a person has looked'),
    closed(null, 1, 2),
    { ...closed('SaleCreated', 1, 2), ended: null },
    { ...closed('SaleCreated', 1, 2), evidence: {} },
  ]
  const why = 'the log was gone'
  expect(stretchesByLists(gaps)).toEqual([
    { kind: 'CustomerCreated', why, from: 10, to: 15 },
    { kind: 'SaleCreated', why, from: 10, to: 20 },
    { kind: 'SaleCreated', why, from: 30, to: 40 },
  ])
})

describe('the clock of the log', () => {
  const MINUTE = 60_000
  const from = Date.parse('2026-11-20T12:00:00Z')
  const asked = { from, to: from + NARROW }

  test.each([
    ['what was asked for', [from, from + 5 * MINUTE, from + NARROW], true],
    ['the tenth of a second besides', [from - 90, from + NARROW + 90], true],
    ['nothing', [], null],
    ['another quarter of an hour', [from + 15 * MINUTE], false],
    ['another hour, by a clock that is ahead', [from - 60 * MINUTE], false],
    ['the whole day', [from - 600 * MINUTE, from + MINUTE, from + 300 * MINUTE], false],
  ])('when a narrow question is answered with %s, then that tells whose clock it is', (_, answer, is) => {
    expect(isSameClock(asked, answer)).toBe(is)
  })

  test('when a question is not narrow, then its answer does not tell', () => {
    expect(isSameClock({ from, to: from + 15 * MINUTE }, [from])).toBeNull()
  })

  test('when the log shows a record that is still to come, then its clock is ahead, in quarters of an hour, and is taken to be for a week', () => {
    const HOUR = 60 * MINUTE
    const DAY = 24 * HOUR
    const NOW = 100 * DAY
    const by = (createdAt: number) => updateLogSkew(null, createdAt, NOW)?.by
    expect([by(NOW - 3_000), by(NOW + 4 * MINUTE), by(NOW + HOUR - 2_000), by(NOW + 2 * HOUR + MINUTE)]).toEqual([
      undefined,
      undefined,
      HOUR,
      2 * HOUR,
    ])
    const summer = { by: 2 * HOUR, at: NOW }
    // One that is older tells nothing.
    expect(updateLogSkew(summer, NOW, NOW + DAY)).toEqual(summer)
    // Clocks went back: what was written before that is still to be looked at.
    expect(updateLogSkew(summer, NOW + DAY + HOUR, NOW + DAY)).toEqual(summer)
    expect(updateLogSkew(summer, NOW + 8 * DAY, NOW + 8 * DAY)).toBeNull()
    expect(updateLogSkew({ by: HOUR, at: NOW }, NOW + 2 * HOUR, NOW + 1)).toEqual({ by: 2 * HOUR, at: NOW + 1 })
  })

  const NOW = Date.parse('2026-11-20T12:00:00Z')
  const DAY = 24 * 3_600_000
  const daysAgo = (days: number) => NOW - days * DAY

  test.each([
    ['of which nothing was seen before, within a week', daysAgo(6), null, true],
    ['of which nothing was seen before, of longer than that', daysAgo(7), null, false],
    ['that still shows what was seen last before it', daysAgo(30), { at: daysAgo(31), isShown: true }, true],
    ['that shows it no more, though it is not a week old', daysAgo(3), { at: daysAgo(4), isShown: false }, false],
    ['that shows it no more, since it is older than a week', daysAgo(6), { at: daysAgo(8), isShown: false }, true],
    ['that shows it no more, of longer than a week', daysAgo(8), { at: daysAgo(9), isShown: false }, false],
    ['whose last record is of after it', daysAgo(6), { at: daysAgo(5), isShown: false }, true],
  ])('when a scan begins in a log %s, then it is known whether it reaches back', (_, from, marker, is) => {
    expect(logReachesBack({ from, now: NOW, marker })).toBe(is)
  })

  test.each([
    [0, 'far'],
    [0.499, 'far'],
    [0.5, 'half'],
    [0.8, 'near'],
    [1, 'passed'],
  ])('when %d of the time of the log is gone, then it is %s', (share, is) => {
    expect(nearness(NOW - share * RETENTION, NOW)).toBe(is)
  })
})
