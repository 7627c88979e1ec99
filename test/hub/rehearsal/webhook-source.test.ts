import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PULLED } from '../../../src/domain/queue/event.ts'
import { recordedWebhooks } from '../../../src/hub/rehearsal/webhook-source.ts'
import { createTestClock } from '../../clock.ts'
import { openTestStore } from '../../empty-store.ts'
import { createArrivals } from '../../store/arrivals.ts'
import { temporaryFolder } from '../../store/sqlite/file.ts'

test('When the hub read the levels of a chain on a day, then these are counted, and not played as if the platform had sent them', async () => {
  using folder = temporaryFolder()
  await using store = await openTestStore(join(folder.path, 'hub.db'))
  const { arrival } = createArrivals(createTestClock())
  const receivedAt = 1_000
  const [sold] = await store.accept([
    arrival({ receivedAt, subscription: '101' }),
    arrival({ receivedAt, subscription: null, kind: 'StockLevelRead' }),
    arrival({ receivedAt, subscription: null, kind: 'SettlementRead' }),
    arrival({ receivedAt, subscription: PULLED }),
    arrival({ receivedAt, subscription: null, origin: 'erp' }),
  ])

  const { came, others } = await recordedWebhooks(store, { since: 0, until: 2_000 })

  expect(came.map(({ id }) => id)).toEqual([sold?.id])
  expect(others).toBe(4)
})
