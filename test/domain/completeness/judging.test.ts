import { expect, test } from 'vitest'
import { completenessOf, verdictOf } from '../../../src/domain/completeness/completeness.ts'
import { logReachesBack, nearness, RETENTION } from '../../../src/domain/completeness/horizon.ts'

const MINUTE = 60_000
const NOW = Date.parse('2026-11-20T12:00:00Z')
const MARK = {
  level: 'log',
  kind: 'SaleCreated',
  storeId: null,
  from: 0,
  until: NOW - 20 * MINUTE,
  since: NOW,
} as const
const GAP = {
  kind: 'SaleCreated',
  storeId: '12',
  destination: null,
  cause: 'failed',
  at: NOW - 50 * MINUTE,
  count: 2,
} as const

test('when the newest record of before is gone from the log, then it does not reach back, whatever it holds by rule', () => {
  const from = NOW - 60 * MINUTE
  const gone = { at: from - MINUTE, isShown: false }
  expect(logReachesBack({ from, now: NOW, marker: gone })).toBe(false)
  expect(logReachesBack({ from, now: NOW, marker: { ...gone, isShown: true } })).toBe(true)
  // It has gone by rule.
  expect(logReachesBack({ from, now: NOW, marker: { at: NOW - RETENTION - 1, isShown: false } })).toBe(true)
  expect(logReachesBack({ from: NOW - RETENTION, now: NOW, marker: null })).toBe(false)
  expect([0.1, 0.5, 0.8, 1].map((share) => nearness(NOW - share * RETENTION, NOW))).toEqual([
    'far',
    'half',
    'near',
    'passed',
  ])
})

test('when it is asked whether all is here, then a gap of one store is no gap of another, and an old watermark is none', () => {
  const asked = { until: null, storeId: null, now: NOW }
  const [whole] = completenessOf([MARK], { log: [GAP] }, asked)
  expect(whole).toMatchObject({ verdict: 'proven', gaps: 0 })
  const own = { ...MARK, storeId: '12', until: GAP.at }
  const all = completenessOf([MARK, own], { log: [GAP] }, asked)
  expect(all.map(({ verdict }) => verdict)).toEqual(['proven', 'gaps'])
  expect(verdictOf(all)).toBe('gaps')
  // That the log had erased it is no loss yet: nobody knows, until a person has explained it.
  const unexplained = completenessOf([own], { log: [{ ...GAP, cause: 'not-looked-at' }] }, asked)
  expect([unexplained[0]?.gaps, verdictOf(unexplained)]).toEqual([2, 'unknown'])
  expect(verdictOf(completenessOf([own], { log: [{ ...GAP, cause: 'not-looked-at' }, GAP] }, asked))).toBe('gaps')
  const [before] = completenessOf([own], { log: [GAP] }, { ...asked, until: GAP.at })
  expect(before?.verdict).toBe('proven')
  expect(verdictOf(completenessOf([MARK], {}, { ...asked, until: NOW }))).toBe('unknown')
  expect(verdictOf([])).toBe('unknown')
})

test('when a source found something missing, and compares nothing any more, then it is missing all the same', () => {
  const asked = { until: null, storeId: null, now: NOW }
  const found = { ...GAP, cause: 'missing' } as const
  const all = completenessOf([MARK], { lists: [found] }, asked)
  expect(all.map(({ level, storeId, gaps, verdict }) => [level, storeId, gaps, verdict])).toEqual([
    ['log', null, 0, 'proven'],
    ['lists', '12', 2, 'gaps'],
  ])
  expect(verdictOf(completenessOf([MARK], { pos: [{ ...GAP, kind: null, cause: 'z-again' }] }, asked))).toBe('unknown')
  // Neither of another store, nor of later.
  for (const other of [{ storeId: '13' }, { until: GAP.at }])
    expect(verdictOf(completenessOf([MARK], { lists: [found] }, { ...asked, ...other }))).toBe('proven')
})

test('when events are known to come late, then lately is so much earlier', () => {
  const HOUR = 60 * MINUTE
  const judged = (lag: number, until: number | null = null) =>
    completenessOf([{ ...MARK, until: NOW - 3 * HOUR }], {}, { until, storeId: null, now: NOW, lag })[0]?.verdict
  expect([judged(0), judged(2 * HOUR)]).toEqual(['unknown', 'proven'])
  expect(judged(2 * HOUR, NOW - HOUR)).toBe('unknown')
})

test('when a shop was closed over the weekend, then what its POS have balanced is not stale yet', () => {
  const HOUR = 60 * MINUTE
  const mark = { ...MARK, level: 'pos', storeId: '12' } as const
  const judged = (behind: number, until: number | null = null) =>
    completenessOf([{ ...mark, until: NOW - behind }], {}, { until, storeId: '12', now: NOW })[0]?.verdict
  expect(judged(60 * HOUR)).toBe('proven')
  expect(judged(80 * HOUR)).toBe('unknown')
  // Who asks until an instant is told of that instant.
  expect(judged(2 * HOUR, NOW - HOUR)).toBe('unknown')
  expect(judged(2 * HOUR, NOW - 3 * HOUR)).toBe('proven')
})

