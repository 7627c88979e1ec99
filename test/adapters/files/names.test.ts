import { expect, test } from 'vitest'
import { matcherOf } from '../../../src/adapters/files/read-options.ts'
import { fileName } from '../../../src/adapters/files/write-options.ts'
import { growth, LINEAR } from '../../growth.ts'

const PLACE = { storeId: null, country: null, stockId: null }

function lineNameOf(storeNo: string, template = 'sales-{store}'): string {
  return fileName(template, { ...PLACE, storeNo, storeKey: storeNo, day: '2026-11-20', kind: 'sale', key: 'K-1' })
}

test.each([
  ['101', 'sales-101'],
  ['Ålesund / Møre', 'sales-Alesund-M-re'],
  ['--101--', 'sales-101'],
  ['///', 'sales-none'],
  ['', 'sales-none'],
  ['a..', 'sales-a'],
  ['a'.repeat(5_000), `sales-${'a'.repeat(94)}`],
])('when a store calls itself %j, then its file is fit for any system', (storeNo, name) => {
  expect(lineNameOf(storeNo)).toBe(name)
})

test.each(['-', '.', '/', ' ', 'e\u0301', '\u0301', '\ufdfa', '-a'])(
  'when a stranger writes %j a hundred thousand times and more, then the name is made in linear time',
  (piece) => {
    expect(
      growth(
        100_000,
        (size) => `a${piece.repeat(size)}b`,
        (text) => lineNameOf(text),
      ),
    ).toBeLessThan(LINEAR)
    expect(
      growth(
        100_000,
        (size) => piece.repeat(size),
        (text) => lineNameOf(text),
      ),
    ).toBeLessThan(LINEAR)
  },
)

test.each([
  ['*.csv', 'prices.CSV', true],
  ['prices-*.csv', 'prices-.csv', true],
  ['a*a', 'a', false],
  ['a*b*c', 'aXbbYc', true],
  ['a*b*c', 'acb', false],
  ['a*bc*c', 'abc', false],
  ['a.c', 'abc', false],
  ['a*', 'a\nb', false],
])('when files are asked for by %j, then %j is one: %j', (pattern, name, taken) => {
  expect(matcherOf(pattern)(name)).toBe(taken)
})

test('when a pattern has many stars, then a name that nearly fits is told in linear time', () => {
  const fits = matcherOf(`${'*a'.repeat(20)}*b`)
  expect(growth(100_000, (size) => 'a'.repeat(size), fits)).toBeLessThan(LINEAR)
})
