import { multiplyDecimals, sumDecimals } from '../../../domain/values/money.ts'
import type { SalesLine } from '../../../platform/areas/sales/sales-lines.ts'
import type { KeptStore } from '../../../store/kept.ts'
import { wireNumber } from '../../engine/wire-number.ts'

/**
 * A sale in the form in which it is pushed (spec, "Sale payload"), as far as its lines say it. How it was paid, by whom, and its VAT
 * in money are not there: what needs them waits for a person, or for the webhook.
 */
export function salePayload(
  lines: readonly SalesLine[],
  store: Pick<KeptStore, 'number' | 'name' | 'currency'>,
  { receiptNo, posId }: { receiptNo: string; posId: string },
) {
  const [first] = lines
  const currency = first?.currency ?? store.currency
  const total = sumDecimals(lines.map(({ quantity, unitPrice }) => multiplyDecimals(quantity, unitPrice)))
  return {
    receiptNo,
    createdDateTime: first?.soldAt ?? null,
    orderLines: lines.map(({ lineId, gtin, quantity, unitPrice, fullPrice, vatRate }) => ({
      rowId: lineId,
      gtin,
      quantity: wireNumber(quantity),
      price: wireNumber(unitPrice),
      fullPrice: fullPrice === null ? null : wireNumber(fullPrice),
      vatPercent: vatRate === null ? null : wireNumber(vatRate),
    })),
    store: { storeExtId: store.number, storeName: store.name, posId, currency },
    total: wireNumber(total),
  }
}
