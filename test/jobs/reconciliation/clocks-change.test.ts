import { expect, test } from 'vitest'
import { sale } from '../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../hub.ts'
import { HOUR, MINUTE } from '../kit.ts'
import { beside } from './log-kit.ts'

/** A log that reads what it is asked by a clock that may be put forward, and writes by one that is not. */
function withClock(hub: TestHub) {
  const given = beside(hub)
  const { platform } = given
  const { list } = platform.events
  const clocks = { ahead: 0 }
  platform.events.list = async ({ sameClock, from, to, ...query }, signal) => {
    const zone = sameClock ? { from, to } : { from: from - 12 * HOUR, to: to + 14 * HOUR }
    return await list({ ...query, from: zone.from - clocks.ahead, to: zone.to - clocks.ahead }, signal)
  }
  return { ...given, clocks }
}

test.each([HOUR, -HOUR])(
  'when the clock that the log is asked by is put %i ms ahead, then nothing lost is called proven',
  async (ahead) => {
    await using hub = await startTestHub()
    const { platform, clock, clocks, line, job, until, gaps } = withClock(hub)
    const sell = async (at: number) => {
      await platform.emit('SaleCreated', sale({ receiptNo: `${at}` }), at)
    }
    for (const minutes of [180, 120, 60, 20]) await sell(clock.now() - minutes * MINUTE)
    await job.run()
    expect(await until()).toBe(clock.now() - 15 * MINUTE)

    clocks.ahead = ahead
    for (let minutes = 0; minutes < 90; minutes += 10) await sell(clock.now() + minutes * MINUTE)
    clock.pass(2 * HOUR)
    line.down = true
    const lostAt = clock.now() - 40 * MINUTE
    await sell(lostAt)
    await job.run().catch(() => undefined)
    expect(await until()).toBeLessThanOrEqual(lostAt)

    clock.pass(30 * MINUTE)
    await job.run()
    clock.pass(30 * MINUTE)
    await job.run()
    expect(await gaps()).toMatchObject([{ state: 'repaired', at: lostAt }])
    expect(await until()).toBe(clock.now() - 15 * MINUTE)
  },
)

test('when clocks were put forward, and nobody had sold an hour before, then what was lost since is found all the same', async () => {
  await using hub = await startTestHub()
  const { platform, clock, clocks, line, job, until } = withClock(hub)
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), clock.now() - 20 * MINUTE)
  await job.run()

  clocks.ahead = HOUR
  clock.pass(4 * HOUR)
  await job.run()
  line.down = true
  clock.pass(30 * MINUTE)
  const lostAt = clock.now() - 20 * MINUTE
  await platform.emit('SaleCreated', sale({ receiptNo: '2' }), lostAt)
  await job.run().catch(() => undefined)
  expect(await until()).toBeLessThanOrEqual(lostAt)
})
