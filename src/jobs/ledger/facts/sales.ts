import type { FactRoad } from './road.ts'
import { linesRoad } from './sales-by-line.ts'
import { receiptsRoad } from './sales-by-receipt.ts'
import type { SalesOptions } from './sales-source.ts'

/**
 * Sales, as odata Saleslines tells of them: by their receipts where config names the columns, else by what was sold when. A sale
 * without lines (a gift card alone) is not listed.
 */
export function salesRoad(options: SalesOptions): FactRoad {
  const { receiptNo, posId } = options.columns
  return receiptNo !== undefined && posId !== undefined
    ? receiptsRoad(options, { receiptNo, posId, orderNo: options.columns.orderNo })
    : linesRoad(options)
}
