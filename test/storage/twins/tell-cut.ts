import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_POOLER } from '../postgres/own-pooler.ts'
import { NO_SERVER, SERVER } from '../postgres/schema.ts'
import { type BreakingWay, cutWay, openCutTwins, restartedPooler } from './cut.ts'
import { DELIVERING_TWICE } from './play.ts'

const WAYS: [string, string | null, () => Promise<BreakingWay>][] = [
  ['answers are lost on the way to PostgreSQL', SERVER === undefined ? NO_SERVER : null, cutWay],
  ['PgBouncer is started anew', NO_POOLER, restartedPooler],
]

/** Tells two stores of a world for each seed, one of them by a way that breaks, where whatever was not answered is told again. */
export function tellCutTwins(seeds: readonly number[], acts: number): void {
  describe.each(WAYS)('where %s', { timeout: 300_000 }, (_, not, open) => {
    let twins: Awaited<ReturnType<typeof openCutTwins>>
    beforeAll(async () => {
      if (not === null) twins = await openCutTwins(await open())
    })
    afterAll(async () => await twins?.[Symbol.asyncDispose]())

    test.skipIf(not !== null).each(seeds)(
      `When events are told again that were not answered (%d), then all is as if they had been${not ? ` (${not})` : ''}`,
      async (seed) => expect(await twins.play(DELIVERING_TWICE, seed, acts)).toBeGreaterThan(0),
    )
  })
}
