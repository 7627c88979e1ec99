import { expect, test } from 'vitest'
import { counted } from '../../../src/domain/values/counted.ts'

test.each([
  [1, 'subscription', '1 subscription'],
  [0, 'subscription', '0 subscriptions'],
  [2, 'day', '2 days'],
  [1, 'new delivery', '1 new delivery'],
  [3, 'new delivery', '3 new deliveries'],
])('When %i of "%s" are counted, then it reads %s', (count, noun, text) => {
  expect(counted(count, noun)).toBe(text)
})

test('When a plural is not regular, then it is given', () => {
  expect(counted(2, 'match', 'matches')).toBe('2 matches')
})
