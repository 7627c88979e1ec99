import { describe, expect, test } from 'vitest'
import { stepText } from '../../../src/cli/shared/output.ts'
import { readValue } from '../../../src/import/rows.ts'

describe('numbers', () => {
  const read = (cell: string, decimal: '.' | ',' | null, commas: boolean) =>
    readValue(cell, 'decimal', { decimal, commas, saidBy: '--decimal point or --decimal comma' })

  test.each<[string, '.' | ',' | null, boolean, string]>([
    ['1399', null, false, '1399'],
    ['1399.50', null, false, '1399.50'],
    ['-0.5', null, true, '-0.5'],
    ['.5', null, false, '0.5'],
    ['1399,50', null, false, '1399.50'],
    ['1399,500', null, true, '1399.500'],
    ['0,125', null, true, '0.125'],
    ['1.399', null, false, '1.399'],
    ['1,399', ',', true, '1.399'],
    ['1.399', '.', true, '1.399'],
    ['12345678901234567890,12', null, true, '12345678901234567890.12'],
  ])('When a cell is %s (sign %s, semicolons: %s), then it is %s', (cell, sign, commas, value) => {
    expect(read(cell, sign, commas)).toEqual({ value })
  })

  test.each<[string, '.' | ',' | null, boolean, RegExp]>([
    ['1,399', null, false, /may be 1399 or 1\.399: --decimal point or --decimal comma settles it/],
    ['1.399', null, true, /may be 1399 or 1\.399/],
    ['1.399', ',', true, /found "1\.399", expected a number with "," before its decimals/],
    ['1.399,50', null, true, /expected a number like 1399\.50, without thousands/],
    ['1 399,50', null, true, /expected a number/],
    ['NOK 20', null, true, /expected a number/],
    ['1e3', null, true, /expected a number/],
  ])('When a cell is %s (sign %s, semicolons: %s), then it is a fault', (cell, sign, commas, fault) => {
    expect(read(cell, sign, commas)).toEqual({ fault: expect.stringMatching(fault) })
  })
})

test.each([
  [{ doing: 'sending', done: 12_000, of: 30_000 } as const, 'sending  12,000 of 30,000 (40 %)  10 s'],
  [{ doing: 'taking', done: 12_000, of: 12_000 } as const, 'all 12,000 are sent, the hub is taking them  10 s'],
  [{ doing: 'changing', done: 5, of: null } as const, 'changing  5 so far  10 s'],
])('progress %j is told as %s', (step, text) => {
  expect(stepText(step, 10_000)).toBe(text)
})
