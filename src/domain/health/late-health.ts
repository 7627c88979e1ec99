import type { Instant } from '../values/instant.ts'
import type { HealthItem } from './health.ts'

/** Steps that should have been done by now. */
export interface SeenLate {
  /** `captured`, `told`. */
  clock: string
  count: number
  /** The instant since which the oldest is late. */
  since: Instant
}

export function lateHealth(late: readonly SeenLate[]): HealthItem[] {
  return late.map(({ clock, count, since }) => ({
    area: 'event',
    name: `late: ${clock}`,
    state: 'problem',
    since,
    means: `${count === 1 ? 'One thing' : `${count} things`} that a customer or the books wait for should be ${clock} by now.`,
    todo: 'tillbridge late names each, and why.',
  }))
}
