import { PermanentError } from '../../domain/values/errors.ts'
import type { Flow } from '../../flows/flow.ts'
import type { Claim } from '../../store/claim.ts'
import type { DeliveryRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'

/** The most deliveries since that are gone into, and the rows of one look for them. */
const MOST = 1_000

/** Hubs agree on the time, but for this much: an event that came later may have been received before (milliseconds). */
const MINUTE = 60_000

/**
 * Whether a later delivery may have been made already: that takes one that was tried before, and begins its schedule anew. Its next
 * tries need not be looked at: what is later waits in line behind it, unless it has a line of its own.
 */
export function mayBeUndone({ delivery }: Claim, { undoneBy }: Flow): boolean {
  if (undoneBy === undefined || delivery.entity === null || delivery.firstTriedAt === null) return false
  return delivery.tries === 0 || undoneBy.elsewhere !== undefined
}

/** The rest of a claim's event that later events, which have been made, have left: a person may try again what was dead long since. */
export interface LeftOver {
  /** Null: nothing. */
  event: Claim['event'] | null
  /** The last delivery that has taken something of it. */
  by: number
}

/** The rest of a claim's event; null: all of it is left. Throws a PermanentError where too much has come since. */
export async function leftOver(
  claim: Claim,
  flow: Flow,
  { deliveries, event }: Pick<Store, 'deliveries' | 'event'>,
): Promise<LeftOver | null> {
  const { undoneBy } = flow
  const { destination } = claim.delivery
  if (!undoneBy || !mayBeUndone(claim, flow)) return null
  const entity = undoneBy.elsewhere ? undoneBy.elsewhere(claim.event) : claim.delivery.entity
  // By the minute: what goes out in one call mostly came in the same, and asks the same.
  const since = Math.floor(claim.event.receivedAt / MINUTE - 1) * MINUTE
  const flows = undoneBy.flows
  const filter = { destination, flows, since, limit: MOST, ...(entity !== null && { entity }) }
  const later: DeliveryRow[] = []
  for (let rows = await deliveries(filter); ; ) {
    later.push(...rows.filter((row) => row.event > claim.event.id && isMade(row)))
    if (later.length >= MOST) throw tooMuchSince()
    const last = rows.at(-1)
    if (!last || rows.length < MOST || last.event <= claim.event.id) break
    rows = await deliveries({ ...filter, before: last.id })
  }
  later.sort((a, b) => a.event - b.event)
  let left = claim.event
  let by: number | null = null
  for (const row of later) {
    const body = (await event(row.event))?.body ?? null
    const after = body === null ? left : undoneBy.leaves(left, { kind: row.kind, body })
    if (after === null) return { event: null, by: row.id }
    if (after !== left) by = row.id
    left = after
  }
  return by === null ? null : { event: left, by }
}

function tooMuchSince(): PermanentError {
  return new PermanentError('so much has been told since that this would undo: submit it anew, as it is now', {
    code: 'long-since',
  })
}

function isMade({ state, code }: DeliveryRow): boolean {
  return state === 'delivered' || (state === 'superseded' && code === 'unchanged')
}
