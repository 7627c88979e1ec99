import { expect, test } from 'vitest'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { busTo, startTestHub } from '../hub.ts'
import { saleNo } from '../queue/kit/kit.ts'
import { startSink } from '../sink.ts'
import { temporaryFolder } from '../storage/sqlite/file.ts'

const HOUR = 3_600_000

/** A machine whose clock can be set, and one beside it that nobody sets. */
function createSettableClock() {
  const clock = createTestClock()
  let by = 0
  return {
    ...clock,
    now: () => clock.now() + by,
    steady: () => clock.now(),
    set(ms: number) {
      by += ms
    },
  }
}

test('When the clock is put back by hours while a destination is down, then what waits for it goes out as soon as it is back', async () => {
  const clock = createSettableClock()
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) }, clock })
  await sink.refuse()
  for (const no of [1, 2, 3]) await hub.post('SaleCreated', saleNo(no))
  await eventually(() => expect(hub.lines.map(({ msg }) => msg)).toContain('destination.outage'))
  clock.set(-2 * HOUR)
  await sink.open()
  // What is due by the clock of before is due in two hours.
  clock.advance(10_000)
  expect(await sink.until(3, 10_000)).toHaveLength(3)
})

test('When the clock was years ahead at start, then what came then goes out once it is put back, also after a restart', async () => {
  const clock = createSettableClock()
  await using sink = await startSink()
  using folder = temporaryFolder()
  const start = () =>
    startTestHub({
      destinations: { bus: busTo(sink.url) },
      clock,
      folder: folder.path,
      config: { log: { level: 'info' } },
    })
  clock.set(700 * 24 * HOUR)
  await sink.refuse()
  {
    await using hub = await start()
    for (const no of [1, 2, 3]) await hub.post('SaleCreated', saleNo(no))
    await eventually(() => expect(hub.lines.map(({ msg }) => msg)).toContain('destination.outage'))
  }
  clock.set(-700 * 24 * HOUR)
  await sink.open()
  await using _ = await start()
  expect(await sink.until(3, 5_000)).toHaveLength(3)
})
