import { describe, expect, test } from 'vitest'
import { CAUSES } from '../../../../src/domain/completeness/gap.ts'
import { expectFoundAndMended, LOSSES, oneOfEach } from './losses.ts'

// One of each source; one of each cause: losses.slow.test.ts; all of them, in both dialects: planted.soak.ts.
describe.each(oneOfEach('source'))('when there is lost: $what', (loss) => {
  test(`then the source "${loss.source}" names it ${loss.cause}, and two scans later it is ${loss.ends}`, async () => {
    await expectFoundAndMended(loss)
  })
})

test('every cause that a source of the platform names is planted', () => {
  const planted = new Set<string>(LOSSES.map(({ cause }) => cause))
  // What destinations have lost is planted where they are: test/flows/accounting, test/flows/orders.
  const ofPlatform = Object.entries(CAUSES).filter(([, { source }]) => source !== 'destination')
  expect(ofPlatform.filter(([cause]) => !planted.has(cause)).map(([cause]) => cause)).toEqual([])
})
