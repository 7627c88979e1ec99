import { expect, test } from 'vitest'
import { addDays } from '../../../../src/domain/values/instant.ts'
import { parseDecimal } from '../../../../src/domain/values/money.ts'
import {
  createPlaces,
  type ListedRecord,
  type RecordList,
  settlementsList,
} from '../../../../src/jobs/reconciliation/list.ts'
import { readListsState, reconcileKind } from '../../../../src/jobs/reconciliation/reconcile-lists.ts'
import type { Platform } from '../../../../src/platform/platform.ts'
import { listed } from '../../../listed.ts'
import { MINUTE } from '../../kit.ts'
import { createMemoryStorage } from '../memory-storage.ts'

const KIND = 'SaleCreated'
const FIRST = '2026-09-01'
const ZONES = ['UTC']

/** A list of sales that is compared in the evening of a day. */
function opened() {
  const here = new Set<string>()
  const memory = createMemoryStorage(new Set())
  const storage: typeof memory = {
    ...memory,
    known: async (keys) => keys.map(({ identity }) => (here.has(identity ?? '') ? ({ id: 1 } as never) : null)),
  }
  const state = readListsState(null)
  const days = new Map<string, string[]>()
  const fails = new Set<string>()
  const list: RecordList = {
    ...{ kind: KIND, list: 'the sales of the day', cannotTell: null, voids: true },
    async read(day) {
      const records = (days.get(day) ?? []).map((subject): ListedRecord => {
        const at = Date.parse(`${day}T12:00:00Z`)
        const lacks = 'it has no currency'
        return { subject, storeId: '42', day, earliest: at, latest: at, says: {}, lacks, amount: parseDecimal(1) }
      })
      return { records, rows: records.length, why: fails.has(day) ? 'rows cannot be read' : null }
    },
    payloads: async () => new Map(),
    areStored: async (records) => records.map(({ subject }) => here.has(subject)),
  }
  return {
    days,
    here,
    fails,
    open: async () => (await storage.gaps({ state: 'open' }, 0, 1_000)).map(({ subject }) => subject),
    async compare(lastDay: string) {
      const now = Date.parse(`${lastDay}T20:00:00Z`)
      const span = { from: Date.parse(FIRST), to: now - 15 * MINUTE }
      await reconcileKind({
        ...{ list, state, span, now, zones: ZONES, lastDay, storage, watched: () => true },
        accept: async () => ({ why: 'nothing is accepted here' }),
        turn: async () => {},
        save: async () => {},
        signal: new AbortController().signal,
      })
    },
  }
}

test('When a list shows fewer sales than before, then the gap of one stays open until it has come', async () => {
  const the = opened()
  the.days.set(FIRST, ['lost', 'a', 'b'])
  for (const one of ['a', 'b']) the.here.add(one)
  await the.compare(FIRST)
  the.days.set(FIRST, ['a', 'b'])
  await the.compare('2026-09-02')
  expect(await the.open()).toEqual(['lost'])

  the.here.add('lost')
  await the.compare('2026-09-03')
  expect(await the.open()).toEqual([])
})

test('When gaps of more days than are read at once stay open, then a newer one is looked at all the same, and no day is taken for read that was not', async () => {
  const the = opened()
  const unread = addDays(FIRST, 5)
  the.fails.add(unread)
  for (let nth = 0; nth < 40; nth += 1) {
    const day = addDays(FIRST, nth)
    the.days.set(day, [`lost ${day}`])
    await the.compare(day)
  }
  expect(await the.open()).toHaveLength(41)
  the.here.add(`lost ${addDays(FIRST, 35)}`)
  for (let nth = 45; nth < 50; nth += 1) {
    await the.compare(addDays(FIRST, nth))
    expect(await the.open()).toContain(`list/${unread}`)
  }
  expect(await the.open()).toHaveLength(40)
})

const ALIKE = ['42', '43'].map((storeId) => ({
  ...{ storeId, number: '101', name: storeId, stockId: storeId, zone: 'Europe/Oslo' },
  ...{ countryCode: storeId === '42' ? 'NO' : 'SE', currency: 'NOK', goneAt: null },
}))

test.each([
  ['each of them has a subscription', ['42', '43'], { missing: 1, unproven: [] }],
  ['one of them has none', ['42'], { missing: 0, unproven: [expect.stringMatching(/may be of a store whose/)] }],
])(
  'When a settlement names a number that two stores have, and %s, then its day is not proven',
  async (_, subscribed, found) => {
    const now = Date.parse('2026-11-20T12:00:00Z')
    const storage = {
      ...createMemoryStorage(new Set()),
      mirrorPage: async () => [],
      bodies: async () => [],
      formerPlaces: async () => [],
    }
    const row = {
      settlementId: 's',
      settledAt: '2026-11-20T11:00:00',
      storeId: null,
      storeNo: '101',
      posId: '1',
      batchNumber: '1',
      grandTotal: null,
      record: {},
    }
    const platform = { settlements: { list: async () => listed([row]) } } as unknown as Pick<Platform, 'settlements'>
    const list = settlementsList({ platform, storage, places: createPlaces(ALIKE), lacks: () => null, mirrored: false })
    const compared = await reconcileKind({
      ...{ list, storage, state: readListsState(null), now, zones: ['Europe/Oslo'], lastDay: '2026-11-20' },
      span: { from: now - 5 * 3_600_000, to: now - 15 * MINUTE },
      watched: (storeId) => storeId !== null && subscribed.includes(storeId),
      accept: async () => ({ why: 'nothing is accepted here' }),
      turn: async () => {},
      save: async () => {},
      signal: new AbortController().signal,
    })
    expect(compared).toMatchObject(found)
  },
)
