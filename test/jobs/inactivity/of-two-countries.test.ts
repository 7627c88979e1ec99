import { expect, test } from 'vitest'
import { createStoreIndex } from '../../../src/domain/stores/store-index.ts'
import { inactivityJob } from '../../../src/jobs/inactivity.ts'
import type { EventRow } from '../../../src/storage/rows.ts'
import { createTestClock } from '../../clock.ts'
import { createRunner } from '../engine/run.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NO = { storeId: '1', number: '101', stockId: '11', countryCode: 'NO', zone: 'Europe/Oslo' }
const SE = { storeId: '2', number: '101', stockId: '12', countryCode: 'SE', zone: 'Europe/Stockholm' }

test('When stores of two countries have one number and one of them goes quiet, then that one is named, however busy the other is', async () => {
  let index = createStoreIndex([NO])
  const clock = createTestClock()
  const rows: object[] = []
  const storage = {
    events: async ({ after = 0, limit = 100 }) => (rows as EventRow[]).filter(({ id }) => id > after).slice(0, limit),
    jobs: async () => [],
  }
  const runner = createRunner(
    inactivityJob({ storage, storeIndex: () => index, opening: { closed: [], hours: {} } }),
    clock.now,
  )
  const sold = (subscription: string) => {
    const id = rows.length + 1
    rows.push({
      ...{ id, subscription, receivedAt: clock.now() },
      kind: 'SaleCreated',
      origin: 'platform',
      entity: `sale:101/${id}`,
    })
  }
  const quiet = () => (runner.state as { inactivities: { name: string }[] }).inactivities.map(({ name }) => name)
  /** Three hours of looks, with sales of these stores before each. */
  async function busy(...stores: string[]): Promise<void> {
    for (let step = 0; step < 18; step += 1) {
      for (let sale = 0; sale < 5; sale += 1) for (const one of stores) sold(one)
      await runner.run()
      clock.advance(10 * MINUTE)
    }
  }

  await runner.run()
  // What was learned while there was one such store says nothing once there are two.
  await busy('1')
  index = createStoreIndex([NO, SE])
  clock.advance(7 * 24 * HOUR - 3 * HOUR)
  for (let week = 0; week < 3; week += 1) {
    await busy('1', '2')
    clock.advance(7 * 24 * HOUR - 3 * HOUR)
  }
  expect(quiet()).toEqual([])
  await busy('1', '2')
  clock.advance(7 * 24 * HOUR - 3 * HOUR)
  sold('2')
  await busy('1')
  expect(quiet()).toEqual(['store SE-101'])
})
