import { idOfTillOrder } from '../../../domain/orders/link.ts'
import type { BackOfficeCall } from '../../../ports/back-office.ts'
import type { OrdersCall } from '../../../ports/orders.ts'
import type { RecordKind } from '../../shared/records.ts'

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

/** A call as mappings see it, besides `key` and `theirId`. */
export interface Subject {
  input: object
  /** The thing that `theirId` is of, where the system may know it by an id of its own; of an order the number, which several may have. */
  known: { kind: string; id: string } | null
  /** The thing that `link` of the config links. */
  made: { kind: string; id: string } | null
}

export function orderSubject(call: OrdersCall): Subject {
  switch (call.method) {
    case 'create':
      return { input: { order: call.argument }, known: null, made: { kind: 'order', id: idOfTillOrder(call.argument) } }
    case 'draft':
      return { input: { order: call.argument }, known: null, made: { kind: 'draft', id: call.argument.number } }
    case 'ready':
    case 'collected':
    case 'expire':
      return { input: { order: call.argument }, known: order(call.argument.number), made: null }
    case 'decline':
      return { input: call.argument, known: order(call.argument.order.number), made: null }
    case 'ship':
      return {
        input: call.argument,
        known: order(call.argument.order.number),
        made: { kind: 'shipment', id: call.argument.parcel.id },
      }
    case 'refund':
    case 'noteRefund': {
      const { refund, line } = call.argument
      return {
        input: call.argument,
        known: order(refund.number),
        made: { kind: 'refund', id: `${refund.refundId}/${line.key}` },
      }
    }
  }
}

/** The subject of a record. A thing that begins and ends (a transfer, a reservation) is known by its beginning. */
export function bookingSubject(kind: RecordKind, call: BackOfficeCall, key: string): Subject {
  const made = { kind, id: recordId(call) ?? key }
  const { argument: input } = call
  const isEnd = 'step' in input && (input.step === 'received' || input.step === 'ended')
  return { input, known: isEnd ? made : null, made }
}

/** The platform's id of the fact; null: it has none that is its alone. */
function recordId({ method, argument }: BackOfficeCall): string | null {
  switch (method) {
    case 'bookSale': {
      const { store, receiptNo } = argument.sale
      return store.posId === null ? receiptNo : `${store.posId}/${receiptNo}`
    }
    case 'bookInvoice':
      return argument.invoice.invoiceId
    case 'bookSettlement':
      return argument.settlement.settlementId
    case 'bookDelivery':
      return argument.delivery.deliveryId
    case 'bookMovement':
      return argument.movement.movementId
    case 'bookCount':
      return argument.count.countId
    case 'bookAdjustment':
      return argument.adjustment.adjustmentId
    case 'bookTransfer':
      return argument.transfer.transferId
    case 'bookGiftCard':
      return argument.transaction.transactionId
    case 'bookTerminal':
      return argument.reconciliation.reconciliationId
    case 'bookReservation':
      return argument.reservation.reservationId
    case 'bookReceived':
    case 'bookCost':
      return null
  }
}

function order(id: string): Subject['known'] {
  return { kind: 'order', id }
}

/** The input without its nulls, so that what is not known is missing: JSONata passes over what is missing, and stumbles over null. */
export function withoutNulls(input: object): object {
  return JSON.parse(JSON.stringify(input, (_, value: unknown) => value ?? undefined)) as object
}
