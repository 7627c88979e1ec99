import { afterAll, beforeAll, describe, test } from 'vitest'
import { NO_SERVER, SERVER } from '../postgres/schema.ts'
import { openTwins } from './open.ts'
import { DELIVERING, WHOLE } from './play.ts'

/** Tells both stores of a world for each seed, and of so many acts in each. `hubs`: how many work on the server. */
export function tellTwins(seeds: readonly number[], acts: number, hubs = 1): void {
  // A server in the process has one connection.
  const not = hubs > 1 && SERVER === undefined ? NO_SERVER : null
  let twins: Awaited<ReturnType<typeof openTwins>>
  beforeAll(async () => {
    if (not === null) twins = await openTwins(hubs)
  })
  afterAll(async () => await twins?.[Symbol.asyncDispose]())

  const name = `SQLite and PostgreSQL${hubs > 1 ? ` with ${hubs} hubs` : ''}${not ? ` (${not})` : ''}`
  describe.skipIf(not !== null)(name, { timeout: 120_000 }, () => {
    test.each(seeds)('when both are told of the same events (%d), then both say the same', (seed) =>
      twins.play(DELIVERING, seed, acts),
    )
    test.each(seeds)('when both are asked whatever may be asked (%d), then both say the same', (seed) =>
      twins.play(WHOLE, seed, acts),
    )
  })
}
