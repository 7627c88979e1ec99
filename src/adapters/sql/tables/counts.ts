import type { AdjustmentBooking, CountBooking } from '../../../domain/books/bookings.ts'
import { defineTables, flag, note, text, time } from './columns.ts'
import { goodsColumns } from './goods-columns.ts'

export const countTables = defineTables<CountBooking>(
  ({ storeNo, stockId, day, count }) => ({ storeNo, stockId: stockId ?? count.stockId, day }),
  ({ head, lines }) => [
    head('stock_counts', [
      text('count_id', ({ count }) => count.countId),
      text('stock_no', ({ count }) => count.stockNo),
      note('description', ({ count }) => count.description),
      flag('is_complete', ({ count }) => count.isComplete),
      time('counted_at', ({ count }) => count.countedAt),
      time('made_at', ({ count }) => count.at),
    ]),
    lines('stock_count_items', ({ count }) => count.items)(goodsColumns()),
  ],
)

export const adjustmentTables = defineTables<AdjustmentBooking>(
  ({ storeNo, stockId, day, adjustment }) => ({ storeNo, stockId: stockId ?? adjustment.stockId, day }),
  ({ head, lines }) => [
    head('adjustments', [
      text('adjustment_id', ({ adjustment }) => adjustment.adjustmentId),
      text('stock_no', ({ adjustment }) => adjustment.stockNo),
      time('made_at', ({ adjustment }) => adjustment.at),
      note('reason', ({ adjustment }) => adjustment.reason),
    ]),
    lines('adjustment_items', ({ adjustment }) => adjustment.items)(goodsColumns()),
  ],
)
