import { expect, test } from 'vitest'
import { Completeness } from '../../src/config/completeness.ts'

test('when a field means something else than in the profile, then that alone is written', () => {
  const { tills } = Completeness.parse({ tills: { profile: 'no', meanings: { returns: 'among' } } })
  expect(tills.meanings).toMatchObject({ returns: 'among', counter: 'net', number: 'report' })
})

test('when a country asks for no counters, then numbers and sums are compared alone', () => {
  const { tills } = Completeness.parse({ tills: { profile: 'plain', learning: 3, patience: '2h' } })
  expect(tills).toEqual({
    learning: 3,
    patience: 7_200_000,
    meanings: {
      number: 'batch',
      counter: 'none',
      returns: 'apart',
      receipts: 'sparse',
      payments: 'each',
      rates: 'none',
    },
  })
})
