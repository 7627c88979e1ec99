import { afterAll, beforeAll, describe, test } from 'vitest'
import { openTwins } from './open.ts'
import { DELIVERING, RECORDS } from './play.ts'

/* A short form of `twins.soak.ts`. */

const SEEDS = [1, 2, 3, 4]
const ACTS = 60

let twins: Awaited<ReturnType<typeof openTwins>>
beforeAll(async () => {
  twins = await openTwins()
})
afterAll(() => twins[Symbol.asyncDispose]())

describe('SQLite and PostgreSQL', { timeout: 60_000 }, () => {
  test.each(SEEDS)('when both are told of the same events (%d), then both say the same', (seed) =>
    twins.play(DELIVERING, seed, ACTS),
  )
  test.each(SEEDS)('when both are told of the same records (%d), then both say the same', (seed) =>
    twins.play(RECORDS, seed, ACTS),
  )
})
