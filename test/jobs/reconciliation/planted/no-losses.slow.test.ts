import { describe, test } from 'vitest'
import { expectNothingRaised, NO_LOSSES } from './no-losses.ts'

// What another test tells as well, planted.soak.ts plays besides.
describe.each(NO_LOSSES)('when $what', (one) => {
  test('then nothing is raised, and nothing is held up', async () => {
    await expectNothingRaised(one)
  })
})
