import { expect, test } from 'vitest'
import { createTestClock } from '../../clock.ts'
import { deliveriesOf } from '../../hub.ts'
import { compare } from '../days/compare-kit.ts'
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
    await untilDone(late.storage.hub, [late.door], clock, { within: 60_000, settled: late.storage.platform.settled })
    expectOnce()
    expect((await deliveriesOf(late.storage.hub)).filter(({ state }) => state === 'held' || state === 'dead')).toEqual(
      [],
    )
  },
  90_000,
)

test('money that a shop refunds after the hub has asked a second time is a gap at night, a refund that was asked for once is none', async () => {
  const clock = createTestClock()
  await using late = await openLateStore(clock, { inDoubtFor: '1m' })
  const { hub, platform, shop } = late.storage
  late.door.late(WRITES['giving money back'], 600_000)
  await doEverything(late)
  await untilDone(hub, [late.door], clock, { within: 60_000, settled: platform.settled })
  const twice = shop.orders().filter(({ refunds }) => refunds.length > 1)
  expect(twice.length).toBeGreaterThan(0)

  const gaps = await compare({ hub, clock })
  expect(gaps.map(({ cause }) => cause)).toEqual(twice.map(() => 'there-twice'))
  expect(gaps[0]).toMatchObject({
    destination: 'shop',
    evidence: { destination: { there: expect.stringMatching(/^[2-9] times$/) } },
  })
}, 90_000)
