import { setImmediate as tick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { STORE_RULE } from '../../../src/domain/alarms/rules.ts'
import { createNotifier, createStoreWatch } from '../../../src/jobs/alarms.ts'
import { createStandingClock } from '../engine/fixed-clock.ts'
import { createTestLogger } from '../engine/run.ts'

test('When the clock is put back by hours after the store has begun to refuse, then that is said in its time all the same', async () => {
  const clock = createStandingClock('2026-11-26T12:00:00Z')
  const { logger, lines } = createTestLogger()
  await using watch = createStoreWatch({
    storeNow: async () => ({ problem: 'no room', since: null }),
    rule: STORE_RULE,
    ...{ recipients: [], teller: createNotifier({ hub: 'hub', clock }), by: 'this', clock, logger },
  })
  watch.start()
  await looks(1)
  clock.set(-2 * 3_600_000)
  await looks(3)
  expect(lines.map(({ msg }) => msg)).toContain('alarm.began')

  async function looks(count: number) {
    for (let left = count; left > 0; left--) {
      clock.pass(30_000)
      for (let turns = 0; turns < 5; turns++) await tick()
    }
  }
})
