import { expect, test } from 'vitest'
import { zonesOf } from '../../../../src/domain/completeness/source-record.ts'
import { todaysOf } from '../../../../src/jobs/pulls/days.ts'
import { createPlaces, settlementsList } from '../../../../src/jobs/reconciliation/list.ts'
import {
  createAcceptListed,
  readListsState,
  reconcileKind,
} from '../../../../src/jobs/reconciliation/reconcile-kind.ts'
import type { Settlement } from '../../../../src/platform/resources/sales.ts'
import { startTestHub } from '../../../hub.ts'
import { inboxOf } from '../../../ingest/inbox-of.ts'
import { listed } from '../../../listed.ts'
import { createTestLogger } from '../../engine/run.ts'
import { HOUR, MINUTE } from '../../kit.ts'

/* A store of which the platform does not say its time zone: its clock may mean any of 26 hours. */

const KIND = 'POSSettlementCreated'
const LAG = 15 * MINUTE
const BEGIN = Date.parse('2026-11-20T09:00:00Z')

const STORE = {
  ...{ storeId: '42', number: '101', zone: null, goneAt: null },
  ...{ stockId: null, countryCode: null, name: null, currency: 'NOK' },
}

/** A hub, and the settlements that the platform lists: one is made each hour, in Oslo. */
async function openComparing() {
  const hub = await startTestHub()
  const { storage } = hub.hub
  const rows: Settlement[] = []
  const list = settlementsList({
    platform: {
      settlements: {
        list: async ({ day }: { day: string }) => listed(rows.filter(({ settledAt }) => settledAt?.startsWith(day))),
      } as never,
    },
    ...{ storage, places: createPlaces([STORE]), lacks: () => null, mirrored: false },
  })
  let now = BEGIN
  const accept = createAcceptListed({
    ...{ inbox: inboxOf(hub), clock: { now: () => now }, logger: createTestLogger().logger },
  })
  const state = readListsState(null)
  return {
    /** A minute before the hour is over a POS is settled, and then the lists are compared. */
    async hour({ lost = false } = {}) {
      now += HOUR
      const id = rows.length + 1
      const local = new Date(now + HOUR - MINUTE).toISOString().slice(0, 19)
      const record = { SETTLEMENTID: id, StoreNo: '101', POSID: 1, Currency: 'NOK', SettlementTimeStamp: local }
      const one = { settlementId: String(id), storeId: null, storeNo: '101', posId: '1', settledAt: local, record }
      rows.push(one as unknown as Settlement)
      if (!lost) await hub.post(KIND, record, { eventId: `event-${id}` })
      return await reconcileKind({
        ...{ list, state, now, storage, accept, zones: zonesOf([STORE]), watched: () => true },
        ...{ lastDay: todaysOf([STORE], now).last, span: { from: BEGIN, to: now - LAG } },
        ...{ turn: async () => {}, save: async () => {}, signal: new AbortController().signal },
      })
    },
    now: () => now,
    gaps: () => storage.gaps({ source: 'lists' }, 0, 10),
    provenTo: async () => (await storage.covered('lists', KIND)).at(-1)?.to,
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}

test('when all was told of, then it is proven up to the bound, wherever the store may be', async () => {
  await using the = await openComparing()
  for (let hour = 0; hour < 4; hour++) {
    await the.hour()
    expect(await the.provenTo()).toBe(the.now() - LAG)
  }
  expect(await the.gaps()).toEqual([])
})

test('when one was not told of, then nothing more is proven, and it is missed once it was that hour everywhere, and taken', async () => {
  await using the = await openComparing()
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
