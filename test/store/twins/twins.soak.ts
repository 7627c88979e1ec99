import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openTwins } from './open.ts'
import { DELIVERING, RECORDS } from './play.ts'

/** Some that are the same in each run, and some that nobody has seen. */
const SEEDS = [...Array.from({ length: 8 }, (_, n) => n + 1), ...Array.from({ length: 12 }, () => randomInt(1e9))]
const ACTS = 150

let twins: Awaited<ReturnType<typeof openTwins>>
beforeAll(async () => {
  twins = await openTwins()
})
afterAll(() => twins[Symbol.asyncDispose]())

describe('SQLite and PostgreSQL', { timeout: 120_000 }, () => {
  test.each(SEEDS)('when both are told of the same events (%d), then both say the same', (seed) =>
    twins.play(DELIVERING, seed, ACTS),
  )
  test.each(SEEDS)('when both are told of the same records (%d), then both say the same', (seed) =>
    twins.play(RECORDS, seed, ACTS),
  )
})
