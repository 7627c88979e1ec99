import type { Flow } from '../../flows/flow.ts'
import type { Claim } from '../../store/claim.ts'
import type { DeliveryRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'

/** The newest deliveries of one entity that are looked at. */
const FEW = 50

/**
 * Whether a later delivery may have been made already: that takes one that was tried before, and begins its schedule anew. Its next
 * tries need not be looked at: what is later waits in line behind it.
 */
export function mayBeUndone({ delivery }: Claim, flow: Flow): boolean {
  return (
    flow.undoneBy !== undefined && delivery.entity !== null && delivery.firstTriedAt !== null && delivery.tries === 0
  )
}

/** What later events, which have been made, have left of a claim's: a person may try again what was dead long since. */
export interface LeftOver {
  /** Null: nothing. */
  event: Claim['event'] | null
  /** The delivery that has taken the rest of it, or the newest that has taken something. */
  by: number
}

/** What is left of a claim's event; null: all of it. */
export async function leftOver(
  claim: Claim,
  flow: Flow,
  { deliveries, event }: Pick<Store, 'deliveries' | 'event'>,
): Promise<LeftOver | null> {
  const { undoneBy } = flow
  const { destination, entity } = claim.delivery
  if (!undoneBy || entity === null || !mayBeUndone(claim, flow)) return null
  const rows = await deliveries({ destination, entity, limit: FEW })
  const later = rows.filter((row) => row.event > claim.event.id && undoneBy.flows.includes(row.flow) && isMade(row))
  let left = claim.event
  let by: number | null = null
  for (const row of later) {
    const body = (await event(row.event))?.body ?? null
    const after = body === null ? left : undoneBy.leaves(left, { kind: row.kind, body })
    if (after === null) return { event: null, by: row.id }
    if (after !== left) by ??= row.id
    left = after
  }
  return by === null ? null : { event: left, by }
}

function isMade({ state, code }: DeliveryRow): boolean {
  return state === 'delivered' || (state === 'superseded' && code === 'unchanged')
}
