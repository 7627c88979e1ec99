import { expect, test } from 'vitest'
import type { StoredGap } from '../../../../src/domain/completeness/gap.ts'
import { checkPos } from '../../../../src/domain/completeness/pos.ts'
import { gapChanges, readReceipts } from '../../../../src/jobs/reconciliation/reconcile-pos.ts'
import { openDesk } from '../../../http/read-models/given.ts'

const DAY = '2026-11-20'

test('When stores of two countries have one number, and POS of one number, then receipts of one are not counted for the other', async () => {
  await using desk = await openDesk()
  const row = (key: string, more: object) => ({
    ...{ set: 'sales' as const, key, place: '7', day: DAY, article: null, part: null, version: 0, tie: 0 },
    body: { posId: '1', receiptNo: key, soldAt: `${DAY}T12:00:00`, total: '1', lines: [], payments: [], ...more },
  })
  await desk.save(row('11', { storeId: '70' }), row('12', { storeId: '71' }), row('13', {}))
  const { storage } = desk.hub.hub
  const alike = ['70', '71'].map((storeId) => ({ storeId, number: '7', stockId: null, countryCode: null }))
  const tools = { storage, stores: alike, former: [], signal: new AbortController().signal }
  const receipts = await readReceipts({ names: ['7'], storeId: '70', zone: null }, DAY, tools)
  // Which store the one of before was of, nobody knows.
  expect(receipts.get('1')?.map(({ no }) => no)).toEqual([11, 13])
})

test('When another store gets the number of one with a gap, then only what agrees in that store closes it', () => {
  const gap = {
    ...{ key: 'k', source: 'pos', cause: 'uncounted', kind: 'SaleCreated', storeId: '70', subject: '7/1/s1/balance' },
    evidence: { pos: { settlementId: 's1' } },
  } as unknown as StoredGap
  const agrees = { gaps: [], judged: ['s1'], linked: [], closed: [], posList: [] }
  expect(
    gapChanges(
      [gap],
      [
        { ...agrees, storeId: null },
        { ...agrees, storeId: '71' },
      ],
    ),
  ).toEqual([])
  expect(gapChanges([gap], [{ ...agrees, storeId: '70' }])).toMatchObject([{ type: 'repair', key: 'k' }])
})

test('When the report of a gap is not read any more, as nobody knows which store it is of, then it is not judged', () => {
  const last = { settlementId: 's1', place: '7', number: 1, closedAt: 1 }
  const { judged } = checkPos({
    ...{ reports: [], receipts: [], pos: { posId: '1', storeId: '70', zone: null }, isWatched: true },
    ...{ memory: { begins: 0, done: [], last }, rules: { patience: 0 }, now: 2 },
  })
  expect(judged).toEqual([])
})
