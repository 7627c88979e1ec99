import { expect, test } from 'vitest'
import { createTestClock } from '../../clock.ts'
import { deliveriesOf } from '../../hub.ts'
import { untilDone } from '../late-door.ts'
import { doEverything, openLateStore, WRITES } from './late-effects.ts'

test.each([
  ['giving money back', 8],
  ['making an order', 45],
  ['writing a note', 100],
  ['changing an order', 100],
  ['all that it does', 120],
] as const)(
  'a shop that is late with %s (%i s) does nothing twice',
  async (what, seconds) => {
    const clock = createTestClock()
    await using late = await openLateStore(clock, { inDoubtFor: '5m' })
    late.door.late(WRITES[what], seconds * 1_000)
    const { expectOnce } = await doEverything(late)
    await untilDone(late.store.hub, [late.door], clock, { within: 60_000, settled: late.store.platform.settled })
    expectOnce()
    expect((await deliveriesOf(late.store.hub)).filter(({ state }) => state === 'held' || state === 'dead')).toEqual([])
  },
  90_000,
)
