import { describe, test } from 'vitest'
import { expectFoundAndMended, LOSSES } from './losses.ts'
import { expectNothingRaised, NO_LOSSES } from './no-losses.ts'

describe.each(['facts', 'frontsystems-v2'] as const)('with a platform that speaks as %s', (dialect) => {
  // Some need what one dialect alone has.
  test.each(LOSSES)('when there is lost: $what, then it is found, named $cause, and $ends', async (loss) => {
    await expectFoundAndMended(loss, dialect)
  })

  test.each(NO_LOSSES)('when $what, then nothing is raised', async (one) => {
    await expectNothingRaised(one, dialect)
  })
})
