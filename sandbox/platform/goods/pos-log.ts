import { toText } from '../sales/amounts.ts'
import { type Receipt, totalOf } from '../sales/sale-payload.ts'
import type { Stock } from '../stores.ts'

/** A deed of the POS, by its own book: independent of what was sent to whom. */
export interface PosLogEntry {
  what: 'sale' | 'endless-aisle' | 'receipt-email' | 'receipt-text' | 'movement'
  storeNo: string
  posId: number | null
  receiptNo: string | null
  /** Decimal text with two decimals, VAT included. Of a movement: null. */
  total: string | null
  /** The total of the lines that the online store ships. */
  onlineTotal: string | null
  currency: string
  txRef: string | null
  receiptUrl: string | null
  /** An e-mail address, or a phone number with its prefix. */
  recipient: string | null
  movementId: number | null
  quantity: number | null
}

/** The entry of something that has a receipt. */
export function receiptEntry(
  what: Exclude<PosLogEntry['what'], 'movement'>,
  { store, posId, receiptNo, txRef, receiptUrl, lines }: Receipt,
  recipient: string | null = null,
): PosLogEntry {
  return {
    what,
    storeNo: store.StoreNo,
    posId,
    receiptNo,
    total: toText(totalOf(lines)),
    onlineTotal: what === 'endless-aisle' ? toText(totalOf(lines.filter(({ online }) => online))) : null,
    currency: store.Currency,
    txRef,
    receiptUrl,
    recipient,
    movementId: null,
    quantity: null,
  }
}

/** The entry of goods that came or went. */
export function movementEntry({ StoreNo, Currency }: Stock, movementId: number, quantity: number): PosLogEntry {
  return {
    what: 'movement',
    storeNo: StoreNo,
    posId: null,
    receiptNo: null,
    total: null,
    onlineTotal: null,
    currency: Currency,
    txRef: null,
    receiptUrl: null,
    recipient: null,
    movementId,
    quantity,
  }
}
