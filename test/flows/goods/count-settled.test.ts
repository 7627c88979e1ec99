import { expect, test } from 'vitest'
import { COUNT_SETTLED } from '../../../src/domain/catalogue/goods.ts'
import { mirrorStock } from '../../../src/flows/mirror.ts'

test('When a count comes, then its levels are read once it is settled, and the clocks may differ by a second', () => {
  const receivedAt = Date.parse('2026-11-20T12:00:00Z')
  const payload = { stockCountId: 7, stockId: 12, countedDateTime: '2026-11-20T13:00:00', items: [] }
  const count = { kind: 'StockCountReconciled', origin: 'platform', identity: null, entity: null, payload, receivedAt }
  expect(mirrorStock.plan(count)).toEqual([
    { part: '', entity: null, batch: 'counts', notBefore: receivedAt + COUNT_SETTLED + 1_000 },
  ])
  expect(COUNT_SETTLED).toBe(2_000)
})
