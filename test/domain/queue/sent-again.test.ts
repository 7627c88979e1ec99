import { expect, test } from 'vitest'
import { effectAgain, isAgain, keyOfFirst, partAgain, partOf, repeats } from '../../../src/domain/queue/delivery.ts'

const again = partAgain({ part: 'shipment 2', id: 41 }, 0)
const third = partAgain({ part: again, id: 41 }, 2)

test('When a message is sent once more, then its part says which one it repeats, and the how manieth time', () => {
  expect(again).toBe('shipment 2~again-41')
  expect(third).toBe('shipment 2~again-41.2')
  expect(partAgain({ part: '', id: 5 }, 0)).toBe('~again-5')
})

test('When a part is read, then what its flow called it is known, and whether it repeats something', () => {
  expect([again, third, 'shipment 2', '', '~again-5'].map(partOf)).toEqual([
    'shipment 2',
    'shipment 2',
    'shipment 2',
    '',
    '',
  ])
  expect([again, third, 'shipment 2', '', '~again-5'].map(isAgain)).toEqual([true, true, false, false, true])
})

test('When a delivery is asked for, then only its own repetitions are found', () => {
  expect([again, third, '~again-41'].map((part) => repeats(part, 41))).toEqual([true, true, true])
  expect([again, third, 'shipment 2', '41', ''].map((part) => repeats(part, 4))).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
  // A part of a flow that only looks like a number.
  expect(repeats('12345678', 8)).toBe(false)
})

test('When it is repeated, then its effect is owed beside the first, and its key leads back to that', () => {
  expect(effectAgain('receipt:101', again)).toBe('receipt:101~again-41')
  expect(
    ['SaleCreated:101:receipt:~again-41', 'SaleCreated:101:receipt:~again-41.2', 'a~again-41%2E2'].map(keyOfFirst),
  ).toEqual(['SaleCreated:101:receipt', 'SaleCreated:101:receipt', 'a'])
  expect(keyOfFirst('SaleCreated:101:receipt')).toBe('SaleCreated:101:receipt')
})
