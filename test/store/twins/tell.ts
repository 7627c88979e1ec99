import { afterAll, beforeAll, describe, test } from 'vitest'
import { openTwins } from './open.ts'
import { DELIVERING, RECORDS } from './play.ts'

/** Tells both stores of a world for each seed, and of so many acts in each. */
export function tellTwins(seeds: readonly number[], acts: number): void {
  let twins: Awaited<ReturnType<typeof openTwins>>
  beforeAll(async () => {
    twins = await openTwins()
  })
  afterAll(() => twins[Symbol.asyncDispose]())

  describe('SQLite and PostgreSQL', { timeout: 120_000 }, () => {
    test.each(seeds)('when both are told of the same events (%d), then both say the same', (seed) =>
      twins.play(DELIVERING, seed, acts),
    )
    test.each(seeds)('when both are told of the same records (%d), then both say the same', (seed) =>
      twins.play(RECORDS, seed, acts),
    )
  })
}
