import { describe, test } from 'vitest'
import { expectFoundAndMended, oneOfEach } from './losses.ts'

const SOON = oneOfEach('source')

describe.each(oneOfEach('cause').filter((loss) => !SOON.includes(loss)))('when there is lost: $what', (loss) => {
  test(`then the source "${loss.source}" names it ${loss.cause}, and two scans later it is ${loss.ends}`, async () => {
    await expectFoundAndMended(loss)
  })
})
