import { describe, expect, test } from 'vitest'
import { writerConfigIssues } from '../../src/app/config-checks.ts'
import type { StockDifference } from '../../src/domain/catalogue/finding.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import { createCorrections } from '../../src/ingest/corrections.ts'

describe('stock that is put right', () => {
  const difference: StockDifference = {
    run: '2026-11-20',
    of: { stockId: '12' },
    gtin: '590',
    sku: 'TEE',
    right: parseDecimal('4'),
    found: parseDecimal('3'),
    cause: 'unknown',
    detail: null,
    readAt: 5,
    state: 'proposed',
    approved: null,
  }
  const approved = { by: 'kari', reason: null }

  async function corrected(differences: StockDifference[], stock: object | null = { gtin: '590', version: 1 }) {
    const said: unknown[] = []
    const correct = createCorrections({
      storage: { saveFindings: async (findings) => void said.push(findings), now: () => 9 },
      inbox: { announce: async (...given) => void said.push(given) },
      stockOf: async () => stock as never,
    })
    await correct(differences, approved)
    return said
  }

  const noted = (says: StockDifference) => [
    { type: 'keep', finding: { sort: 'stock-difference', says: { ...says, state: 'corrected', approved } } },
  ]

  test('When the mirror differs, then it takes the level that was read, and it is noted who approved it', async () => {
    const level = { stockId: '12', gtin: '590', sku: 'TEE', level: difference.right, readAt: 5 }
    expect(await corrected([difference])).toEqual([['StockLevelRead', 'platform', level, 9], noted(difference)])
  })

  test('When a shop differs, then its place is told what there is now; one that never had the article is told nothing', async () => {
    const shop: StockDifference = { ...difference, of: { destination: 'shop', location: 'web' } }
    expect(await corrected([shop])).toEqual([
      ['StockChanged', 'mirror', { gtin: '590', version: 1, again: 'web' }, 9],
      noted(shop),
    ])
    expect(await corrected([shop], null)).toEqual([noted(shop)])
  })
})

test('When a destination is told the levels of a stock that it writes itself, then that is named, with what to write', () => {
  const channel = (...stocks: string[]) => ({ stocks, safetyStock: parseDecimal('0') })
  const destinations = [
    { name: 'erp', channels: { web: channel('12', '13'), store: channel('14') } },
    { name: 'shop', channels: { web: channel('12') } },
  ]
  expect(writerConfigIssues({ 12: 'erp', 14: 'other' }, destinations)).toEqual([
    {
      path: ['platform', 'stockWriters', '12'],
      found: 'a second writer of stock 12: erp is sent its levels as well (web)',
      expected: 'one writer: take the stock out here, or out of destinations.erp',
    },
  ])
  expect(writerConfigIssues({}, destinations)).toEqual([])
})
