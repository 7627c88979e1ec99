import { expect, test } from 'vitest'
import { watermarkOf } from '../../../../src/domain/completeness/completeness.ts'
import { beginningOf } from '../../../../src/domain/completeness/source-record.ts'
import { addDays } from '../../../../src/domain/values/instant.ts'
import { parseDecimal } from '../../../../src/domain/values/money.ts'
import { createPlaces, movementsList, type RecordList } from '../../../../src/jobs/reconciliation/list.ts'
import { moveListMarks, readListsState, reconcileKind } from '../../../../src/jobs/reconciliation/reconcile-lists.ts'
import type { Platform } from '../../../../src/platform/platform.ts'
import { createTestLogger } from '../../engine/run.ts'
import { HOUR, MINUTE } from '../../kit.ts'
import { createMemoryStorage } from '../memory-storage.ts'

const KIND = 'POSSettlementCreated'
const ZONES = ['Europe/Oslo', 'Pacific/Honolulu']
const FIRST = '2026-09-01'

/** A list that is compared once a day, and that never proves some days. */
function opened(...stuck: string[]) {
  const storage = createMemoryStorage(new Set())
  const state = readListsState(null)
  const { logger, lines } = createTestLogger()
  const from = beginningOf(FIRST, ZONES).all
  const lacking = new Set(stuck)
  let read: string[] = []
  /** The days that have nothing of store 12. */
  const without = new Set<string>()
  const list: RecordList = {
    ...{ kind: KIND, list: 'the settlements of the day', cannotTell: null, voids: false },
    async read(day) {
      read.push(day)
      const why = lacking.has(day) ? 'the list lacks 1 of 1 that events told of' : null
      return { records: [], rows: 0, why, without: without.has(day) ? ['12'] : [] }
    },
    payloads: async () => new Map(),
    areStored: async () => [],
  }
  return {
    lacking,
    without,
    lines,
    gaps: () => storage.gaps({}, 0, 1_000),
    /** On the noon of a day; gives the days that were read. */
    async compare(lastDay: string): Promise<string[]> {
      read = []
      const now = Date.parse(`${lastDay}T20:00:00Z`)
      const span = { from, to: now - 15 * MINUTE }
      await reconcileKind({
        ...{ list, state, span, now, zones: ZONES, lastDay, storage, watched: () => true },
        accept: async () => ({ why: 'nothing is accepted here' }),
        turn: async () => {},
        save: async () => {},
        signal: new AbortController().signal,
      })
      await moveListMarks(new Map([[KIND, from]]), { storage, logger, now })
      return read
    },
    until: async () => watermarkOf(await storage.watermarks(), 'lists', KIND, null)?.until ?? 0,
  }
}

test('when the list of one day never proves it, then days behind it are read all the same, and a person can say why it need not', async () => {
  const the = opened('2026-09-05')
  for (let nth = 0; nth < 60; nth += 1) {
    const day = addDays(FIRST, nth)
    expect(await the.compare(day), day).toContain(day)
  }
  const current = await the.until()
  expect(current).toBeLessThanOrEqual(beginningOf('2026-09-06', ZONES).first)
  const [gap, ...others] = await the.gaps()
  expect(others).toEqual([])
  expect(gap).toMatchObject({ cause: 'not-looked-at', state: 'open', storeId: null, day: '2026-09-05', at: current })

  // As `tillbridge gaps explain` does it.
  Object.assign(gap ?? {}, { state: 'explained' })
  await the.compare('2026-10-31')
  expect(await the.until()).toBeGreaterThan(Date.parse('2026-10-31T00:00:00Z'))
  expect(the.lines.filter(({ msg }) => msg === 'watermark.went-back')).toEqual([])
})

test('when the list fails for days, then a person is asked once, a day after, and no more once it was read', async () => {
  const the = opened('2026-09-05', '2026-09-06', '2026-09-07')
  await the.compare('2026-09-06')
  expect(await the.gaps()).toEqual([])
  await the.compare('2026-09-08')
  await the.compare('2026-09-10')
  expect(await the.gaps()).toMatchObject([{ day: '2026-09-05', evidence: { lists: { lastDay: '2026-09-07' } } }])
  the.lacking.clear()
  await the.compare('2026-09-10')
  expect(await the.gaps()).toMatchObject([{ state: 'repaired' }])
  expect(await the.until()).toBe(Date.parse('2026-09-10T20:00:00Z') - 15 * MINUTE)
})

/** A shop and the online store sell from one stock, and each has a subscription of its own. */
const STORES = ['42', '101'].map((storeId) => ({
  ...{ storeId, number: storeId, name: storeId, stockId: '12', zone: 'Europe/Oslo' },
  ...{ countryCode: 'NO', currency: 'NOK', goneAt: null },
}))

const NOW = Date.parse('2026-11-20T12:00:00Z')

function asked(...subscribed: string[]) {
  return {
    ...{ state: readListsState(null), span: { from: NOW - 5 * HOUR, to: NOW - 15 * MINUTE } },
    ...{
      storage: {
        ...createMemoryStorage(new Set()),
        mirrorPage: async () => [],
        bodies: async () => [],
        formerPlaces: async () => [],
      },
      now: NOW,
    },
    watched: (storeId: string | null) => storeId !== null && subscribed.includes(storeId),
    accept: async () => ({ why: 'nothing is accepted here' }),
    turn: async () => {},
    save: async () => {},
    signal: new AbortController().signal,
  }
}

test.each([
  ['each of these has a subscription', ['42', '101'], { missing: 1, unproven: [] }],
  ['one of them has none', ['42'], { missing: 0, unproven: [expect.stringContaining('may be of a store')] }],
])('when a movement is of a stock that stores share, and %s, then so is it judged', async (_, subscribed, found) => {
  const options = asked(...subscribed)
  const platform = {
    stockMovements: {
      async *list() {
        const moved = { gtin: '70', quantity: parseDecimal(1), stockId: '12', stockName: null, record: { ID: 7 } }
        yield { rows: [{ ...moved, movedAt: '2026-11-20T11:00:00' }], rejected: [] }
      },
    },
  } as unknown as Pick<Platform, 'stockMovements'>
  const list = movementsList({
    ...{ platform, storage: options.storage, places: createPlaces(STORES), lacks: () => null },
    ...{ columns: { id: 'ID' }, mirrored: false },
  })
  const when = { zones: ['Europe/Oslo'], lastDay: '2026-11-20' }
  expect(await reconcileKind({ ...options, ...when, list })).toMatchObject(found)
})
