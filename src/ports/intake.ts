import type { Question } from './attempt.ts'

/** How an own system hands its orders, sales and customers over: it pushes them (`verify`, `read`), or is asked (`poll`). */
export interface Intake {
  /** Whether the system only tries its webhook by this request, which nobody signs. */
  isPing?(request: IntakeRequest): boolean
  /** Whether the system itself sent this request to `/intake/{destination}`: from the raw body, in constant time. */
  verify?(request: IntakeRequest): boolean
  /** The items of a verified request; none: it is none of ours. Throws an Error that says why it cannot be read. */
  read?(request: IntakeRequest): IntakeItem[] | Promise<IntakeItem[]>
  /** News since the cursor that the last poll gave (null: the first), a page at a time. */
  poll?(cursor: string | null, question: Question): Promise<IntakePage>
  /** A page has been taken, durably: what became of each of its items, in their order. */
  taken?(page: IntakePage, ends: readonly IntakeEnd[], question: Question): Promise<void>
}

export interface IntakePage {
  items: IntakeItem[]
  cursor: string
  more: boolean
  /** What somebody must put right in the system, in words for people: it does not say all that it should. */
  problem?: string
}

/** The end of an item. `refused`: it says nothing that can be taken, and `faults` why. */
export interface IntakeEnd {
  status: 'accepted' | 'duplicate' | 'conflict' | 'quarantined' | 'nothing' | 'refused'
  faults: readonly string[]
}

export interface IntakeRequest {
  headers: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  body: Uint8Array
}

/** One thing that an own system hands over: what `POST /v1/{resource}` takes. */
export interface IntakeItem {
  /** `cancellations`: an order that is off. Of master data, stock and deliveries, the value is a line of NDJSON of `/v1`. */
  resource: 'orders' | 'cancellations' | 'sales' | 'customers' | IntakeLine
  /** An item that cannot be taken is refused rather than kept in quarantine, and `taken` says why. */
  refusable?: true
  faults?: readonly string[]
  /** A name of this state of the item for ever: its id and when it was changed. With what it says, it counts once. */
  key: string
  /** The system's own id of the order, for the link to its number; null: they are the same. */
  theirId: string | null
  /** The item's store in the system's own word (a pickup location, for example): `intake.stores` in config says which it is. */
  place: string | null
  value: Record<string, unknown>
  /**
   * When the system changed it last (ISO 8601 with its zone): what is older than what the hub has of the order already, because
   * it was late or is sent again, is nothing. Left out: it is newer than all that came before it.
   */
  changedAt?: string
  /**
   * When an order was completed there (ISO 8601 with its zone): what was before the system was connected is no sale for the platform,
   * however late it is touched. Left out: it counts.
   */
  completedAt?: string
}

export type IntakeLine = 'products' | 'prices' | 'cost-prices' | 'stock-adjustments' | 'deliveries'
