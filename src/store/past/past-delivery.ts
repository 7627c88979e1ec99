import type { DeliveryState } from '../../domain/queue/delivery.ts'
import type { Urgency } from '../../domain/queue/lane.ts'
import type { Instant } from '../../domain/values/instant.ts'

/** What archived deliveries have in common (`delivery_shapes`). */
export interface Shape {
  flow: string
  part: string
  destination: string
  urgency: Urgency
  once: boolean
  yields: boolean
  /** Its event's entity; else none. */
  hasEntity: boolean
  tries: number
  code: string
  /** Empty: none, or each its own. */
  note: string
}

export interface PastDelivery {
  id: number
  event: number
  shape: Shape
  triedAt: Instant
  /** Milliseconds after `triedAt`. */
  settledAfter: number
  tookMs: number
  /** Null: the note is in the shape. */
  note: string | null
  /** Compared again when it is archived. */
  entity: string | null
}

export interface SettledRow {
  id: number
  event: number
  flow: string
  part: string
  destination: string
  urgency: Urgency
  once: boolean
  yields: boolean
  entity: string | null
  eventEntity: string | null
  state: DeliveryState
  open: boolean
  tries: number
  finds: number
  firstTriedAt: Instant | null
  settledAt: Instant | null
  code: string | null
  why: string | null
  effect: string | null
  released: string | null
  tookMs: number | null
  tookNote: string | null
}

const LONGEST = 2 ** 31

/**
 * Null: not archived, because the row says more, or may be looked for otherwise than by event or id (effects, orders).
 */
export function asPast(row: SettledRow): PastDelivery | null {
  const { id, event, flow, part, destination, urgency, once, yields, entity, tries, code, tookMs, tookNote } = row
  const { firstTriedAt: triedAt, settledAt } = row
  if (row.state !== 'delivered' || row.open || row.finds > 0) return null
  if (row.why !== null || row.effect !== null || row.released !== null) return null
  if (entity !== null && (entity !== row.eventEntity || entity.startsWith('order:'))) return null
  if (triedAt === null || settledAt === null || code === null || tookMs === null) return null
  const settledAfter = settledAt - triedAt
  if (settledAfter < 0 || settledAfter >= LONGEST) return null
  const isCommon = tookNote === null || (tookNote !== '' && COMMON.test(tookNote))
  const note = isCommon ? (tookNote ?? '') : ''
  const words = { flow, part, destination, urgency, once, yields, hasEntity: entity !== null, tries, code, note }
  return { id, event, shape: words, triedAt, settledAfter, tookMs, note: isCommon ? null : tookNote, entity }
}

/** Common and impersonal: an HTTP status line. */
const COMMON = /^HTTP \d{3}( [A-Z][A-Za-z-]*){0,4}$/
