import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { copiesText, renderTable } from '../../../sandbox/demo/table.ts'
import { isRight, tally } from '../../../sandbox/demo/tally.ts'

test('When both sides hold the same keys, then it is right, in whatever order they came', () => {
  const row = tally({ name: 'mails', expected: ['a', 'b'], counted: ['b', 'a'] })
  expect(row).toEqual({ name: 'mails', expected: 2, counted: 2, copies: 0, missing: [], extra: [] })
  expect(isRight(row)).toBe(true)
})

test('When the numbers agree and the keys do not, then it is wrong, and both keys are named', () => {
  const row = tally({ name: 'mails', expected: ['a', 'b'], counted: ['a', 'c'] })
  expect(row).toMatchObject({ expected: 2, counted: 2, missing: ['b'], extra: ['c'] })
  expect(isRight(row)).toBe(false)
})

test('When one arrived twice, then the copy is extra', () => {
  expect(tally({ name: 'mails', expected: ['a'], counted: ['a', 'a'] })).toMatchObject({ missing: [], extra: ['a'] })
})

test('When the same is expected twice and came once, then one is missing', () => {
  expect(tally({ name: 'mails', expected: ['a', 'a'], counted: ['a'] })).toMatchObject({ missing: ['a'], extra: [] })
})

test('When the table is drawn, then it says what is wrong by name, and how many more there are', () => {
  const many = Array.from({ length: 12 }, (_, index) => `key-${index}`)
  const rows = [
    tally({ name: 'orders in the shop', expected: ['a'], counted: ['a'] }),
    tally({ name: 'texts', expected: many, counted: [] }),
  ]
  const text = stripVTControlCharacters(renderTable(rows))
  expect(text).toMatch(/orders in the shop +1 +1 +0 +ok/)
  expect(text).toMatch(/texts +12 +0 +0 +WRONG/)
  expect(text).toContain('texts, missing: key-0 · key-1')
  expect(text).toContain('… and 2 more')
})

test('When something came twice under one id, then what that means is said, and a receipt that came twice is no "once"', () => {
  const row = (name: string, copies: number) => tally({ name, expected: ['a'], counted: ['a'], copies })
  expect(copiesText([row('sales at the bus', 0)])).toBe('Everything that the till did has happened, once.')
  expect(copiesText([row('sales at the bus', 4)])).toMatch(
    /, once\.\nCopies: 4 came twice under one id: the hub was killed/,
  )
  expect(copiesText([row('receipts by SMS', 1)])).toMatch(/has happened\.\nOf receipts, 1 went out twice/)
})
