import { tooLongName } from '../domain/values/long-name.ts'
import type { Arrival } from '../store/arrival.ts'
import type { Owed } from '../store/owed.ts'

/**
 * Why an arrival has a name that no store can look it up by: an order's number, an id. Null: it has none. Both sorts of store refuse
 * the same, so that one can be copied to the other.
 */
export function misfitOf({ identity, entity, deliveries, proves = [] }: Arrival): string | null {
  return tooLongName([identity, entity, ...proves, ...deliveries.flatMap(namesOf)])
}

function namesOf({ part, entity, batch, subject, effect, effectOfNumber }: Owed) {
  return [part, entity, batch, subject, effect, effectOfNumber]
}
