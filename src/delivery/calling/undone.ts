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

/** The delivery of a later event that has undone what a claim would bring about, if one has: a person may try again what was dead long since. */
export async function undoneBy(
  claim: Claim,
  flow: Flow,
  { deliveries, event }: Pick<Store, 'deliveries' | 'event'>,
): Promise<number | null> {
  const { undoneBy } = flow
  const { destination, entity } = claim.delivery
  if (!undoneBy || entity === null || !mayBeUndone(claim, flow)) return null
  const rows = await deliveries({ destination, entity, limit: FEW })
  const later = rows.filter((row) => row.event > claim.event.id && undoneBy.flows.includes(row.flow) && isMade(row))
  for (const row of later) {
    const body = (await event(row.event))?.body ?? null
    if (body !== null && undoneBy.is(claim.event, { kind: row.kind, body })) return row.id
  }
  return null
}

function isMade({ state, code }: DeliveryRow): boolean {
  return state === 'delivered' || (state === 'superseded' && code === 'unchanged')
}
