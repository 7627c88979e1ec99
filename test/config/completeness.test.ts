import { expect, test } from 'vitest'
import { Completeness } from '../../src/config/sections.ts'

test('when a field of a settlement means something else, then that alone is written', () => {
  const { tills } = Completeness.parse({ tills: { returns: 'among', patience: '2h' } })
  expect(tills).toEqual({
    patience: 7_200_000,
    meanings: { number: 'report', returns: 'among', receipts: 'consecutive' },
  })
})
