import type { BookingName } from '../../../domain/accounting/bookings.ts'
import { idOfPosOrder } from '../../../domain/orders/link.ts'
import type { BackOfficeCall, OrdersCall } from '../../../ports/ports.ts'
import { type RecordKind, valueAt } from '../../shared/records.ts'

export const ORDER_EFFECTS = [
  'create',
  'draft',
  'ready',
  'collected',
  'decline',
  'expire',
  'ship',
  'refund',
  'noteRefund',
] as const satisfies OrdersCall['method'][]

/** What mappings see, besides `key` and `theirId`. */
export interface Subject {
  input: object
  /** The record with `theirId`; of an order its number. */
  known: { kind: string; id: string } | null
  made: { kind: string; id: string } | null
}

export function orderSubject(call: OrdersCall): Subject {
  const { method, argument } = call
  const of = (number: string, made: Subject['made'] = null) => ({ known: { kind: 'order', id: number }, made })
  switch (method) {
    case 'create':
      return { input: { order: argument }, known: null, made: { kind: 'order', id: idOfPosOrder(argument) } }
    case 'draft':
      return { input: { order: argument }, known: null, made: { kind: 'draft', id: argument.number } }
    case 'decline':
      return { input: argument, ...of(argument.order.number) }
    case 'ship':
      return { input: argument, ...of(argument.order.number, { kind: 'shipment', id: argument.parcel.id }) }
    case 'refund':
    case 'noteRefund': {
      const { refund, line } = argument
      return { input: argument, ...of(refund.number, { kind: 'refund', id: `${refund.refundId}/${line.key}` }) }
    }
    default:
      return { input: { order: argument }, ...of(argument.number) }
  }
}

export function bookingSubject(kind: RecordKind, call: BackOfficeCall, key: string): Subject {
  const made = { kind, id: recordId(call) ?? key }
  const { argument: input } = call
  const isEnd = 'step' in input && (input.step === 'received' || input.step === 'ended')
  return { input, known: isEnd ? made : null, made }
}

function recordId({ method, argument }: BackOfficeCall): string | null {
  if (method === 'bookSale') {
    const { store, receiptNo } = argument.sale
    return store.posId === null ? receiptNo : `${store.posId}/${receiptNo}`
  }
  const path = RECORD_IDS[method]
  return path === undefined ? null : (valueAt(argument, path) as string | null)
}

const RECORD_IDS: Readonly<Partial<Record<BookingName, string>>> = {
  bookInvoice: 'invoice.invoiceId',
  bookSettlement: 'settlement.settlementId',
  bookDelivery: 'delivery.deliveryId',
  bookMovement: 'movement.movementId',
  bookCount: 'count.countId',
  bookAdjustment: 'adjustment.adjustmentId',
  bookTransfer: 'transfer.transferId',
  bookGiftCard: 'transaction.transactionId',
  bookTerminal: 'reconciliation.reconciliationId',
  bookReservation: 'reservation.reservationId',
}

/** JSONata ignores what is missing, and fails on null. */
export function withoutNulls(input: object): object {
  return JSON.parse(JSON.stringify(input, (_, value: unknown) => value ?? undefined)) as object
}
