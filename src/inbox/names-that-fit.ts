import { isShort, tooLongName } from '../domain/values/long-name.ts'
import type { Arrival } from '../store/arrival.ts'
import type { Owed } from '../store/owed.ts'

/** What a step is found by. */
const NAMES = ['part', 'entity', 'batch', 'subject', 'effect', 'effectOfNumber'] as const

/**
 * Why an arrival has a name that no store can look it up by: an order's number, an id. Null: it has none. Both sorts of store refuse
 * the same, so that one can be copied to the other.
 */
export function misfitOf({ identity, entity, deliveries, proves = [] }: Arrival): string | null {
  // Nearly all are short, and this is asked of each event: no list is made of them.
  const own = isShort(identity) && isShort(entity) && proves.every(isShort)
  return (own ? null : tooLongName([identity, entity, ...proves])) ?? misfitOfSteps(deliveries)
}

/** The same of what is owed by an event that is here already: planned again, it may have names that it had not when it came. */
export function misfitOfSteps(deliveries: readonly Owed[]): string | null {
  return deliveries.every(hasShortNames) ? null : tooLongName(deliveries.flatMap(namesOf))
}

function hasShortNames(step: Owed): boolean {
  return NAMES.every((name) => isShort(step[name]))
}

function namesOf(step: Owed) {
  return NAMES.map((name) => step[name])
}
