import { toAmount, vatWithin } from './amounts.ts'
import type { Sold } from './book.ts'
import type { Z } from './counters.ts'
import { totalOf } from './sale-payload.ts'

/** The part of a settlement that its report repeats. */
interface Settled {
  POSID: number
  SettlementTimeStamp: string
  GrandTotal: number
  OpeningCashBalance: number
  PaymentTypes: readonly { Type: string; SubType: string; Amount: number }[]
}

export type FiscalReport = ReturnType<typeof fiscalReport>

/** The Z report as the law has it (facts, §3 "SaftZ"). What its amounts mean no source shows: grand totals are with VAT, sales at a rate are before it. */
export function fiscalReport(settled: Settled, sales: readonly Sold[], z: Z) {
  const { POSID, SettlementTimeStamp, GrandTotal, OpeningCashBalance, PaymentTypes } = settled
  const lines = sales.flatMap(({ receipt }) => receipt.lines)
  const returned = sales.filter(({ receipt }) => totalOf(receipt.lines) < 0)
  const reduced = lines.filter(({ article, cents }) => cents < article.cents)
  const payments = sales.flatMap(({ receipt }) => receipt.payments)
  return {
    reportID: String(z.number),
    reportType: 'Z report',
    companyIdent: '912345678',
    companyName: 'Nordlys Retail AS',
    reportDate: SettlementTimeStamp.slice(0, 10),
    reportTime: SettlementTimeStamp.slice(11, 19),
    registerID: String(POSID),
    reportTotalCashSales: { totalCashSaleAmnt: GrandTotal },
    reportArtGroups: [],
    reportPayments: PaymentTypes.map(({ Type, SubType, Amount }) => ({
      paymentType: SubType === '' ? Type : `${Type}-${SubType}`,
      paymentNum: payments.filter(({ type, subType }) => type === Type && `${subType ?? 'null'}` === SubType).length,
      paymentAmnt: Amount,
    })),
    reportEmpPayments: [],
    reportCashSalesVat: ratesOf(lines),
    reportOpeningChangeFloat: OpeningCashBalance,
    reportReceiptNum: sales.length - returned.length,
    reportReceiptCopyNum: 0,
    reportReceiptCopyAmnt: 0,
    reportReceiptProformaAmnt: 0,
    reportReturnNum: returned.length,
    reportReturnAmnt: toAmount(-sum(returned.map(({ receipt }) => totalOf(receipt.lines)))),
    reportDiscountNum: reduced.length,
    reportDiscountAmnt: toAmount(sum(reduced.map((line) => (line.article.cents - line.cents) * line.quantity))),
    reportVoidTransNum: 0,
    reportVoidTransAmnt: 0,
    reportPriceInquiries: [],
    reportReceiptDeliveryAmnt: 0,
    reportTrainingAmnt: toAmount(z.training),
    reportGrandTotalSales: toAmount(z.sales),
    reportGrandTotalReturn: toAmount(z.returns),
    reportGrandTotalSalesNet: toAmount(z.sales - z.returns),
  }
}

/** The codes of SAF-T for each rate; 0: none. */
const CODES = new Map([
  [0.25, '3'],
  [0.15, '31'],
  [0.12, '32'],
])

function ratesOf(lines: readonly Sold['receipt']['lines'][number][]) {
  return [...Map.groupBy(lines, ({ article }) => article.vatRate)].map(([rate, same]) => {
    const amount = sum(same.map(({ cents, quantity }) => cents * quantity))
    const vat = sum(same.map(({ cents, quantity }) => vatWithin(cents * quantity, rate)))
    return {
      vatCode: CODES.get(rate) ?? '0',
      vatPerc: Math.round(rate * 100),
      cashSaleAmnt: toAmount(amount - vat),
      vatAmnt: toAmount(vat),
      vatAmntTp: amount < 0 ? 'D' : 'C',
      vatAmntTpSpecified: true,
    }
  })
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
