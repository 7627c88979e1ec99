import { join } from 'node:path'
import { expect, test } from 'vitest'
import { retentionJob } from '../../../src/jobs/retention/retention.ts'
import { openTestStore } from '../../empty-store.ts'
import { by, claim, DAY, DELIVERED, settle } from '../../storage/acting.ts'
import { createArrivals } from '../../storage/arrivals.ts'
import { AGES, NOW } from '../../storage/retention/pruned-store.ts'
import { temporaryFolder } from '../../storage/sqlite/file.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'

const YEARS = 700 * DAY

/** A store whose events came by a clock that was years ahead for a while; kinds in the order in which they came. */
async function storeOf(path: string, came: readonly { kind: string; at: number; times?: number }[]) {
  const storage = await openTestStore(join(path, 'store.db'), { clock: () => NOW })
  const { arrival } = createArrivals({ now: () => NOW })
  for (const { kind, at, times = 1 } of came)
    await storage.accept(Array.from({ length: times }, () => arrival({ kind, receivedAt: at, deliveries: [] })))
  return storage
}

const kindsIn = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind).sort()

test('When events came by a clock that was years ahead, then those behind them go in their time, and they go with them', async () => {
  using folder = temporaryFolder()
  const old = NOW - AGES.events - 10 * DAY
  await using storage = await storeOf(folder.path, [
    { kind: 'Old', at: old },
    { kind: 'Ahead', at: NOW + YEARS, times: 2_500 },
    { kind: 'Old', at: old + DAY },
    { kind: 'Young', at: NOW - DAY },
    { kind: 'AheadAndYoung', at: NOW + YEARS },
    { kind: 'Young', at: NOW },
  ])
  for (const kind of ['Old', 'Ahead', 'Young', 'AheadAndYoung']) await storage.dismiss({ kind }, by(NOW))
  const job = retentionJob({
    ...{ storage, ages: AGES, archive: null, room: async () => null, logger: createTestLogger().logger },
  })

  await createRunner(job, () => NOW).run()
  expect(kindsIn(await storage.events({ limit: 10_000 }))).toEqual(['AheadAndYoung', 'Young', 'Young'])
})

const HELD = 'price:under a legal hold'

test('When the events of a price have had their time, then it is not kept which of them was made last, unless one of them is here still', async () => {
  using folder = temporaryFolder()
  await using storage = await openTestStore(join(folder.path, 'store.db'), { clock: () => NOW })
  for (const [entity, age] of [
    ['price:a campaign of long ago', AGES.events + DAY],
    [HELD, AGES.events + DAY],
    ['price:a campaign of today', 0],
  ] as const) {
    const { about } = createArrivals({ now: () => NOW - age })
    const [verdict] = await storage.accept([about(entity, { latestWins: true })])
    if (entity === HELD) await storage.holdEvents([verdict?.id ?? 0], by(NOW))
    await settle(storage, await claim(storage), DELIVERED, NOW)
  }
  const job = retentionJob({
    storage,
    ages: AGES,
    archive: null,
    room: async () => null,
    logger: createTestLogger().logger,
  })
  const { signal } = new AbortController()

  await job.run({ now: NOW, asked: false, signal, state: null, save: async () => {} })

  const { rows } = await storage.personalPage({ place: 'acknowledged', containing: ['price:'], after: 0 })
  expect(rows.map(({ values }) => values[2])).toEqual(['price:a campaign of today', HELD])
})

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

/** A store with an event of yesterday, and the job; `schedule`: not each night. */
async function started(path: string, schedule?: string) {
  const storage = await openTestStore(join(path, 'store.db'), { clock: () => NOW })
  const { arrival } = createArrivals({ now: () => NOW - DAY })
  await storage.accept([arrival({ kind: 'Sold', transportKey: 'e-1', deliveries: [] }), arrival({ kind: 'Newest' })])
  await storage.dismiss({ kind: 'Sold' }, by(NOW))
  let now = NOW
  const job = retentionJob({
    ...{ storage, ages: AGES, archive: null, room: async () => null, logger: createTestLogger().logger },
    ...(schedule !== undefined && { schedule }),
  })
  const runner = createRunner(job, () => now)
  return {
    storage,
    runner,
    kinds: async () => (await storage.events({})).map(({ kind }) => kind),
    at: (instant: number, asked = false) => {
      now = instant
      return runner.run({ asked })
    },
  }
}

test('When the clock is suddenly years ahead, then the nightly run prunes nothing, and says why; once it is put back, all goes on', async () => {
  using folder = temporaryFolder()
  const { storage, at, kinds, runner } = await started(folder.path)
  await using _ = storage
  await at(NOW)
  const before = JSON.stringify(runner.state)

  for (const days of [730, 731])
    await expect(at(NOW + days * DAY)).rejects.toThrow(
      /^By this clock it is 2028-.*, and retention ran last on 2026-02-06: nothing is pruned.*timedatectl.*tillbridge retention run/,
    )
  expect(await kinds()).toEqual(['Newest', 'Sold'])
  expect(JSON.stringify(runner.state)).toBe(before)

  expect(await at(NOW + DAY)).toMatch(/^pruned /)
})

test('When a hub was off for so long, then it prunes once a person has said so', async () => {
  using folder = temporaryFolder()
  const { storage, at, kinds } = await started(folder.path)
  await using _ = storage
  await at(NOW)
  await expect(at(NOW + 730 * DAY)).rejects.toThrow('nothing is pruned')

  expect(await at(NOW + 730 * DAY, true)).toMatch(/^pruned 1 event,/)
  expect(await kinds()).toEqual(['Newest'])
  expect(await at(NOW + 731 * DAY)).toMatch(/^pruned /)
})

test('When it was off for a few weeks, or runs twice a year, then nobody is asked', async () => {
  using folder = temporaryFolder()
  const { storage, at } = await started(folder.path)
  await using _ = storage
  await at(NOW)
  expect(await at(NOW + 25 * DAY)).toMatch(/^pruned /)

  using other = temporaryFolder()
  const seldom = await started(other.path, '40 1 1 1,7 *')
  await using __ = seldom.storage
  await seldom.at(Date.parse('2026-01-01T01:40:00Z'))
  expect(await seldom.at(Date.parse('2026-07-01T01:40:00Z'))).toMatch(/^pruned /)
})
