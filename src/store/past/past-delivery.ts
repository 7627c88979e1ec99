import type { DeliveryState } from '../../domain/queue/delivery.ts'
import type { Urgency } from '../../domain/queue/lane.ts'
import type { Instant } from '../../domain/values/instant.ts'

/** The words that deliveries of the past have in common (`delivery_shapes`). */
export interface Shape {
  flow: string
  part: string
  destination: string
  urgency: Urgency
  once: boolean
  yields: boolean
  /** They are about what their events are about; else about nothing. */
  hasEntity: boolean
  tries: number
  code: string
  /** Empty: none, or each its own. */
  note: string
}

/** A delivery as the past keeps it. */
export interface PastDelivery {
  id: number
  event: number
  shape: Shape
  triedAt: Instant
  /** Milliseconds after that. */
  settledAfter: number
  tookMs: number
  /** A note that no other delivery has in the same words. */
  note: string | null
  /** The entity that its row says, so that whoever moves it sees that it still says so. */
  entity: string | null
}

/** A delivery as its row says it, with what its event is about. */
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
 * The delivery as the past keeps it. Null: its row says more than the past has room for. It stays, as does all that somebody may
 * look for by another way than by its event or its id: effects, and deliveries of orders.
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

/** A note that many deliveries have: the line of an answer's status, which says nothing of anybody. */
const COMMON = /^HTTP \d{3}( [A-Z][A-Za-z-]*){0,4}$/
