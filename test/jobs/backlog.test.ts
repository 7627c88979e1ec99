import { expect, test } from 'vitest'
import { backlogJob, readBacklog } from '../../src/jobs/backlog.ts'
import type { StorageStatus } from '../../src/storage/rows.ts'
import { createTestClock } from '../clock.ts'
import { createRunner } from './engine/run.ts'
import { HOUR, MINUTE } from './kit.ts'

test('When a backlog grows and shrinks, then the picture of a day has the most that waited in each hour, of both queues together', async () => {
  const clock = createTestClock()
  clock.advance(HOUR - (clock.now() % HOUR))
  let waiting: Record<string, [prompt: number, bulk: number]> = {}
  const status = async () =>
    ({
      destinations: Object.entries(waiting).flatMap(([destination, [prompt, bulk]]) => [
        { destination, urgency: 'prompt', waiting: prompt },
        { destination, urgency: 'bulk', waiting: bulk },
      ]),
    }) as StorageStatus
  const runner = createRunner(backlogJob({ storage: { status } }), clock.now)
  for (const next of [{ shop: [40, 2] }, { shop: [7, 0], erp: [1, 0] }, {}] as (typeof waiting)[]) {
    waiting = next
    await runner.run()
    clock.advance(5 * MINUTE)
  }
  clock.advance(HOUR)
  await runner.run()

  const read = () => {
    const state = JSON.stringify(runner.state)
    return readBacklog({ jobs: async () => [{ name: 'backlog', state }] as never }, clock.now())
  }
  const most = async (name: string) => (await read())[name]?.map((hour) => hour.waiting)
  expect(await most('shop')).toEqual([...Array(22).fill(0), 42, 0])
  expect(await most('erp')).toEqual([...Array(22).fill(0), 1, 0])

  clock.advance(24 * HOUR)
  await runner.run()
  expect(await read()).toEqual({})
})
