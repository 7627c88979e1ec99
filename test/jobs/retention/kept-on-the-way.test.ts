import { expect, test } from 'vitest'
import { openArchive, readArchived, readManifest } from '../../../src/archive/archive.ts'
import { type Pruning, readRetentionState } from '../../../src/jobs/retention/ageing.ts'
import { MAX_RETAINED, prunePayloads } from '../../../src/jobs/retention/retention.ts'
import { openPlace } from '../../archive/kit.ts'
import { AGES } from '../../storage/retention/pruned-store.ts'

const COUNT = 60_000
const NOW = Date.parse('2026-11-25T12:00:00Z')

test('When a first night is cut off far into its events, then the next one goes on from what is surely in the archive', async () => {
  await using place = await openPlace('folder')
  await using archive = openArchive({ ...place.options, keep: 1 })
  const { signal } = new AbortController()
  let endsAt = 55_000
  const dropped: number[] = []
  const storage = {
    async ageing(after: number, limit: number) {
      if (after >= endsAt) throw new Error('the store went away')
      const ids = Array.from({ length: Math.min(limit, COUNT - after) }, (_, nth) => after + nth + 1)
      return ids.map((id) => ({ id, kind: 'SaleCreated', receivedAt: 0, size: 1, deliveries: 0 }))
    },
    event: async (id: number) => ({
      ...{ id, kind: 'SaleCreated', receivedAt: 0, identity: null, transportKey: null },
      body: Buffer.from(`{"nth":${id}}`),
    }),
    payloadKinds: async (after: number, limit: number) =>
      Array.from({ length: Math.min(limit, COUNT - after) }, (_, nth) => ({
        id: after + nth + 1,
        kind: 'SaleCreated',
      })),
    async dropPayloads(ids: readonly number[]) {
      dropped.push(...ids)
      return { dropped: ids.length, seen: ids.length }
    },
  } as unknown as Pruning['storage']
  let saved = JSON.stringify(readRetentionState(null))
  const night = async () => {
    const state = readRetentionState(JSON.parse(saved))
    const save = async () => {
      saved = JSON.stringify(state)
    }
    const pace = { slice: (work: (rows: number) => Promise<unknown>) => work(250) } as Pruning['pace']
    const pruning = { storage, ages: AGES, now: NOW, state, pace, signal, saved: save, archive }
    const pruned = { events: 0, deliveries: 0, attempts: 0, payloads: 0, keys: 0, records: 0 }
    // The third of them stays, as one that is dead.
    await prunePayloads(pruning, { stays: new Set([3]), upTo: COUNT - 1 }, pruned)
    await save()
  }
  const ids = () =>
    archive.use(signal, async (files) => {
      const all: number[] = []
      for (const file of await readManifest(files)) for (const { id } of await readArchived(files, file)) all.push(id)
      return all
    })

  await expect(night()).rejects.toThrow('the store went away')
  expect(dropped).toEqual([])
  expect(JSON.parse(saved)).toMatchObject({ bounds: { SaleCreated: 50_000 }, stayed: [3] })
  expect(await ids()).toHaveLength(49_999)

  endsAt = Number.POSITIVE_INFINITY
  await night()
  // All but the third, and the last, which is behind what is looked at.
  expect(dropped).toEqual(Array.from({ length: COUNT - 1 }, (_, nth) => nth + 1).filter((id) => id !== 3))
  const all = await ids()
  expect(all).toHaveLength(COUNT - 2)
  expect(new Set(all).size).toBe(COUNT - 2)
  expect(JSON.parse(saved)).toMatchObject({ stayed: [3], archive: place.where })
})

test('When more events stay than are known at once, then all of them are kept elsewhere once they are let go', async () => {
  await using place = await openPlace('folder')
  await using archive = openArchive({ ...place.options, keep: 1 })
  const { signal } = new AbortController()
  const count = 2 * MAX_RETAINED
  const asked = new Set<number>()
  const dropped: number[] = []
  const storage = {
    ageing: async (after: number, limit: number) =>
      Array.from({ length: Math.min(limit, count - after) }, (_, nth) => ({
        ...{ id: after + nth + 1, kind: 'SaleCreated', receivedAt: 0, size: 1, deliveries: 0 },
      })),
    event: async (id: number) => void asked.add(id),
    payloadKinds: async (after: number, limit: number) =>
      Array.from({ length: Math.min(limit, count - after) }, (_, nth) => ({
        id: after + nth + 1,
        kind: 'SaleCreated',
      })),
    async dropPayloads(ids: readonly number[]) {
      dropped.push(...ids)
      return { dropped: ids.length, seen: ids.length }
    },
  } as unknown as Pruning['storage']
  const state = readRetentionState(null)
  const pace = { slice: (work: (rows: number) => Promise<unknown>) => work(250) } as Pruning['pace']
  const pruning = { storage, ages: AGES, now: NOW, state, pace, signal, saved: async () => {}, archive }
  const pruned = { events: 0, deliveries: 0, attempts: 0, payloads: 0, keys: 0, records: 0 }
  const first = Array.from({ length: MAX_RETAINED }, (_, nth) => nth + 1)
  await prunePayloads(pruning, { stays: new Set(first), upTo: MAX_RETAINED }, pruned)
  expect(asked.size).toBe(0)

  await prunePayloads(pruning, { stays: new Set(), upTo: count }, pruned)

  expect(dropped).toHaveLength(count)
  expect(asked.size).toBe(count)
})
