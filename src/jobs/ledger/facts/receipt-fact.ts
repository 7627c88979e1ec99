import {
  APART,
  isSameMoment,
  isSameSale,
  type SaidOfSale,
  splitRest,
  splitSaleKey,
} from '../../../domain/ledger/facts/same-sale.ts'
import { instantsOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { PLATFORM } from '../../../domain/queue/event.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { saleIdentity } from '../../../payloads/sale-identity.ts'
import type { SalesLine } from '../../../platform/areas/sales/sales-lines.ts'
import type { KeptStore } from '../../../store/kept.ts'
import type { ListedFact } from './road.ts'
import { type ListedSale, salePayload } from './sale-payload.ts'

const BY_HAND =
  'have it sent again by the contact at the platform, or bring it in by hand; then: tillbridge gaps explain <id> --reason "…"'

/** Where sales were made, and what they are judged by: one for all of a store. */
export interface SoldIn {
  day: string
  storeId: string
  store: KeptStore
  zones: readonly string[]
  /** Names of the other stores as they are called now, as identities of sales have them. */
  others: ReadonlySet<string>
  orders: OrdersTold
}

interface OrdersTold {
  /** Config names the column that tells orders of the online store. */
  isColumnNamed: boolean
  /** Events of such orders come. */
  isSubscribed: boolean
}

/**
 * A sale as a fact, whose lines come one after the other. What its event would be is worked out when somebody asks: a day has a
 * hundred thousand of them, of nearly all an event has told, and each field that is held costs a megabyte.
 */
export class ReceiptFact implements ListedFact {
  readonly subject: string
  readonly earliest: Instant
  readonly latest: Instant
  readonly #in: SoldIn
  readonly #sale: Pick<ListedSale, 'soldAt' | 'currency' | 'receiptNo' | 'posId'>
  /** The number of the order of the online store; null: it is none, or no column tells. */
  readonly #order: string | null
  /** JSON of what is said of each line, with commas between. */
  #lines: string

  constructor(first: SalesLine, { receiptNo, posId, order }: Named, where: SoldIn) {
    const { soldAt, currency } = first
    this.#in = where
    // One text for all, in place of one for each.
    this.#sale = {
      soldAt,
      currency: currency === where.store.currency ? where.store.currency : currency,
      receiptNo,
      posId,
    }
    this.#order = order
    this.#lines = lineText(first)
    this.subject = this.#keyAt(soldAt)
    const { earliest, latest } = instantsOf(soldAt, where.zones)
    this.earliest = earliest
    this.latest = latest
  }

  add(line: SalesLine): void {
    this.#lines += `,${lineText(line)}`
  }

  get isThin() {
    return true as const
  }

  get day(): string {
    return this.#in.day
  }

  get storeId(): string {
    return this.#in.storeId
  }

  get says() {
    const { receiptNo, store, total, orderLines } = this.#made()
    return { receiptNo, posId: store.posId, storeNo: store.storeExtId, total, lines: orderLines.length }
  }

  /** An order of the online store is to be sent: how, the lines do not say. */
  get lacks(): string | null {
    const { store, orders } = this.#in
    if ((this.#sale.currency ?? store.currency) === null)
      return `no line says its currency, nor does its store: ${BY_HAND}`
    if (!orders.isColumnNamed && orders.isSubscribed)
      return `it may be an order of the online store, and the lines do not say how that is to be sent (pulls.saleColumns.orderNo): ${BY_HAND}`
    if (this.#order !== null)
      return `it is an order of the online store, and the lines do not say how that is to be sent: ${BY_HAND}`
    return null
  }

  get payload(): object | null {
    return this.lacks === null ? this.#made() : null
  }

  /** Identities of the other day that an event of a sale at midnight may name. */
  get aliases(): string[] {
    const { soldAt } = this.#sale
    const at = Date.parse(`${soldAt}Z`)
    const times = [at - APART * 1_000, at + APART * 1_000].map((one) => new Date(one).toISOString().slice(0, 10))
    return times.filter((day) => !soldAt.startsWith(day)).map((day) => this.#keyAt(day))
  }

  /** Till and receipt, as an event is looked for by them. */
  get receipt(): string {
    return `${this.#sale.posId}/${this.#sale.receiptNo}`
  }

  /** Whether the identity of a sale has its POS and receipt, whatever the store is called there, and whichever day it names. */
  isOfReceipt(key: string): boolean {
    return receiptOf(key) === receiptOf(this.subject)
  }

  /**
   * Whether what was told under an identity of its receipt is this sale: of a store that was called otherwise then; or it names another day,
   * since it says in UTC when it was made.
   */
  isToldAs(key: string, told: SaidOfSale): boolean {
    const { store, others } = this.#in
    const { rest } = splitSaleKey(key)
    if (![this.subject, ...this.aliases].some((one) => splitSaleKey(one).rest === rest)) return this.isSoldAt(told.at)
    const listed = { at: this.#sale.soldAt, total: String(this.#made().total), zone: store.zone }
    return isSameSale(listed, told, others.has(splitSaleKey(key).naming))
  }

  /** Whether it was sold in that moment, as an event has it. */
  isSoldAt(at: string | null): boolean {
    return isSameMoment({ at: this.#sale.soldAt, zone: this.#in.store.zone }, at)
  }

  #made() {
    const lines = (JSON.parse(`[${this.#lines}]`) as SaidLine[]).map(
      ([lineId, gtin, quantity, unitPrice, fullPrice, vatRate]) => ({
        lineId,
        gtin,
        quantity,
        unitPrice,
        fullPrice,
        vatRate,
      }),
    )
    return salePayload({ ...this.#sale, lines }, this.#in.store)
  }

  /** Its identity, had it been sold then. */
  #keyAt(createdDateTime: string): string {
    const { receiptNo, posId } = this.#sale
    const { number, name } = this.#in.store
    const store = { storeExtId: number, storeName: name, posId }
    return saleIdentity({ receiptNo, createdDateTime, store }, PLATFORM)?.key ?? ''
  }
}

/** What columns say whose names only config knows. */
interface Named {
  receiptNo: string
  posId: string
  order: string | null
}

function receiptOf(key: string): string {
  return splitRest(splitSaleKey(key).rest).receipt
}

type Line = Pick<SalesLine, 'lineId' | 'gtin' | 'quantity' | 'unitPrice' | 'fullPrice' | 'vatRate'>
type SaidLine = [Line['lineId'], Line['gtin'], Line['quantity'], Line['unitPrice'], Line['fullPrice'], Line['vatRate']]

function lineText({ lineId, gtin, quantity, unitPrice, fullPrice, vatRate }: Line): string {
  return JSON.stringify([lineId, gtin, quantity, unitPrice, fullPrice, vatRate] satisfies SaidLine)
}
