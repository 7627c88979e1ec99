import { expect, test } from 'vitest'
import { Completeness } from '../../src/config/sections.ts'

test('when a field of a settlement means something else, then that alone is written', () => {
  const { pos } = Completeness.parse({ pos: { returns: 'among', patience: '2h' } })
  expect(pos).toEqual({
    patience: 7_200_000,
    meanings: { number: 'report', returns: 'among', receipts: 'consecutive' },
  })
})
