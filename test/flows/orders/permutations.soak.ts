import { describe, expect, test } from 'vitest'
import { SCENARIOS } from './permutations-given.ts'
import { endsOf, MODES } from './permutations-kit.ts'

describe.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', (_, scenario) => {
  // What a platform did not send, its record does not verify.
  const platforms = scenario.built ? [false] : [false, true]
  const cases = platforms.flatMap((readable) => MODES.map((mode) => ({ mode, readable })))

  test.each(cases)(
    'When its messages come in any order, $mode (the platform is asked: $readable), then all ends are alike',
    async ({ mode, readable }) => {
      const { played, ends } = await endsOf(scenario, mode, { readable })
      expect(ends.map(({ end, orders }) => ({ end, orders: orders.length, first: orders[0] }))).toEqual([
        { end: scenario.ends, orders: played, first: expect.any(String) },
      ])
    },
  )
})
