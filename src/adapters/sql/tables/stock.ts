import type { MovementBooking, ReservationBooking } from '../../../domain/books/bookings.ts'
import { decimal, defineTables, text, time } from './columns.ts'

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
