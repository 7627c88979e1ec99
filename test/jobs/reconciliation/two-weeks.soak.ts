import { test } from 'vitest'
import { playAndProve } from './two-weeks/two-weeks.ts'

const WHAT =
  'When two weeks of three stores lose, double and mix up webhooks, and hand some to somebody else, while the hub is killed every few hours and off for a day, of which the log expires two hours'

test.each(['facts', 'frontsystems-v2'] as const)(
  `${WHAT} (%s), then all is here once, proven; a person explains one stretch of each kind that no list tells of, and books some sales`,
  async (dialect) => {
    await playAndProve(dialect, { days: 14, killsOneIn: 8, offFrom: 5 })
  },
  900_000,
)
