import { expect, test } from 'vitest'
import { PROVEN_BY_LISTS, rangeOf, stretchesByLists } from '../../../src/domain/completeness/gap.ts'

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
