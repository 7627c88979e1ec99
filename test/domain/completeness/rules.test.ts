import { expect, test } from 'vitest'
import { beginningOf, instantsOf, provenBy, zonesOf } from '../../../src/domain/completeness/source-record.ts'
import { whyShort } from '../../../src/jobs/reconciliation/list.ts'

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

test('when a list lacks what events told of, then it is not believed, but for a few sales that may be void', () => {
  expect(whyShort(100, 1, { listed: 99, voids: false })).toContain('lacks 1 of 100')
  expect(whyShort(100, 0, { listed: 100, voids: false })).toBeNull()
  expect(whyShort(100, 20, { listed: 80, voids: true })).toBeNull()
  expect(whyShort(100, 21, { listed: 79, voids: true })).not.toBeNull()
  expect(whyShort(4, 2, { listed: 2, voids: true })).toBeNull()
  expect(whyShort(1, 1, { listed: 0, voids: true })).not.toBeNull()
})
