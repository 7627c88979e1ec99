import { expect, test } from 'vitest'
import { isWithin } from '../../../src/domain/values/text.ts'
import { growth, LINEAR } from '../../growth.ts'

test('when a text has another in it, then it is found, but for one that is no name of anything', () => {
  expect(isWithin('Blue', 'T-shirt, Blue')).toBe(true)
  expect(isWithin('Red', 'T-shirt, Blue')).toBe(false)
  expect(isWithin('', 'T-shirt')).toBe(true)
  expect(isWithin('a'.repeat(201), 'a'.repeat(300))).toBe(false)
})

test('when both texts are made to detain it, then it takes linear time', () => {
  const half = (size: number) => 'a'.repeat(size / 4)

  expect(
    growth(
      40_000,
      (size) => ({ part: `${half(size)}b${half(size)}`, text: 'a'.repeat(size) }),
      ({ part, text }) => isWithin(part, text),
    ),
  ).toBeLessThan(LINEAR)
})
