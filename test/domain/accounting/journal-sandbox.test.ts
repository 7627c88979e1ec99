import { expect, test } from 'vitest'
import { journalOf } from '../../../src/domain/accounting/journal.ts'
import { readSettlement } from '../../../src/platform/payloads/settlement.ts'
import { givenPlatform } from '../../sandbox/platform/given.ts'
import { accountsOf, shown } from './journal-kit.ts'

test('When a day has sales of every sort, then the journal of each POS balances, without a line at 0 %', async () => {
  await using platform = await givenPlatform({ now: () => Date.parse('2026-11-20T11:00:00Z') })
  const { actions } = platform
  for (const store of ['101', '201']) {
    actions.sellGiftCard({ store, amount: 50_000 })
    for (const payment of ['card', 'cash', 'split', 'invoice', 'giftcard'] as const)
      for (let sale = 0; sale < 5; sale++) actions.sell({ store, payment })
    actions.sell({ store, payment: 'cash', lines: [{ sku: 'BEANIE-RED' }, { sku: 'COFFEE', quantity: 3 }] })
    actions.returnGoods({ store, sku: 'COAT-NVY-M', payment: 'cash' })
    actions.sellGiftCard({ store, amount: 250.5, payment: 'cash' })
  }
  const settlements = ['101', '201'].flatMap((store) => platform.closeDay(store)).map(readSettlement)

  const { '0': _, ...vat } = accountsOf().vat
  const accounts = accountsOf({ vat, payments: { ...accountsOf().payments, Invoice: '1500' } })
  for (const settlement of settlements) {
    const lines = shown(journalOf(settlement, accounts))
    expect(lines.filter((line) => /^missing| 0 %/.test(line))).toEqual([])
    expect(lines.length).toBeGreaterThan(3)
  }
  expect(new Set(settlements.map(({ currency }) => currency))).toEqual(new Set(['NOK', 'SEK']))
})
