import type { Instant } from '../../domain/values/instant.ts'
import type { Owed } from '../owed.ts'
import type { RowOf } from '../schema.ts'
import type { Store } from '../store.ts'

export type Shape = Omit<RowOf<'deliveryShapes'>, 'id'>

export interface PastDelivery {
  id: number
  event: number
  shape: Shape
  triedAt: Instant
  settledAfter: number
  tookMs: number
  note: string | null
  entity: string | null
}

export const SETTLED_COLUMNS = [
  ...(['id', 'flow', 'part', 'destination', 'urgency', 'once', 'yields', 'entity', 'state', 'open', 'tries'] as const),
  ...(['finds', 'firstTriedAt', 'settledAt', 'code', 'why', 'effect', 'released', 'tookMs', 'tookNote'] as const),
]
type SettledRow = Pick<RowOf<'deliveries'>, (typeof SETTLED_COLUMNS)[number]> & {
  event: number
  eventEntity: string | null
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

export interface MovedPast {
  moved: number
  seen: number
}

/** Chosen off the writer, which only compares and writes. */
export function createPastMoving(
  reading: {
    toMovePast(
      ...asked: Parameters<Store['movePast']>
    ): Promise<{ moves: readonly PastDelivery[]; after: number | null }>
  },
  move: (moves: readonly PastDelivery[]) => Promise<MovedPast>,
): Store['movePast'] {
  return async (after, before, limit) => {
    const chosen = await reading.toMovePast(after, before, limit)
    if (chosen.moves.length === 0) return { moved: 0, after: chosen.after }
    const { moved, seen } = await move(chosen.moves)
    const isWhole = seen === chosen.moves.length
    return { moved, after: isWhole ? chosen.after : (chosen.moves[seen - 1]?.id ?? after) }
  }
}

export function stepName({ flow, part, destination }: Pick<Owed, 'flow' | 'part' | 'destination'>): string {
  return JSON.stringify([flow, part, destination])
}
