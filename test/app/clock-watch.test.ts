import { expect, test } from 'vitest'
import { watchClock } from '../../src/app/infrastructure.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createTestClock } from '../clock.ts'

test("When the machine's clock is set while the hub runs, then the watch says by how much; time that merely goes by is none", async () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line: string) => void lines.push(line) })
  const clock = createTestClock()
  let set = 0
  const steady = () => clock.now()
  using watch = watchClock({ ...clock, now: () => clock.now() + set, steady }, logger)
  let reported = 0
  const listening = watch.whenSet(() => {
    reported += 1
  })
  clock.advance(10_000)
  expect(watch.jump()).toBeNull()
  set = -7_200_000
  clock.advance(10_000)
  expect(watch.jump()).toMatchObject({ by: expect.closeTo(-7_200_000, -3) })
  clock.advance(10_000)
  expect(reported).toBe(1)
  listening[Symbol.dispose]()
  set = 0
  clock.advance(10_000)
  expect(reported).toBe(1)
  expect(lines.filter((line) => line.includes('clock.jumped'))).toHaveLength(2)
})
