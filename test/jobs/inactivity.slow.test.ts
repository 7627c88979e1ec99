import { describe, expect, test } from 'vitest'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import type { JobStatus } from '../../src/domain/health/health.ts'
import { type ArrivalsByHour, arrivalsOfDay, createProfile, recentHours } from '../../src/domain/inactivity.ts'
import { createStoreIndex } from '../../src/domain/stores/store-index.ts'
import { inactivityJob } from '../../src/jobs/inactivity.ts'
import type { EventRow } from '../../src/storage/rows.ts'
import { toldBy } from '../admin/health-kit.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { createFolder, startTestHub, type TestHub } from '../hub.ts'
import { logged, saleNo } from '../queue/kit/kit.ts'
import { createRunner } from './engine/run.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const HOUR = 3_600_000
const MINUTE = 60_000

test('When config has the store closed, then it is not quiet, however busy it has been at this hour; when its hours are given otherwise, it is', async () => {
  await using platform = await startPlatform(KEYS)
  await using folder = await createFolder()
  const clock = createTestClock()
  const start = (inactivity: object) =>
    startTestHub({
      clock,
      folder: folder.path,
      config: { platform: { baseUrl: platform.url, ...KEYS, trustWebhooks: true }, inactivity },
    })
  const look = async (hub: TestHub) => (await hub.admin<JobStatus>('jobs/inactivity/run', {})).body.note
  const always = (hours: string) => ({ hours: { NO: { week: { 'mon-sun': hours } } } })
  let no = 0
  {
    await using hub = await startTestHubAndStores(() => start(always('00:00-24:00')))
    await look(hub)
    for (let week = 0; week < 3; week += 1) {
      for (let step = 0; step < 18; step += 1) {
        for (let sale = 0; sale < 5; sale += 1) {
          no += 1
          await hub.post('SaleCreated', saleNo(no))
        }
        await look(hub)
        clock.advance(10 * MINUTE)
      }
      clock.advance(7 * 24 * HOUR - 3 * HOUR)
    }
    await hub.post('SaleCreated', saleNo(9_999))
    await look(hub)
    clock.advance(2 * HOUR)
    expect(await look(hub)).toContain('quiet: store')
  }
  await using hub = await startTestHubAndStores(() => start(always('closed')))
  expect(await look(hub)).toContain('nothing is quiet')
}, 60_000)

test('When a store that has been busy at this hour for three weeks goes quiet, then status says so, and stops when it speaks', async () => {
  await using platform = await startPlatform(KEYS)
  const clock = createTestClock()
  await using hub = await startTestHub({
    clock,
    config: { platform: { baseUrl: platform.url, ...KEYS, trustWebhooks: true } },
  })
  await eventually(() => expect(logged(hub, 'job.done').some(({ job }) => job === 'stores')).toBe(true))
  const look = async () => (await hub.admin<JobStatus>('jobs/inactivity/run', {})).body
  const silent = async () => (await toldBy(hub)).filter(({ area }) => area === 'inactivity')
  let no = 0
  const busy = async () => {
    for (let step = 0; step < 18; step += 1) {
      for (let sale = 0; sale < 5; sale += 1) {
        no += 1
        await hub.post('SaleCreated', saleNo(no))
      }
      await look()
      clock.advance(10 * MINUTE)
    }
  }

  await look()
  for (let week = 0; week < 3; week += 1) {
    await busy()
    clock.advance(7 * 24 * HOUR - 3 * HOUR)
  }
  await hub.post('SaleCreated', saleNo(9_999))
  expect((await look()).note).toBe('1 kind of stores learned; nothing is quiet')
  expect(await silent()).toEqual([])
  clock.advance(2 * HOUR)
  await look()
  expect(await silent()).toMatchObject([{ state: 'problem', name: expect.stringMatching(/^store \d+$/) }])

  await hub.post('SaleCreated', saleNo(10_000))
  await look()
  expect(await silent()).toEqual([])
}, 60_000)

async function startTestHubAndStores(start: () => Promise<TestHub>): Promise<TestHub> {
  const hub = await start()
  await eventually(() => expect(logged(hub, 'job.done').some(({ job }) => job === 'stores')).toBe(true))
  return hub
}

describe('several hubs', () => {
  const HOUR = 60 * MINUTE
  const index = createStoreIndex([
    { storeId: '1', number: '101', stockId: '1', countryCode: 'NO', zone: 'Europe/Oslo' },
  ])

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
    const { hours } = runner.state as { hours: ArrivalsByHour }
    const day = arrivalsOfDay(hours, [], clock.now())
    expect(day.map(({ came }) => came)).toEqual([...Array(23).fill(0), 3])
    expect(recentHours(hours, clock.now() + 24 * HOUR)).toEqual({})
  })

  test('When an hour of the week was seen twice, then a day of arrivals says what is usual in it, of all kinds and stores', () => {
    const now = Date.parse('2026-11-20T12:30:00Z')
    const noon = createProfile('SaleCreated', '101', 'Europe/Oslo', now)
    // Friday, the hour from 12 to 13 UTC: 13 in Oslo.
    const slot = 4 * 24 + 13
    const usual = { ...noon, means: noon.means.with(slot, 12.4), weeks: noon.weeks.with(slot, 2) }
    const once = { ...noon, means: noon.means.with(slot, 90), weeks: noon.weeks.with(slot, 1) }
    expect(arrivalsOfDay({}, [usual, { ...usual, store: '102' }, once], now).slice(-2)).toEqual([
      { from: Date.parse('2026-11-20T11:00:00Z'), came: 0, usual: null },
      { from: Date.parse('2026-11-20T12:00:00Z'), came: 0, usual: 25 },
    ])
  })
})

describe('two countries', () => {
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
})
