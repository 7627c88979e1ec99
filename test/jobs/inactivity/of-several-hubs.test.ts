import { expect, test } from 'vitest'
import { createStoreIndex } from '../../../src/domain/stores/store-index.ts'
import { inactivityJob } from '../../../src/jobs/inactivity.ts'
import type { EventRow } from '../../../src/storage/rows.ts'
import { createTestClock } from '../../clock.ts'
import { createRunner } from '../engine/run.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const index = createStoreIndex([{ storeId: '1', number: '101', stockId: '1', countryCode: 'NO', zone: 'Europe/Oslo' }])

/** A sale of the store, as far as it is looked at. */
function sale(id: number, receivedAt: number) {
  return { id, kind: 'SaleCreated', origin: 'platform', subscription: null, entity: `sale:101/${id}`, receivedAt }
}

test('When another hub commits an event after one with a higher id was looked at, then it is counted, and each is counted once', async () => {
  const clock = createTestClock()
  // What is counted is counted by the hour.
  clock.advance(HOUR - (clock.now() % HOUR))
  let rows = [sale(1, clock.now())]
  const storage = {
    events: async ({ after = 0, limit = 100 }) =>
      rows.filter(({ id }) => id > after).slice(0, limit) as unknown as EventRow[],
    jobs: async () => [],
  }
  const job = inactivityJob({ storage, storeIndex: () => index, opening: { closed: [], hours: {} } })
  const runner = createRunner(job, clock.now)
  await runner.run()
  clock.advance(MINUTE)

  rows = [...rows, sale(3, clock.now() - 1_000)]
  await runner.run()
  rows = [sale(1, clock.now()), sale(2, clock.now() - 2_000), sale(3, clock.now() - 1_000)]
  for (let looks = 0; looks < 2; looks += 1) {
    clock.advance(5 * MINUTE)
    await runner.run()
  }
  expect(runner.state).toMatchObject({ upTo: 3, usuals: [{ kind: 'SaleCreated', count: 2 }] })
})