const HOUR = 60 * MINUTE
const BEGUN = { ...MARK, from: NOW - 10 * HOUR, until: NOW - 20 * MINUTE } as const

test('when it is asked about time before a watermark begins, then nobody knows: nobody has looked', () => {
  const judged = (until: number | null, more: { from?: number; since?: number } = {}) => {
    const { from = BEGUN.from, since } = more
    const asked = { until, storeId: null, now: NOW, lag: 15 * MINUTE, ...(since !== undefined && { since }) }
    return completenessOf([{ ...BEGUN, from }], {}, asked)[0]?.verdict
  }
  expect([judged(0), judged(BEGUN.from), judged(BEGUN.from + 1)]).toEqual(['unknown', 'unknown', 'proven'])
  // All of a day is asked about.
  expect(judged(NOW - HOUR, { since: BEGUN.from - 1 })).toBe('unknown')
  expect(judged(NOW - HOUR, { since: BEGUN.from })).toBe('proven')
  // Lately is two hours ago, and the lag.
  expect([judged(null, { from: NOW - 2 * HOUR }), judged(null, { from: NOW - 3 * HOUR })]).toEqual([
    'unknown',
    'proven',
  ])
  // What has no length proves nothing.
  expect(judged(null, { from: BEGUN.until })).toBe('unknown')
})

test('when lists or POS begin later than the log, then the log alone says what was before; a POS alone says what it has counted', () => {
  const lists = { ...BEGUN, level: 'lists', from: NOW - 5 * HOUR } as const
  const pos = { ...BEGUN, level: 'pos', storeId: '12', from: NOW - 4 * HOUR } as const
  const asked = { storeId: null, now: NOW, until: NOW - 6 * HOUR }
  const said = (marks: Parameters<typeof completenessOf>[0], more = {}) =>
    completenessOf(marks, {}, { ...asked, ...more }).map(({ level, verdict }) => `${level} ${verdict}`)
  expect(said([BEGUN, lists, pos])).toEqual(['log proven'])
  expect(said([BEGUN, lists, pos], { until: NOW - 3 * HOUR })).toEqual(['log proven', 'lists proven', 'pos proven'])
  // Of another store the log was looked through, or of another kind.
  expect(said([{ ...BEGUN, storeId: '13' }, pos])).toEqual(['log proven', 'pos unknown'])
  expect(said([{ ...BEGUN, kind: 'CustomerCreated' }, pos])).toEqual(['log proven', 'pos unknown'])
  // Lists and POS take nothing from what the log does not know.
  expect(said([lists, pos])).toEqual(['lists unknown', 'pos unknown'])
  const longAgo = { ...pos, from: NOW - 40 * HOUR }
  expect(said([longAgo])).toEqual(['pos proven'])
  expect(said([{ ...BEGUN, from: NOW - HOUR }, longAgo])).toEqual(['log unknown', 'pos proven'])
  // A gap is told whenever its line begins.
  const gap = { ...GAP, cause: 'z-missing', at: NOW - 7 * HOUR } as const
  expect(completenessOf([BEGUN, pos], { pos: [gap] }, asked).map(({ verdict }) => verdict)).toEqual(['proven', 'gaps'])
})

test('when a log is wanted, and nobody has begun with it, then it stands as never scanned, and nothing is proven', () => {
  const asked = { storeId: null, now: NOW, until: null }
  const said = (wanted: Parameters<typeof completenessOf>[3], more = {}) =>
    completenessOf([BEGUN, { ...BEGUN, kind: 'OrderCreated', storeId: '12' }], {}, { ...asked, ...more }, wanted)
      .filter(({ neverScanned }) => neverScanned)
      .map(({ kind, storeId }) => `${kind} ${storeId}`)
  expect(said([{ kind: 'SaleCreated', storeId: null }])).toEqual([])
  expect(said([{ kind: 'CustomerCreated', storeId: null }])).toEqual(['CustomerCreated null'])
  expect(said([{ kind: 'OrderCreated', storeId: undefined }])).toEqual([])
  const two = ['12', '13'].map((storeId) => ({ kind: 'OrderCreated', storeId }))
  expect(said(two)).toEqual(['OrderCreated 13'])
  expect([said(two, { storeId: '12' }), said(two, { storeId: '13' })]).toEqual([[], ['OrderCreated 13']])
  expect(verdictOf(completenessOf([BEGUN], {}, asked, two))).toBe('unknown')
  expect(completenessOf([], {}, { ...asked, until: 0 }, two).map(({ verdict }) => verdict)).toEqual([
    'unknown',
    'unknown',
  ])
})

test('when a store has no subscription, then lists that are compared for others say nothing of it', () => {
  const lists = { ...BEGUN, level: 'lists' } as const
  const of = (storeId: string) =>
    completenessOf([{ ...BEGUN, storeId: '12' }, lists], {}, { until: null, storeId, now: NOW }).map(
      ({ level }) => level,
    )
  expect([of('12'), of('13')]).toEqual([['log', 'lists'], []])
})
