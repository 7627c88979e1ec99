import type { TransferBooking } from '../../../domain/books/bookings.ts'
import { decimal, defineTables, flag, text, time } from './columns.ts'
import { goodsColumns } from './goods-columns.ts'

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
