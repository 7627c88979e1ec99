import fc from 'fast-check'
import { expect, test } from 'vitest'
import { journalOf } from '../../../src/domain/accounting/journal.ts'
import type { Settlement } from '../../../src/domain/accounting/settlement.ts'
import { parseDecimal, subtractDecimals, sumDecimals } from '../../../src/domain/values/money.ts'
import { readSettlement } from '../../../src/platform/payloads/settlement.ts'
import { givenPlatform } from '../../sandbox/platform/given.ts'
import { accountsOf, rows, settlementOf, shown } from './journal-kit.ts'

const RATES = [25, 15, 12, 0]

const amount = (cents: number) => Number((cents / 100).toFixed(2))

const line = fc.record({
  percent: fc.constantFrom(...RATES),
  cents: fc.integer({ min: 500, max: 500_000 }).chain((price) => fc.constantFrom(price, price, price, -price)),
})

/** How a day was paid, in cents: what is left goes by card. Rounding and gift cards are rows of their own. */
const ways = fc.record({
  cash: fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => cents - (cents % 100)),
  rounding: fc.integer({ min: -50, max: 49 }),
  giftCardIn: fc.nat(200_000),
  giftCardOut: fc.nat(200_000),
  voucherOut: fc.nat(50_000),
  foreign: fc.nat(100_000),
})

const day = fc.record({
  lines: fc.array(line, { maxLength: 60 }),
  ways,
  withReport: fc.boolean(),
  discrepancy: fc.integer({ min: -5_000, max: 5_000 }),
  deposit: fc.nat(100_000),
  withdrawal: fc.integer({ min: -100_000, max: 100_000 }),
})

type Day = typeof day extends fc.Arbitrary<infer T> ? T : never

/** What the platform makes of such a day: VAT is rounded on each line. `tooMuch` is added to a payment. */
function closed({ lines, ways, withReport, discrepancy, deposit, withdrawal }: Day, tooMuch = 0): Settlement {
  const vatIn = ({ percent, cents }: Day['lines'][number]) => Math.round((cents * percent) / (100 + percent))
  const at = (percent: number) => lines.filter((each) => each.percent === percent)
  const vatAt = (percent: number) => total(at(percent).map(vatIn))
  const grand = total(lines.map(({ cents }) => cents))
  const vat = total(RATES.map(vatAt))
  const { cash, rounding, giftCardIn, giftCardOut, voucherOut, foreign } = ways
  const card = grand - cash - rounding - giftCardIn + giftCardOut + voucherOut - foreign
  return settlementOf({
    ...{ GrandTotal: amount(grand), NetTotal: amount(grand - vat), VATTotal: amount(vat) },
    ...{ VATArea1: amount(vatAt(25)), VATArea2: amount(vatAt(15)) || null, VATArea3: amount(vatAt(12)) },
    ...(withReport && {
      SAFT_ZReport: {
        reportCashSalesVat: RATES.map((vatPerc) => ({
          vatPerc,
          cashSaleAmnt: amount(total(at(vatPerc).map(({ cents }) => cents))),
          vatAmnt: amount(vatAt(vatPerc)),
        })),
      },
    }),
    Discrepancy: amount(discrepancy),
    Deposits: rows([['Cash', 'Cash', amount(deposit)]]),
    Withdrawals: rows([['Cash', 'Cash', amount(withdrawal)]]),
    paid: [
      ['Card', 'Visa', amount(card + tooMuch)],
      ['Cash', 'Cash', amount(cash)],
      ['Cash', 'Rounding', amount(rounding)],
      ['Cash', 'ForeignCash', amount(foreign)],
      ['Giftcard', 'Giftcard in', amount(giftCardIn)],
      ['Giftcard', 'Giftcard out', amount(-giftCardOut)],
      ['Voucher', 'Voucher out', amount(-voucherOut)],
    ],
  })
}

function total(cents: readonly number[]): number {
  return cents.reduce((sum, each) => sum + each, 0)
}

test('When a settlement is consistent, then its journal balances, and sales and VAT are its total', () => {
  fc.assert(
    fc.property(day, (given) => {
      const settlement = closed(given)
      const { lines, difference } = journalOf(settlement, accountsOf())
      const sold = lines.filter(({ vatRate }) => vatRate !== null).map(({ amount }) => amount.amount)
      const vat = lines.filter(({ text }) => text.startsWith('VAT')).map(({ amount }) => amount.amount)
      const zero = parseDecimal(0)
      expect(difference.amount).toBe('0')
      expect(sumDecimals(lines.map(({ amount }) => amount.amount))).toBe('0')
      expect(subtractDecimals(zero, sumDecimals(sold))).toBe(settlement.grandTotal?.amount)
      expect(subtractDecimals(zero, sumDecimals(vat))).toBe(settlement.vatTotal?.amount)
      expect(lines.filter(({ amount }) => amount.amount === '0' || /\.\d{3}/.test(amount.amount))).toEqual([])
    }),
  )
})

test('When a payment has a cent too much, then just that is missing', () => {
  fc.assert(
    fc.property(day, fc.constantFrom(1, -1), (given, cent) => {
      const { difference } = journalOf(closed(given, cent), accountsOf())
      expect(difference).toEqual({ amount: String(cent / 100), currency: 'NOK' })
    }),
  )
})

test('When nothing is sold at 0 %, and it has no account, then the coins that are left go to the other rates', () => {
  const { '0': _, ...vat } = accountsOf().vat
  const taxed = day.map(({ lines, ...given }) => ({
    ...given,
    lines: lines.filter(({ percent, cents }) => percent > 0 && cents > 0),
  }))
  fc.assert(
    fc.property(taxed, (given) => {
      const { difference } = journalOf(closed(given), accountsOf({ vat }))
      expect(difference.amount).toBe('0')
    }),
  )
})

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
