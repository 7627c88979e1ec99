import { expect } from 'vitest'
import type { StoreRecord } from '../../../src/domain/stores/store-index.ts'
import { JobLostError } from '../../../src/domain/values/errors.ts'
import { DAY, MINUTE } from '../acting.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'
import { begin, begun, LEASE } from './job-leases.ts'

/** What is remembered of jobs, and of the platform's stores. */
export function jobs(test: StoreTest): void {
  test('When a run begins, then it is under way, through the death of its hub', async (the) => {
    const at = the.clock.now()
    const row = {
      name: 'stores',
      state: null,
      lastStartedAt: at,
      lastSucceededAt: null,
      lastFailedAt: null,
      problem: null,
      note: null,
      failures: 0,
      underWay: true,
      leaseUntil: at + LEASE,
    }
    expect(await begin(the)).toEqual({ row, fence: expect.any(Number) })
    expect(await the.storage.jobs()).toEqual([row])
    const storage = await the.reopen()
    // Whether its lease lasts is the store's matter: where one hub has it alone, there is nobody to wait for.
    expect(await storage.jobs()).toEqual([{ ...row, leaseUntil: expect.toSatisfy(isInstantOrNull) }])
    expect(await storage.jobRuns('stores', 10)).toEqual([{ startedAt: at, endedAt: null, problem: null, note: null }])
  })

  test('When a run ends well, then its state and note stay, also where the next one leaves none', async (the) => {
    const { storage, clock } = the
    const { fence } = await begun(the)
    await clock.pass(MINUTE)
    const ended = await storage.endJob('stores', fence, { at: clock.now(), state: '{"cursor":7}', note: '12 stores' })
    expect(ended).toMatchObject({ state: '{"cursor":7}', note: '12 stores', underWay: false, leaseUntil: null })
    expect(ended).toMatchObject({ lastSucceededAt: clock.now(), lastStartedAt: clock.now() - MINUTE })
    const next = await run(the, { note: 'nothing new' })
    expect(next).toMatchObject({ state: '{"cursor":7}', note: 'nothing new' })
    expect(await (await the.reopen()).jobs()).toEqual([next])
  })

  test('When runs fail, then they are counted, and the last success stays, until one succeeds', async (the) => {
    const { storage, clock } = the
    const began = clock.now()
    await run(the, { note: '12 stores', state: '1' })
    await clock.pass(DAY)
    await run(the, { problem: 'it said 500' })
    expect(await run(the, { problem: 'it said 403' })).toMatchObject({
      failures: 2,
      problem: 'it said 403',
      lastFailedAt: began + DAY,
      lastSucceededAt: began,
      note: '12 stores',
      state: '1',
    })
    expect(await run(the, { note: '13 stores' })).toMatchObject({ failures: 0, problem: null, note: '13 stores' })
    expect(await storage.jobRuns('stores', 3)).toMatchObject([
      { note: '13 stores', problem: null, endedAt: began + DAY },
      { note: null, problem: 'it said 403' },
      { note: null, problem: 'it said 500' },
    ])
  })

  test('When a run leaves state, then it stays although the run fails', async (the) => {
    const { storage, clock } = the
    const { fence } = await begun(the)
    await storage.saveJob('stores', fence, '"half"')
    expect(await storage.endJob('stores', fence, { at: clock.now(), problem: 'no' })).toMatchObject({ state: '"half"' })
  })

  test('When no run is under way, then none can end, leave state or be renewed, and nothing changes', async (the) => {
    const { storage, clock } = the
    const at = clock.now()
    await expect(storage.endJob('stores', 1, { at, note: 'done' })).rejects.toThrow('No run of the job stores')
    expect(await storage.renewJob('stores', 1, { now: at, lease: LEASE })).toBe(false)
    const { fence } = await begun(the)
    const before = await storage.endJob('stores', fence, { at, note: 'done' })
    await expect(storage.endJob('stores', fence, { at, problem: 'twice' })).rejects.toThrow(JobLostError)
    await expect(storage.saveJob('stores', fence, '1')).rejects.toThrow('No run of the job stores')
    expect(await storage.renewJob('stores', fence, { now: at, lease: LEASE })).toBe(false)
    expect(await storage.jobs()).toEqual([before])
    expect(await storage.jobRuns('stores', 5)).toMatchObject([{ note: 'done', problem: null }])
  })

  test('When a job has run very often, then its last hundred runs are kept, and those of others', async (the) => {
    await begin(the, {}, 'other')
    for (let n = 1; n <= 105; n++) await run(the, { note: String(n) })
    const notes = (await the.storage.jobRuns('stores', 500)).map(({ note }) => note)
    expect([notes[0], notes.length, notes.at(-1)]).toEqual(['105', 100, '6'])
    expect(await the.storage.jobRuns('other', 500)).toHaveLength(1)
    expect((await the.storage.jobs()).map(({ name }) => name)).toEqual(['other', 'stores'])
  })

  test('When the stores are saved, then they are there, through a restart', async (the) => {
    await the.storage.saveStores([record('2'), record('1', { name: 'Oslo', zone: null })], the.clock.now())
    const storage = await the.reopen()
    expect(await storage.stores()).toEqual([
      { ...record('1', { name: 'Oslo', zone: null }), goneAt: null },
      { ...record('2'), goneAt: null },
    ])
  })

  test('When a store is gone from the platform, then it is kept, as gone since then, until it is back', async (the) => {
    const { storage, clock } = the
    await storage.saveStores([record('1'), record('2')], clock.now())
    await clock.pass(DAY)
    const gone = clock.now()
    await storage.saveStores([record('1', { name: 'Bergen' })], gone)
    await clock.pass(DAY)
    await storage.saveStores([record('1', { name: 'Bergen' })], clock.now())
    expect(await storage.stores()).toMatchObject([
      { storeId: '1', name: 'Bergen', goneAt: null },
      { storeId: '2', name: 'Store 2', goneAt: gone },
    ])
    await storage.saveStores([record('1'), record('2', { number: '77' })], clock.now())
    expect(await storage.stores()).toMatchObject([
      { storeId: '1', goneAt: null },
      { storeId: '2', number: '77', goneAt: null },
    ])
  })

  test('When a store gets another number or stock, then what it was called is kept, through a restart', async (the) => {
    const [first, moved] = [the.clock.now(), the.clock.now() + 1_000]
    const ofStore1 = [{ storeId: '1', number: null, stockId: '12', until: first }]
    await the.storage.saveStores([record('1', { number: null, stockId: '12' }), record('2')], first - 1)
    expect(await the.storage.formerPlaces()).toEqual([])
    await the.storage.saveStores([record('1', { number: '101', stockId: '12' }), record('2')], first)
    await the.storage.saveStores(
      [record('1', { number: '101', stockId: '12', name: 'Bergen' }), record('2')],
      first + 1,
    )
    expect(await the.storage.formerPlaces()).toEqual(ofStore1)
    await the.storage.saveStores([record('1', { number: '101', stockId: null })], moved)
    const storage = await the.reopen()
    const then = { storeId: '1', number: '101', stockId: '12', until: moved }
    expect(await storage.formerPlaces()).toEqual([...ofStore1, then])
  })

  test('When the platform names a store twice, then it is as it is named last, and was never called otherwise', async (the) => {
    const named = [record('1', { stockId: '5' }), record('2'), record('1', { stockId: '6' })]
    for (let day = 0; day < 3; day += 1) await the.storage.saveStores(named, the.clock.now() + day)

    expect((await the.storage.stores()).map(({ storeId, stockId }) => [storeId, stockId])).toEqual([
      ['1', '6'],
      ['2', '5'],
    ])
    expect(await the.storage.formerPlaces()).toEqual([])
  })
}

async function run(the: StoreUnderTest, end: { note: string; state?: string } | { problem: string }) {
  const { fence } = await begun(the)
  return await the.storage.endJob('stores', fence, { at: the.clock.now(), ...end })
}

function isInstantOrNull(value: unknown): boolean {
  return value === null || typeof value === 'number'
}

function record(storeId: string, given: Partial<StoreRecord> = {}): StoreRecord {
  return {
    storeId,
    number: `10${storeId}`,
    name: `Store ${storeId}`,
    stockId: '5',
    countryCode: 'NO',
    currency: 'NOK',
    zone: 'Europe/Oslo',
    ...given,
  }
}
