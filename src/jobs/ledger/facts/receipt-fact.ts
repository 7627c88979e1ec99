import { instantsOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { PLATFORM } from '../../../domain/queue/event.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { saleIdentity } from '../../../payloads/sale-identity.ts'
import type { SalesLine } from '../../../platform/areas/sales/sales-lines.ts'
import type { KeptStore } from '../../../store/kept.ts'
import type { ListedFact } from './road.ts'
import { type ListedSale, salePayload } from './sale-payload.ts'

/** The event and the list may have been written by two clocks of the platform (seconds). */
const APART = 5

const BY_HAND =
  'have it sent again by the contact at the platform, or bring it in by hand; then: tillbridge gaps explain <id> --reason "…"'

/** What all sales of a list are judged by. */
export interface OrdersTold {
  /** Config names the column that tells orders of the online store. */
  isColumnNamed: boolean
  /** Events of such orders come. */
  isSubscribed: boolean
}

/** A sale of the list whose lines come one after the other. */
export interface SaleOfLines extends Omit<ListedSale, 'lines'> {
  storeId: string
  /** The number of the order of the online store; null: it is none, or no column tells. */
  order: string | null
  /** Each line as text: a day has a hundred thousand sales, and of nearly all of them it is never asked for. */
  lines: string[]
}

/** A line as a sale keeps it. */
export function lineText({ lineId, gtin, quantity, unitPrice, fullPrice, vatRate }: SalesLine): string {
  return JSON.stringify([lineId, gtin, quantity, unitPrice, fullPrice, vatRate])
}

/**
 * A sale as a fact. What its event would be is worked out when somebody asks: of nearly all an event has told, and to hold so much
 * of a day in memory took several times what is held now.
 */
export class ReceiptFact implements ListedFact {
  readonly subject: string
  readonly day: string
  readonly earliest: Instant
  readonly latest: Instant
  readonly isThin = true as const
  readonly #sale: SaleOfLines
  readonly #store: KeptStore
  readonly #orders: OrdersTold

  constructor(
    sale: SaleOfLines,
    day: string,
    place: { store: KeptStore; zones: readonly string[] },
    orders: OrdersTold,
  ) {
    this.#sale = sale
    this.#store = place.store
    this.#orders = orders
    this.day = day
    this.subject = this.#keyAt(sale.soldAt)
    const { earliest, latest } = instantsOf(sale.soldAt, place.zones)
    this.earliest = earliest
    this.latest = latest
  }

  get storeId(): string {
    return this.#sale.storeId
  }

  get says() {
    const { receiptNo, posId, lines } = this.#sale
    return { receiptNo, posId, storeNo: this.#store.number, total: this.#made().total, lines: lines.length }
  }

  /** An order of the online store is to be sent: how, the lines do not say. */
  get lacks(): string | null {
    const { isColumnNamed, isSubscribed } = this.#orders
    if ((this.#sale.currency ?? this.#store.currency) === null)
      return `no line says its currency, nor does its store: ${BY_HAND}`
    if (!isColumnNamed && isSubscribed)
      return `it may be an order of the online store, and the lines do not say how that is to be sent (pulls.saleColumns.orderNo): ${BY_HAND}`
    if (this.#sale.order !== null)
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

  #made() {
    const lines = this.#sale.lines.map((text) => {
      const [lineId, gtin, quantity, unitPrice, fullPrice, vatRate] = JSON.parse(text)
      return { lineId, gtin, quantity, unitPrice, fullPrice, vatRate }
    })
    return salePayload({ ...this.#sale, lines }, this.#store)
  }

  /** Its identity, had it been sold then. */
  #keyAt(createdDateTime: string): string {
    const { receiptNo, posId } = this.#sale
    const store = { storeExtId: this.#store.number, storeName: this.#store.name, posId }
    return saleIdentity({ receiptNo, createdDateTime, store }, PLATFORM)?.key ?? ''
  }
}
