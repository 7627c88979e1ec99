import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openArchive } from '../../../src/archive/archive.ts'
import { readManifest } from '../../../src/archive/manifest.ts'
import { readArchived } from '../../../src/archive/read.ts'
import { retentionJob } from '../../../src/jobs/retention/retention.ts'
import { openPlace } from '../../archive/kit.ts'
import { openTestStore } from '../../empty-store.ts'
import { by, DAY } from '../../store/acting.ts'
import { createArrivals } from '../../store/arrivals.ts'
import { AGES, NOW } from '../../store/retention/pruned-store.ts'
import { temporaryFolder } from '../../store/sqlite/file.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'

const YEARS = 700 * DAY

/** A store whose events came by a clock that was years ahead for a while; kinds in the order in which they came. */
async function storeOf(path: string, came: readonly { kind: string; at: number; times?: number }[]) {
  const store = await openTestStore(join(path, 'store.db'), { clock: () => NOW })
  const { arrival } = createArrivals({ now: () => NOW })
  for (const { kind, at, times = 1 } of came)
    await store.accept(Array.from({ length: times }, () => arrival({ kind, receivedAt: at, deliveries: [] })))
  return store
}

const kindsIn = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind).sort()

test('When events came by a clock that was years ahead, then those behind them go in their time, and they go with them', async () => {
  using folder = temporaryFolder()
  const old = NOW - AGES.events - 10 * DAY
  await using store = await storeOf(folder.path, [
    { kind: 'Old', at: old },
    { kind: 'Ahead', at: NOW + YEARS, times: 2_500 },
    { kind: 'Old', at: old + DAY },
    { kind: 'Young', at: NOW - DAY },
    { kind: 'AheadAndYoung', at: NOW + YEARS },
    { kind: 'Young', at: NOW },
  ])
  for (const kind of ['Old', 'Ahead', 'Young', 'AheadAndYoung']) await store.dismiss({ kind }, by(NOW))
  const job = retentionJob({
    ...{ store, ages: AGES, archive: null, room: async () => null, logger: createTestLogger().logger },
  })

  await createRunner(job, () => NOW).run()
  expect(kindsIn(await store.events({ limit: 10_000 }))).toEqual(['AheadAndYoung', 'Young', 'Young'])
})

test('When payloads came by a clock that was years ahead, then they are archived and go with those around them', async () => {
  using folder = temporaryFolder()
  await using place = await openPlace('folder')
  await using archive = openArchive({ ...place.options, keep: 1_000 * DAY })
  const old = NOW - AGES.payloads - 10 * DAY
  await using store = await storeOf(folder.path, [
    { kind: 'Ahead', at: NOW + YEARS },
    { kind: 'Old', at: old },
    { kind: 'Ahead', at: NOW + YEARS },
    { kind: 'Young', at: NOW },
  ])
  for (const kind of ['Old', 'Ahead', 'Young']) await store.dismiss({ kind }, by(NOW))
  const job = retentionJob({
    ...{ store, ages: AGES, archive, room: async () => null, logger: createTestLogger().logger },
  })

  await createRunner(job, () => NOW).run()
  expect((await store.bodies([1, 2, 3, 4])).map(({ id }) => id).sort()).toEqual([3, 4])
  const kept = await archive.use(new AbortController().signal, async (files) => {
    const all: number[] = []
    for (const file of await readManifest(files)) for (const { id } of await readArchived(files, file)) all.push(id)
    return all
  })
  expect(kept.sort()).toEqual([1, 2])
})
