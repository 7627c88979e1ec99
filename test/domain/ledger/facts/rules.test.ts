import { expect, test } from 'vitest'
import { holdsUp, judgedBy, provenBy } from '../../../../src/domain/ledger/facts/bound.ts'
import { mayStillCome } from '../../../../src/domain/ledger/facts/may-come.ts'
import { whyShort } from '../../../../src/domain/ledger/facts/short-list.ts'
import { disagree, matchLines, type SoldLine } from '../../../../src/domain/ledger/facts/sold-lines.ts'
import { beginningOf, instantsOf, zonesOf } from '../../../../src/domain/ledger/facts/wall-clock.ts'

const OSLO = ['Europe/Oslo']
const at = (text: string) => Date.parse(text)
const iso = (instant: number) => new Date(instant).toISOString()

test('when a wall clock shows an hour that comes twice, or stores are in several zones, then it means several instants', () => {
  const twice = instantsOf('2026-10-25T02:30:00', OSLO)
  expect([iso(twice.earliest), iso(twice.latest)]).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'])
  const two = instantsOf('2026-11-20T12:00:00', ['Europe/Oslo', 'Europe/Helsinki'])
  expect([iso(two.earliest), iso(two.latest)]).toEqual(['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z'])
  const exact = instantsOf('2026-11-20T12:00:00+01:00', ['Europe/Helsinki'])
  expect(exact.earliest).toBe(exact.latest)
  expect(zonesOf([{ zone: null }])).toHaveLength(2)
  expect(zonesOf([])).toHaveLength(2)
})

test('when a fact may be older or younger than the bound, then nothing from it on is proven, unless an event told of it', () => {
  const sure = { earliest: 10, latest: 10 }
  const unsure = { earliest: 40, latest: 60 }
  const old = { earliest: 1, latest: 4 }
  const young = { earliest: 50, latest: 50 }
  expect(judgedBy([sure, unsure, old, young], { from: 5, to: 50 })).toEqual({ judged: [sure], doubtful: [unsure] })
  expect(holdsUp(unsure, false, { until: 40, wasThere: true })).toBe(true)
  expect(holdsUp(unsure, true, { until: 40, wasThere: false })).toBe(false)
  // That has been said to be proven already.
  expect(holdsUp(unsure, false, { until: 41, wasThere: true })).toBe(false)
  expect(holdsUp(unsure, false, { until: 41, wasThere: false })).toBe(true)
})

test('when days were read, then they prove from where the first has begun everywhere to where the next begins anywhere', () => {
  const zones = ['Europe/Oslo', 'Europe/Helsinki']
  const ranges = provenBy(['2026-11-21', '2026-11-20', '2026-11-23'], zones, at('2026-11-23T12:00:00Z'))
  expect(ranges.map(({ from, to }) => [iso(from), iso(to)])).toEqual([
    ['2026-11-19T23:00:00.000Z', '2026-11-21T22:00:00.000Z'],
    ['2026-11-22T23:00:00.000Z', '2026-11-23T12:00:00.000Z'],
  ])
  expect(provenBy(['2026-11-20'], OSLO, at('2026-11-19T12:00:00Z'))).toEqual([])
  expect(beginningOf('2026-11-20', OSLO)).toEqual({ first: at('2026-11-19T23:00Z'), all: at('2026-11-19T23:00Z') })
})

test('when lines are matched, then each told line stands for one listed line, the same second first', () => {
  const line = (second: number, more: Partial<SoldLine> = {}): SoldLine => {
    return { store: '101', gtin: '70', quantity: '1', unitPrice: '10', at: second * 1_000, ...more }
  }
  // The second of three like it was never told: it is that one that lacks, and not the last.
  expect(matchLines([line(1), line(3), line(5)], [line(1), line(5)])).toEqual({ isTold: [true, false, true], left: 0 })
  expect(matchLines([line(1)], [line(4)]).isTold).toEqual([true])
  expect(matchLines([line(1)], [line(9)])).toEqual({ isTold: [false], left: 1 })
  expect(matchLines([line(1)], [line(1, { unitPrice: '9.5' })]).isTold).toEqual([true])
  expect(matchLines([line(1)], [line(1, { store: '102' })]).isTold).toEqual([false])
  expect(matchLines([line(1), line(1)], [line(1)]).isTold).toEqual([true, false])
})

test('when most lines and most events have no match in each other, then they are written in two ways', () => {
  expect(disagree(100, 60, 100, 60)).toBe(true)
  expect(disagree(100, 60, 40, 0)).toBe(false)
  expect(disagree(10, 10, 10, 10)).toBe(false)
})

test('when the log may still bring an event, then a thinner fact of a list waits for it', () => {
  const mark = { level: 'log', kind: 'K', storeId: null, from: 0, until: 50, since: 0 } as const
  const log = {
    kind: 'K',
    marks: [mark],
    looked: [{ from: 0, to: 80 }],
    gone: [{ from: 90, to: 95 }],
    isOnItsWay: false,
  }
  const waits = (latest: number, more: Partial<typeof log> = {}) =>
    mayStillCome({ storeId: '1', latest }, { ...log, ...more })
  expect([waits(10), waits(70), waits(85), waits(92)]).toEqual([false, false, true, false])
  expect(waits(10, { isOnItsWay: true })).toBe(true)
  expect(waits(92, { isOnItsWay: true })).toBe(false)
  expect(waits(85, { marks: [] })).toBe(false)
})

test('when a list lacks what events told of, then it is not believed, but for a few sales that may be void', () => {
  expect(whyShort(100, 1, { listed: 99, voids: false })).toContain('lacks 1 of 100')
  expect(whyShort(100, 0, { listed: 100, voids: false })).toBeNull()
  expect(whyShort(100, 20, { listed: 80, voids: true })).toBeNull()
  expect(whyShort(100, 21, { listed: 79, voids: true })).not.toBeNull()
  expect(whyShort(4, 2, { listed: 2, voids: true })).toBeNull()
  expect(whyShort(1, 1, { listed: 0, voids: true })).not.toBeNull()
})
