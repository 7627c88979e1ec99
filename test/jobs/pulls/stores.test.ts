import { expect, test } from 'vitest'
import type { StoreRecord } from '../../../src/domain/stores/store-index.ts'
import { storesJob } from '../../../src/jobs/pulls/stores.ts'
import type { StoredStore } from '../../../src/storage/rows.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'
import { createMemoryPlatform } from '../memory-platform.ts'

test('when the platform has stores, then they are kept with number, stock, country and zone, and counted', async () => {
  const { job, saved } = given([store(), store({ storeId: '43', number: '102', stockId: '13' })])

  expect(await job.run()).toBe('2 stores')

  expect(saved).toEqual([{ now: NOW, records: [store(), store({ storeId: '43', number: '102', stockId: '13' })] }])
})

test('when the platform says more of a store, then its record is no larger, and what own systems may ask for is kept beside it', async () => {
  const record = { Email: 'oslo@example.com', Legalname: 'Nordlys AS', Orgnum: 912345678, Web: '', Manager: 'Ola' }
  const { job, saved, details } = given([{ ...store(), record } as StoreRecord])

  await job.run()

  expect(JSON.stringify(saved)).not.toContain('oslo@example.com')
  expect(JSON.stringify(details)).not.toContain('Ola')
  expect(details).toMatchObject([
    {
      type: 'put',
      row: {
        set: 'store-details',
        key: '42',
        body: { email: 'oslo@example.com', legalName: 'Nordlys AS', organizationNumber: '912345678', web: null },
      },
    },
  ])
})

test('when stores lack a number or a zone, or share a number, then the note and the log name them', async () => {
  const { job, lines } = given([
    store({ number: null }),
    store({ storeId: '43', number: '102', zone: null }),
    store({ storeId: '44', number: '103' }),
    store({ storeId: '45', number: '103', countryCode: null }),
  ])

  const note = await job.run()

  expect(note).toBe(
    '4 stores; 1 without number: 42 Oslo City; 1 without time zone: 102; 1 without country: 103; ' +
      '1 not distinguished by number: 103 (44 and 45)',
  )
  expect(lines).toMatchObject([{ level: 40, msg: 'stores.incomplete', lacks: { length: 4 } }])
})

test('when the platform suddenly has no stores, then the records stay; where it never had any, that is said', async () => {
  const stores = [store()]
  const { job, saved } = given(stores)
  await job.run()
  stores.pop()

  await expect(job.run()).rejects.toThrow('the platform names no store, but had 1; the records stay as they are')
  expect(saved).toHaveLength(1)
  expect(await given([]).job.run()).toBe('0 stores')
})

test('when the platform suddenly names fewer than half of its stores, then the records stay, until it has said so for a day', async () => {
  const stores = ['1', '2', '3', '4', '5'].map((storeId) => store({ storeId, number: storeId }))
  const { job, saved, clock } = given(stores)
  await job.run()
  stores.splice(2)

  for (const _ of ['once', 'and again'])
    await expect(job.run()).rejects.toThrow('names 2 stores, but had 5: the records stay as they are')
  expect(saved).toHaveLength(1)
  stores.push(store({ storeId: '3', number: '3' }))
  expect(await job.run()).toBe('3 stores')

  stores.splice(1)
  await expect(job.run()).rejects.toThrow('names 1 store, but had 3')
  clock.now += 24 * 3_600_000
  expect(await job.run()).toBe('1 stores')
})

const NOW = 1_790_000_000_000

function given(stores: StoreRecord[], known: StoredStore[] = []) {
  const platform = createMemoryPlatform({ stores })
  const saved: { records: StoreRecord[]; now: number }[] = []
  const { logger, lines } = createTestLogger()
  const details: unknown[] = []
  const saveDetails = async (rows: object[]) => void details.push(...rows)
  const save = async (records: StoreRecord[], now: number) => void saved.push({ records, now })
  const clock = { now: NOW }
  return {
    clock,
    platform,
    saved,
    details,
    lines,
    job: createRunner(storesJob({ platform, save, known: async () => known, saveDetails, logger }), () => clock.now),
  }
}

function store(given: Partial<StoreRecord> = {}): StoreRecord {
  return {
    storeId: '42',
    number: '101',
    name: 'Oslo City',
    stockId: '12',
    countryCode: 'NO',
    currency: 'NOK',
    zone: 'Europe/Oslo',
    ...given,
  }
}
