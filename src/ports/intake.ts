import type { Question } from './attempt.ts'

/** An own system pushes its orders, sales and customers (`verify`, `read`), or is polled. */
export interface Intake {
  /** True for an unsigned trial of the webhook. */
  isPing?(request: IntakeRequest): boolean
  /** True if the system sent this request to `/intake/{destination}`: from the raw body, in constant time. */
  verify?(request: IntakeRequest): boolean
  /** Items of a verified request. Throws an Error that says why it cannot be read. */
  read?(request: IntakeRequest): IntakeItem[] | Promise<IntakeItem[]>
  /** A page since the last poll's cursor (null: the first). */
  poll?(cursor: string | null, question: Question): Promise<IntakePage>
  /** A page was durably taken; `ends` in the order of its items. */
  taken?(page: IntakePage, ends: readonly IntakeEnd[], question: Question): Promise<void>
}

export interface IntakePage {
  items: IntakeItem[]
  cursor: string
  more: boolean
  /** What a person must put right in the system. */
  problem?: string
}

/** `refused`: nothing that can be taken; `faults` say why. */
export interface IntakeEnd {
  status: 'accepted' | 'duplicate' | 'conflict' | 'quarantined' | 'nothing' | 'refused'
  faults: readonly string[]
}

export interface IntakeRequest {
  headers: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  body: Uint8Array
}

/** What `POST /v1/{resource}` takes. */
export interface IntakeItem {
  /** `cancellations`: of orders. Master data, stock and deliveries are lines of NDJSON of `/v1`. */
  resource: 'orders' | 'cancellations' | 'sales' | 'customers' | IntakeLine
  /** Refused rather than quarantined if it cannot be taken. */
  refusable?: true
  faults?: readonly string[]
  /** Permanent name of this state: its id and change time. */
  key: string
  /** The system's id of the order, to be linked; null: its number. */
  theirId: string | null
  /** The store in the system's own word, mapped by `intake.stores` in config. */
  place: string | null
  value: Record<string, unknown>
  /** ISO 8601 with zone: older than what is known of the order is ignored. Absent: newer than all before. */
  changedAt?: string
  /** ISO 8601 with zone: orders completed before the system was connected are no sales. Absent: it counts. */
  completedAt?: string
}

export type IntakeLine = 'products' | 'prices' | 'cost-prices' | 'stock-adjustments' | 'goods-deliveries'
