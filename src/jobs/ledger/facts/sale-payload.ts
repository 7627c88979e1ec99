import { multiplyDecimals, sumDecimals } from '../../../domain/values/money.ts'
import type { SalesLine } from '../../../platform/areas/sales/sales-lines.ts'
import type { KeptStore } from '../../../store/kept.ts'
import { wireNumber } from '../../pulls/handover.ts'

/** A sale as its lines tell of it. */
export interface ListedSale {
  /** The store's wall clock at its first line. */
  soldAt: string
  currency: string | null
  receiptNo: string
  posId: string
  lines: readonly Pick<SalesLine, 'lineId' | 'gtin' | 'quantity' | 'unitPrice' | 'fullPrice' | 'vatRate'>[]
}

/**
 * A sale in the form in which it is pushed (spec, "Sale payload"), as far as its lines say it. How it was paid, by whom, and its VAT
 * in money are not there: what needs them waits for a person, or for the webhook.
 */
export function salePayload(
  { soldAt, currency, receiptNo, posId, lines }: ListedSale,
  store: Pick<KeptStore, 'number' | 'name' | 'currency'>,
) {
  const total = sumDecimals(lines.map(({ quantity, unitPrice }) => multiplyDecimals(quantity, unitPrice)))
  return {
    receiptNo,
    createdDateTime: soldAt,
    orderLines: lines.map(({ lineId, gtin, quantity, unitPrice, fullPrice, vatRate }) => ({
      rowId: lineId,
      gtin,
      quantity: wireNumber(quantity),
      price: wireNumber(unitPrice),
      fullPrice: fullPrice === null ? null : wireNumber(fullPrice),
      vatPercent: vatRate === null ? null : wireNumber(vatRate),
    })),
    store: { storeExtId: store.number, storeName: store.name, posId, currency: currency ?? store.currency },
    total: wireNumber(total),
  }
}
