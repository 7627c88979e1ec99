import type {
  AdjustmentBooking,
  CountBooking,
  MovementBooking,
  ReservationBooking,
  TransferBooking,
} from '../../../domain/books/bookings.ts'
import type { GoodsLine } from '../../../domain/catalogue/goods.ts'
import { decimal, defineTables, flag, note, type TableColumn, text, time } from './columns.ts'

function goodsColumns<Line extends GoodsLine>(): TableColumn<Line>[] {
  return [
    text('gtin', ({ gtin }) => gtin),
    text('sku', ({ sku }) => sku),
    decimal('quantity', ({ quantity }) => quantity),
  ]
}

export const movementTables = defineTables<MovementBooking>(
  ({ storeNo, stockId, day, movement }) => ({ storeNo, stockId: stockId ?? movement.stockId, day }),
  ({ head }) => [
    head('stock_movements', [
      text('movement_id', ({ movement }) => movement.movementId),
      text('stock_no', ({ movement }) => movement.stockNo),
      time('moved_at', ({ movement }) => movement.at),
      text('gtin', ({ movement }) => movement.gtin),
      text('sku', ({ movement }) => movement.sku),
      text('type', ({ movement }) => movement.type),
      decimal('quantity', ({ movement }) => movement.quantity),
      decimal('stock_level', ({ movement }) => movement.level),
    ]),
  ],
)

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

export const transferTables = defineTables<TransferBooking>(
  (booking) => booking,
  ({ head, lines }) => [
    head('transfers', [
      text('transfer_id', ({ transfer }) => transfer.transferId),
      text('step', ({ step }) => step),
      flag('is_virtual', ({ virtual }) => virtual),
      text('from_stock_id', ({ transfer }) => transfer.fromStockId),
      text('from_stock_no', ({ transfer }) => transfer.fromStockNo),
      text('to_stock_id', ({ transfer }) => transfer.toStockId),
      text('to_stock_no', ({ transfer }) => transfer.toStockNo),
      text('status', ({ transfer }) => transfer.status),
      time('sent_at', ({ transfer }) => transfer.sentAt),
      time('received_at', ({ transfer }) => transfer.receivedAt),
    ]),
    lines(
      'transfer_lines',
      ({ transfer }) => transfer.lines,
    )([
      ...goodsColumns<TransferBooking['transfer']['lines'][number]>(),
      decimal('received', ({ received }) => received),
    ]),
  ],
)

export const reservationTables = defineTables<ReservationBooking>(
  ({ storeNo, stockId, day, reservation }) => ({ storeNo, stockId: stockId ?? reservation.stockId, day }),
  ({ head }) => [
    head('reservations', [
      text('reservation_id', ({ reservation }) => reservation.reservationId),
      text('step', ({ step }) => step),
      text('stock_no', ({ reservation }) => reservation.stockNo),
      text('gtin', ({ reservation }) => reservation.gtin),
      text('sku', ({ reservation }) => reservation.sku),
      decimal('quantity', ({ reservation }) => reservation.quantity),
      text('order_no', ({ reservation }) => reservation.orderNo),
      text('status', ({ reservation }) => reservation.status),
      time('reserved_at', ({ reservation }) => reservation.at),
      time('expires_at', ({ reservation }) => reservation.expiresAt),
      time('released_at', ({ reservation }) => reservation.releasedAt),
    ]),
  ],
)
