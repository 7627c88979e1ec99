import { expect, test } from 'vitest'
import type { StoredMirrorRow } from '../../../../src/domain/catalogue/mirror.ts'
import { zonesOf } from '../../../../src/domain/completeness/source-record.ts'
import { todaysOf } from '../../../../src/jobs/pulls/days.ts'
import { createPlaces, settlementsList } from '../../../../src/jobs/reconciliation/list.ts'
import {
  createAcceptListed,
  readListsState,
  reconcileKind,
} from '../../../../src/jobs/reconciliation/reconcile-lists.ts'
import type { Settlement } from '../../../../src/platform/resources/sales.ts'
import { startTestHub } from '../../../hub.ts'
import { inboxOf } from '../../../ingest/inbox-of.ts'
import { listed } from '../../../listed.ts'
import { createTestLogger } from '../../engine/run.ts'
import { HOUR, MINUTE } from '../../kit.ts'

const KIND = 'POSSettlementCreated'
const LAG = 15 * MINUTE
const BEGIN = Date.parse('2026-11-20T09:00:00Z')

/** A hub, and the settlements that the platform lists by day of one store, whose time zone it may not say. */
async function openComparing({
  zone,
  mirrored,
  listOf,
}: {
  zone: string | null
  mirrored: boolean
  listOf(day: string): Settlement[]
}) {
  const hub = await startTestHub()
  const { storage } = hub.hub
  const store = {
    ...{ storeId: '42', number: '101', zone, goneAt: null },
    ...{ stockId: null, countryCode: null, name: null, currency: 'NOK' },
  }
  const list = settlementsList({
    platform: { settlements: { list: async ({ day }: { day: string }) => listed(listOf(day)) } as never },
    ...{ storage, places: createPlaces([store]), lacks: () => null, mirrored },
  })
  let now = BEGIN
  const accept = createAcceptListed({
    ...{ inbox: inboxOf(hub), clock: { now: () => now }, logger: createTestLogger().logger },
  })
  const state = readListsState(null)
  return {
    hub,
    accept,
    /** As it stands at a time, and what a run then came to. */
    async compare(at: number) {
      now = at
      const { missing, accepted, unproven } = await reconcileKind({
        ...{ list, state, now, storage, accept, zones: zonesOf([store]), watched: () => true },
        ...{ lastDay: todaysOf([store], now).last, span: { from: BEGIN, to: now - LAG } },
        ...{ turn: async () => {}, save: async () => {}, signal: new AbortController().signal },
      })
      return { missing, accepted, unproven }
    },
    now: () => now,
    gaps: () => storage.gaps({ source: 'lists' }, 0, 10),
    provenTo: async () => (await storage.covered('lists', KIND)).at(-1)?.to,
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}

/** A store of which the platform does not say its time zone: its clock may mean any of 26 hours. One settlement is made each hour, in Oslo. */
async function openAnywhere() {
  const rows: Settlement[] = []
  const listOf = (day: string) => rows.filter(({ settledAt }) => settledAt?.startsWith(day))
  const the = await openComparing({ zone: null, mirrored: false, listOf })
  return {
    ...the,
    /** A minute before the hour is over a POS is settled, and then the lists are compared. */
    async hour({ lost = false } = {}) {
      const now = the.now() + HOUR
      const id = rows.length + 1
      const local = new Date(now + HOUR - MINUTE).toISOString().slice(0, 19)
      const record = { SETTLEMENTID: id, StoreNo: '101', POSID: 1, Currency: 'NOK', SettlementTimeStamp: local }
      const one = { settlementId: String(id), storeId: null, storeNo: '101', posId: '1', settledAt: local, record }
      rows.push(one as unknown as Settlement)
      if (!lost) await the.hub.post(KIND, record, { eventId: `event-${id}` })
      return await the.compare(now)
    },
  }
}

test('when all was told of, then it is proven up to the bound, wherever the store may be', async () => {
  await using the = await openAnywhere()
  for (let hour = 0; hour < 4; hour++) {
    await the.hour()
    expect(await the.provenTo()).toBe(the.now() - LAG)
  }
  expect(await the.gaps()).toEqual([])
})

test('when one was not told of, then nothing more is proven, and it is missed once it was that hour everywhere, and taken', async () => {
  await using the = await openAnywhere()
  await the.hour()
  const proven = await the.provenTo()
  await the.hour({ lost: true })
  // Its event may be on its way.
  for (let hour = 0; hour < 12; hour++) {
    expect(await the.hour()).toMatchObject({ missing: 0, accepted: 0 })
    expect(await the.provenTo()).toBe(proven)
  }
  for (let hour = 0; hour < 6; hour++) await the.hour()
  expect(await the.gaps()).toMatchObject([{ subject: '2', state: 'open' }])
  for (let hour = 0; hour < 24; hour++) await the.hour()
  expect(await the.gaps()).toMatchObject([{ subject: '2', state: 'repaired' }])
  expect(await the.provenTo()).toBe(the.now() - LAG)
})

/* A settlement whose last sale was late on the 20th, and that was made after midnight. */

const RECORD = {
  ...{ SETTLEMENTID: 7, BatchNumber: '3', StoreNo: '101', POSID: 1, Currency: 'NOK', GrandTotal: 10 },
  ...{
    SettlementTimeStamp: '2026-11-21T00:30:00',
    DateTimeFrom: '2026-11-20T10:00:00',
    DateTimeTo: '2026-11-20T22:00:00',
  },
}

/** A hub that was told nothing of it, and lists of the platform, of which those of some days have it. */
async function openLate(under: readonly string[]) {
  const { SettlementTimeStamp: settledAt, DateTimeFrom: from, DateTimeTo: to, BatchNumber: batchNumber } = RECORD
  const one = { settlementId: '7', storeId: null, storeNo: '101', posId: '1', settledAt, from, to, batchNumber }
  const rows = [{ ...one, record: RECORD } as unknown as Settlement]
  const the = await openComparing({ zone: 'UTC', mirrored: true, listOf: (day) => (under.includes(day) ? rows : []) })
  return { ...the, compare: (at: string) => the.compare(Date.parse(at)), pushed: () => the.accept(KIND, RECORD) }
}

const LISTS = [
  ['under the day of its sales', ['2026-11-20']],
  ['under the day on which it was made', ['2026-11-21']],
  ['under both', ['2026-11-20', '2026-11-21']],
] as const

for (const [name, under] of LISTS)
  test(`when it is listed ${name}, and was lost, then it is accepted once, and every day proves`, async () => {
    await using the = await openLate(under)
    expect(await the.compare('2026-11-21T02:00Z')).toMatchObject({ accepted: 0, unproven: [] })
    expect(await the.compare('2026-11-22T03:00Z')).toEqual({ missing: 0, accepted: 1, unproven: [] })
    for (const at of ['2026-11-22T04:00Z', '2026-11-23T04:00Z', '2026-11-26T04:00Z'])
      expect(await the.compare(at)).toEqual({ missing: 0, accepted: 0, unproven: [] })
    expect(await the.gaps()).toMatchObject([{ subject: '7', state: 'repaired' }])
    expect(await the.provenTo()).toBe(Date.parse('2026-11-26T03:45:00.000Z'))
  })

test.each(LISTS)('when it is listed %s, and comes after all, then its gap is closed', async (_, under) => {
  await using the = await openLate(under)
  await the.compare('2026-11-21T02:00Z')
  await the.pushed()
  expect(await the.compare('2026-11-21T03:00Z')).toEqual({ missing: 0, accepted: 0, unproven: [] })
  expect(await the.gaps()).toMatchObject([{ subject: '7', state: 'repaired' }])
})

test('when the list of the day of its sales has it no more, then that day proves nothing, and no other', async () => {
  const under = ['2026-11-20']
  await using the = await openLate(under)
  await the.compare('2026-11-21T02:00Z')
  under.pop()
  const { unproven } = await the.compare('2026-11-21T02:05Z')
  expect(unproven).toEqual([expect.stringContaining(`${KIND} of 2026-11-20`)])
})

/** Its last sale was late on the 20th, and it was made after midnight. */
const LATE = { settlementId: '7', settledAt: '2026-11-21T00:30:00', to: '2026-11-20T22:00:00' }

/** A platform that lists it under one day, and a mirror that has it by the day of its sales. */
function source(under: string, isMirrored = true) {
  const asked: string[] = []
  const row = { key: LATE.settlementId, day: '2026-11-20', place: null, body: { settledAt: LATE.settledAt } }
  const { read } = settlementsList({
    platform: {
      settlements: {
        list: async ({ day }: { day: string }) => {
          asked.push(day)
          const one = { ...LATE, storeId: null, storeNo: null, posId: '1', batchNumber: null, record: {} }
          return listed(day === under ? [one as unknown as Settlement] : [])
        },
      } as never,
    },
    storage: {
      known: async () => [],
      formerPlaces: async () => [],
      bodies: async () => [],
      mirrorPage: async ({ from, to }, after) =>
        isMirrored && after === null && from !== undefined && to !== undefined && from <= row.day && row.day <= to
          ? [row as unknown as StoredMirrorRow]
          : [],
    },
    places: createPlaces([]),
    lacks: () => null,
    mirrored: true,
  })
  return { asked, look: (day: string) => read(day, Date.parse('2026-11-25'), new AbortController().signal) }
}

test('when it is listed on the day on which it was made, then it is judged on that day, and both days are whole', async () => {
  const { look } = source('2026-11-21')
  expect(await look('2026-11-20')).toMatchObject({ records: [], why: null })
  expect(await look('2026-11-21')).toMatchObject({ records: [{ subject: '7', day: '2026-11-21' }], why: null })
})

test('when it is listed on the day of its sales, then it is judged on that one, and both days are whole', async () => {
  const { look } = source('2026-11-20')
  expect(await look('2026-11-20')).toMatchObject({ records: [{ subject: '7', day: '2026-11-21' }], why: null })
  expect(await look('2026-11-21')).toMatchObject({ records: [], why: null })
})

test('when no list has it, then the day on which it was made proves nothing', async () => {
  const { look, asked } = source('2026-11-01')
  expect(await look('2026-11-20')).toMatchObject({ why: null })
  expect(await look('2026-11-21')).toMatchObject({ why: expect.stringContaining('lacks 1 of 1') })
  expect(asked).toEqual(['2026-11-20', '2026-11-21', '2026-11-20'])
})

test('when the mirror has none, then only the list of the day is asked', async () => {
  const { look, asked } = source('2026-11-21', false)
  await look('2026-11-21')
  expect(asked).toEqual(['2026-11-21'])
})
