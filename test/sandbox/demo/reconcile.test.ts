import { expect, test } from 'vitest'
import { isRight, reconcile } from '../../../sandbox/demo/reconcile.ts'

test('When both sides hold the same keys, then it is right, in whatever order they came', () => {
  const row = reconcile({ name: 'mails', expected: ['a', 'b'], counted: ['b', 'a'] })
  expect(row).toEqual({ name: 'mails', expected: 2, counted: 2, copies: 0, missing: [], extra: [] })
  expect(isRight(row)).toBe(true)
})

test('When the numbers agree and the keys do not, then it is wrong, and both keys are named', () => {
  const row = reconcile({ name: 'mails', expected: ['a', 'b'], counted: ['a', 'c'] })
  expect(row).toMatchObject({ expected: 2, counted: 2, missing: ['b'], extra: ['c'] })
  expect(isRight(row)).toBe(false)
})

test('When one arrived twice, then the copy is extra', () => {
  expect(reconcile({ name: 'mails', expected: ['a'], counted: ['a', 'a'] })).toMatchObject({
    missing: [],
    extra: ['a'],
  })
})

test('When the same is expected twice and came once, then one is missing', () => {
  expect(reconcile({ name: 'mails', expected: ['a', 'a'], counted: ['a'] })).toMatchObject({
    missing: ['a'],
    extra: [],
  })
})
