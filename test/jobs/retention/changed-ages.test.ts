import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Archive, openArchive, readArchived, readManifest } from '../../../src/archive/archive.ts'
import type { Ages } from '../../../src/domain/retention.ts'
import { retentionJob } from '../../../src/jobs/retention/retention.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { openPlace } from '../../archive/kit.ts'
import { openTestStore } from '../../empty-store.ts'

import { by, DAY } from '../../storage/acting.ts'
import { createArrivals } from '../../storage/arrivals.ts'
import { AGES, NOW } from '../../storage/retention/pruned-store.ts'
import { temporaryFolder } from '../../storage/sqlite/file.ts'
import { createTestLogger } from '../engine/run.ts'

const SOONER = { ...AGES, payloads: 30 * DAY }
const { signal } = new AbortController()
const NOTHING_GOES = { dropPayloads: async (ids: readonly number[]) => ({ dropped: 0, seen: ids.length }) }

/** A store with a sale and a movement of two months ago, which nobody has to look at, and what nights make of it. */
async function openKept() {
  const folder = temporaryFolder()
  const storage = await openTestStore(join(folder.path, 'store.db'), { clock: () => NOW })
  const { arrival } = createArrivals({ now: () => NOW - 60 * DAY })
  const kinds = ['SaleCreated', 'StockMovementCreated', 'SaleCreated', 'StockMovementCreated']
  const ids = (await storage.accept(kinds.map((kind) => arrival({ kind, deliveries: [] })))).map(({ id }) => id)
  await storage.dismiss({ state: 'unrouted' }, by(NOW))
  let saved = 'null'

  return {
    ids,
    async night(ages: Ages, archive: Archive | null, given: Partial<Storage> = {}): Promise<void> {
      const save = async (state: unknown) => {
        saved = JSON.stringify(state)
      }
      const job = retentionJob({
        ...{
          storage: { ...storage, ...given },
          ages,
          archive,
          room: async () => null,
          logger: createTestLogger().logger,
        },
      })
      const { state } = await job.run({ now: NOW, asked: false, signal, state: JSON.parse(saved), save })
      await save(state)
    },
    bodies: async () => (await storage.bodies(ids)).map(({ id }) => id),
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

async function archivedIn(archive: Archive): Promise<number[]> {
  return await archive.use(signal, async (files) => {
    const all: number[] = []
    for (const file of await readManifest(files)) for (const { id } of await readArchived(files, file)) all.push(id)
    return all.sort((a, b) => a - b)
  })
}

test.each([
  ['all kinds get the shorter age of one', SOONER],
  ['the longer age of a kind is taken out', { ...SOONER, kinds: { StockMovementCreated: { payloads: 30 * DAY } } }],
] as const)('When %s, then what had to stay until then is archived before it goes', async (_, ages) => {
  await using place = await openPlace('folder')
  await using archive = openArchive({ ...place.options, keep: 3_000 * DAY })
  await using kept = await openKept()
  const [sale, movement, sale2, movement2] = kept.ids
  await kept.night({ ...ages, kinds: { SaleCreated: { payloads: 90 * DAY } } }, archive)
  expect(await archivedIn(archive)).toEqual([movement, movement2])
  expect(await kept.bodies()).toEqual([sale, sale2])

  await kept.night(ages, archive)

  expect(await archivedIn(archive)).toEqual(kept.ids)
  expect(await kept.bodies()).toEqual([])
})

test('When an age that was too short is corrected after its run was cut off, then nothing more goes by it', async () => {
  await using kept = await openKept()
  await kept.night({ ...AGES, payloads: DAY }, null, NOTHING_GOES)

  await kept.night(AGES, null)

  expect(await kept.bodies()).toEqual(kept.ids)
})

test('When an archive is given after a run was cut off, then what that run let go is archived before it goes', async () => {
  await using place = await openPlace('folder')
  await using archive = openArchive({ ...place.options, keep: 3_000 * DAY })
  await using kept = await openKept()
  await kept.night(SOONER, null, NOTHING_GOES)

  await kept.night(SOONER, archive)

  expect(await archivedIn(archive)).toEqual(kept.ids)
  expect(await kept.bodies()).toEqual([])
})

test('When the age of keys is longer than it was when the pass over them began, then the rest of it goes by the longer one', async () => {
  await using kept = await openKept()
  const bounds: number[] = []
  const dropKeys: Storage['dropKeys'] = async (_, upTo) => {
    bounds.push(upTo)
    if (bounds.length > 100) throw new Error('the store went away')
    return { dropped: 0, after: 'k' }
  }
  await expect(kept.night({ ...AGES, keys: DAY }, null, { dropKeys })).rejects.toThrow('the store went away')
  expect(bounds[0]).toBe(kept.ids.at(-1))
  bounds.length = 0

  await expect(kept.night(AGES, null, { dropKeys })).rejects.toThrow('the store went away')

  expect(new Set(bounds)).toEqual(new Set([0]))
})
