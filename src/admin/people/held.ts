import { UserError } from '../../domain/values/errors.ts'
import { heldEvents } from '../../store/retention/held-events.ts'
import type { Store } from '../../store/store.ts'
import type { Known } from './look.ts'
import type { OwnRow } from './rows.ts'

/** The person's events that are under a legal hold, in their order. */
export async function heldOf(store: Pick<Store, 'legalHolds'>, { events }: Known): Promise<number[]> {
  const own = new Set(events.map(({ id }) => id))
  return (await heldEvents(store)).filter((event) => own.has(event))
}

/** Rows that may be written anew, and the events under a legal hold that the others are of: one may have been held meanwhile. */
export async function partHeld(
  store: Pick<Store, 'legalHolds'>,
  rows: readonly OwnRow[],
): Promise<{ free: OwnRow[]; events: number[] }> {
  const held = new Set(await heldEvents(store))
  const isHeld = ({ event }: OwnRow) => event !== null && held.has(event)
  return { free: rows.filter((row) => !isHeld(row)), events: rows.filter(isHeld).flatMap(({ event }) => event ?? []) }
}

/** Events under a legal hold stay as they are. Throws a UserError that names them. */
export function requireFree(held: readonly number[]): void {
  if (held.length === 0) return
  const [some, more] = [held.slice(0, 20), held.length - 20]
  throw new UserError(
    `Under a legal hold, and not to be erased: ${held.length === 1 ? 'event' : 'events'} ${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}. "tillbridge retention holds" says why; erase once they are let go ("tillbridge retention unhold <event>").`,
  )
}
