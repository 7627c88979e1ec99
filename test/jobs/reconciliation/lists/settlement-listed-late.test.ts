import { expect, test } from 'vitest'
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
import { MINUTE } from '../../kit.ts'

/* A settlement whose last sale was late on the 20th, and that was made after midnight. */

const KIND = 'POSSettlementCreated'

const RECORD = {
  ...{ SETTLEMENTID: 7, BatchNumber: '3', StoreNo: '101', POSID: 1, Currency: 'NOK', GrandTotal: 10 },
  ...{
    SettlementTimeStamp: '2026-11-21T00:30:00',
    DateTimeFrom: '2026-11-20T10:00:00',
    DateTimeTo: '2026-11-20T22:00:00',
  },
}

const STORE = {
  ...{ storeId: '42', number: '101', zone: 'UTC', goneAt: null },
  ...{ stockId: null, countryCode: null, name: null, currency: 'NOK' },
}

/** A hub that was told nothing of it, and lists of the platform, of which those of some days have it. */
async function openComparing(under: readonly string[]) {
  const hub = await startTestHub()
  const { storage } = hub.hub
  const { SettlementTimeStamp: settledAt, DateTimeFrom: from, DateTimeTo: to, BatchNumber: batchNumber } = RECORD
  const one = { settlementId: '7', storeId: null, storeNo: '101', posId: '1', settledAt, from, to, batchNumber }
  const rows = [{ ...one, record: RECORD } as unknown as Settlement]
  const list = settlementsList({
    platform: {
      settlements: { list: async ({ day }: { day: string }) => listed(under.includes(day) ? rows : []) } as never,
    },
    ...{ storage, places: createPlaces([STORE]), lacks: () => null, mirrored: true },
  })
  let now = 0
  const accept = createAcceptListed({
    ...{ inbox: inboxOf(hub), clock: { now: () => now }, logger: createTestLogger().logger },
  })
  const state = readListsState(null)
  const lag = 15 * MINUTE
  return {
    /** As it stands at a time, and what a run then came to. */
    async compare(at: string) {
      now = Date.parse(at)
      const { missing, accepted, unproven } = await reconcileKind({
        ...{ list, state, now, storage, accept, zones: ['UTC'], lastDay: at.slice(0, 10), watched: () => true },
        span: { from: Date.parse('2026-11-20T09:00Z'), to: now - lag },
        ...{ turn: async () => {}, save: async () => {}, signal: new AbortController().signal },
      })
      return { missing, accepted, unproven }
    },
    pushed: () => accept(KIND, RECORD),
    gaps: () => storage.gaps({ source: 'lists' }, 0, 10),
    async provenTo() {
      const covered = await storage.covered('lists', KIND)
      return covered.map(({ to }) => new Date(to).toISOString()).at(-1)
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}

const LISTS = [
  ['under the day of its sales', ['2026-11-20']],
  ['under the day on which it was made', ['2026-11-21']],
  ['under both', ['2026-11-20', '2026-11-21']],
] as const

test.each(LISTS)(
  'when it is listed %s, and was lost, then it is accepted once, and every day proves',
  async (_, under) => {
    await using the = await openComparing(under)
    expect(await the.compare('2026-11-21T02:00Z')).toMatchObject({ accepted: 0, unproven: [] })
    expect(await the.compare('2026-11-22T03:00Z')).toEqual({ missing: 0, accepted: 1, unproven: [] })
    for (const at of ['2026-11-22T04:00Z', '2026-11-23T04:00Z', '2026-11-26T04:00Z'])
      expect(await the.compare(at)).toEqual({ missing: 0, accepted: 0, unproven: [] })
    expect(await the.gaps()).toMatchObject([{ subject: '7', state: 'repaired' }])
    expect(await the.provenTo()).toBe('2026-11-26T03:45:00.000Z')
  },
)

test.each(LISTS)('when it is listed %s, and comes after all, then its gap is closed', async (_, under) => {
  await using the = await openComparing(under)
  await the.compare('2026-11-21T02:00Z')
  await the.pushed()
  expect(await the.compare('2026-11-21T03:00Z')).toEqual({ missing: 0, accepted: 0, unproven: [] })
  expect(await the.gaps()).toMatchObject([{ subject: '7', state: 'repaired' }])
})

test('when the list of the day of its sales has it no more, then that day proves nothing, and no other', async () => {
  const under = ['2026-11-20']
  await using the = await openComparing(under)
  await the.compare('2026-11-21T02:00Z')
  under.pop()
  const { unproven } = await the.compare('2026-11-21T02:05Z')
  expect(unproven).toEqual([expect.stringContaining(`${KIND} of 2026-11-20`)])
})
