import { describe, expect, test } from 'vitest'
import { CAUSES } from '../../../../src/domain/ledger/causes.ts'
import { expectFoundAndMended, LOSSES, oneOfEach } from './losses.ts'

// One of each road; one of each cause: losses.slow.test.ts; all of them, in both dialects: planted.soak.ts.
describe.each(oneOfEach('road'))('when there is lost: $what', (loss) => {
  test(`then the road "${loss.road}" names it ${loss.cause}, and two sweeps later it is ${loss.ends}`, async () => {
    await expectFoundAndMended(loss)
  })
})

test('every cause that a road of the platform names is planted', () => {
  const planted = new Set<string>(LOSSES.map(({ cause }) => cause))
  // What destinations have lost is planted where they are: test/flows/books, test/flows/orders.
  const ofPlatform = Object.entries(CAUSES).filter(([, { road }]) => road !== 'destination')
  expect(ofPlatform.filter(([cause]) => !planted.has(cause)).map(([cause]) => cause)).toEqual([])
})
