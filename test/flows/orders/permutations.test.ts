import { expect, test } from 'vitest'
import { SCENARIOS } from './permutations-given.ts'
import { endsOf, MODES } from './permutations-kit.ts'

/* One mode each, and some of the orders; permutations.soak.ts plays them all. */

const PLAYED = SCENARIOS.map(
  (scenario, index) => [scenario.name, MODES[index % MODES.length] ?? 'in a burst', scenario] as const,
)

test.each(PLAYED)(
  '%s: when the messages come in any order, %s, then all ends are alike',
  async (_, mode, scenario) => {
    const { played, ends } = await endsOf(scenario, mode, { readable: false, orders: 'some' })
    expect(played).toBeGreaterThanOrEqual(6)
    expect(ends.map(({ end, orders }) => ({ end, orders: orders.length, first: orders[0] }))).toEqual([
      { end: scenario.ends, orders: played, first: expect.any(String) },
    ])
  },
  120_000,
)
