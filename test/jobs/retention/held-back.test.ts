import { join } from 'node:path'
import { expect, test } from 'vitest'
import { retentionJob } from '../../../src/jobs/retention/retention.ts'
import { openTestStore } from '../../empty-store.ts'
import { by, DAY } from '../../storage/acting.ts'
import { createArrivals } from '../../storage/arrivals.ts'
import { AGES, NOW } from '../../storage/retention/pruned-store.ts'
import { temporaryFolder } from '../../storage/sqlite/file.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'

const OLD = AGES.payloads + 10 * DAY

test('When more events must stay than a run knows of, then it prunes what is before them, and fails with what holds it back until somebody has seen to them', async () => {
  using folder = temporaryFolder()
  await using storage = await openTestStore(join(folder.path, 'store.db'), { clock: () => NOW })
  const { arrival } = createArrivals({ now: () => NOW - OLD })
  const unrouted = (kind: string) => arrival({ kind, deliveries: [] })
  const kinds = ['Gone', 'Stays', 'Stays', 'Stays', 'Gone']
  const ids = (await storage.accept(kinds.map(unrouted))).map(({ id }) => id)
  const { arrival: young } = createArrivals({ now: () => NOW })
  await storage.accept([young({ kind: 'Young', deliveries: [] })])
  await storage.dismiss({ kind: 'Gone' }, by(NOW))
  const job = retentionJob({
    // A run that knows of two.
    storage: { ...storage, retained: (upTo) => storage.retained(upTo, 2) },
    ages: AGES,
    archive: null,
    room: async () => null,
    logger: createTestLogger().logger,
  })
  const night = () => createRunner(job, () => NOW).run()
  const bodies = async () => (await storage.bodies(ids)).map(({ id }) => id)

  await expect(night()).rejects.toThrow(
    /^Nothing behind event 3 \(.*\) is pruned: 2 events up to it must stay, .* of 2 events it is unrouted, .*tillbridge events list/,
  )
  expect(await bodies()).toEqual(ids.slice(1))

  await storage.dismiss({ kind: 'Stays' }, by(NOW))
  expect(await night()).toMatch(/^pruned /)
  expect(await bodies()).toEqual([])
})
