import { setImmediate as tick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { STORE_RULE } from '../../../src/domain/alarms/rules.ts'
import { createNotifier, createStoreWatch, type Recipient } from '../../../src/jobs/alarms.ts'
import { createTestClock } from '../../clock.ts'
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

test('When a mail server takes half a minute for an alarm, then it is told; a webhook is given up before', async () => {
  const clock = createTestClock()
  const teller = createNotifier({ hub: 'hub.example.com', clock })
  const takesHalfAMinute: Recipient['notify'] = () => new Promise((reported) => clock.after(30_000, reported))
  const tell = (addresses: string[]) =>
    teller.test({ name: 'ops', least: 'alarm', addresses, notify: takesHalfAMinute }, new AbortController().signal)

  const [mail, webhook] = [tell(['ops@example.com']), tell([])]
  clock.advance(30_000)

  expect(await mail).toBeNull()
  expect(await webhook).toBe('it did not answer within 15 s')
})
