import { describe, test } from 'vitest'
import { expectFoundAndMended, oneOfEach } from './losses.ts'

const SOON = oneOfEach('road')

describe.each(oneOfEach('cause').filter((loss) => !SOON.includes(loss)))('when there is lost: $what', (loss) => {
  test(`then the road "${loss.road}" names it ${loss.cause}, and two sweeps later it is ${loss.ends}`, async () => {
    await expectFoundAndMended(loss)
  })
})
