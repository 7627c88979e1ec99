import { counted } from '../values/counted.ts'
import type { Instant } from '../values/instant.ts'
import { fine, type HealthItem } from './health.ts'

/** Events that a person has to look at, and that nobody has dismissed. */
export interface SeenEvents {
  unrouted: number
  quarantined: number
  conflicts: number
  /** Events that came with the transport key of another one. */
  reusedKeys: { count: number; last: Instant | null }
}

/** A header that was corrected is no concern any more (milliseconds). */
const LATELY = 24 * 3_600_000

export function eventHealth({ unrouted, quarantined, conflicts, reusedKeys }: SeenEvents, now: Instant): HealthItem[] {
  const items: HealthItem[] = []
  const add = (name: string, means: string, todo: string, since: Instant | null = null) =>
    items.push({ area: 'event', name, state: 'problem', since, means, todo })
  if (unrouted > 0)
    add(
      'unrouted',
      `${eventsThat(unrouted)} no destination wanted.`,
      `tillbridge events list --state unrouted --no-dismissed: put the kind into the config and reroute, or ${DISMISS}.`,
    )
  if (quarantined > 0)
    add(
      'quarantined',
      `${eventsThat(quarantined)} could not be read.`,
      `tillbridge events list --state quarantined --no-dismissed: events show says why: correct what sends it (of a poll, its mapping in config), map a field of a webhook that has another name (tillbridge kinds propose) and start again, or have it sent again, then ${DISMISS}.`,
    )
  if (conflicts > 0)
    add(
      'conflict',
      `${eventsThat(conflicts)} contradicts what came before under the same identity.`,
      `tillbridge events list --conflict --no-dismissed: compare, then tillbridge events accept … --reason "…" (both happened) or ${DISMISS}.`,
    )
  if (reusedKeys.count > 0 && reusedKeys.last !== null && now - reusedKeys.last < LATELY)
    add(
      'reused ids',
      `${counted(reusedKeys.count, 'event')} came under the event id of another one. Each was taken all the same.`,
      'tillbridge doctor names the right header for platform.webhooks.eventIdHeader; tillbridge events list --reused-key lists them.',
      reusedKeys.last,
    )
  return items.length > 0 ? items : [fine('event', 'all', 'Each is where it belongs.')]
}

const DISMISS = 'tillbridge events dismiss … --reason "…"'

function eventsThat(count: number): string {
  return counted(count, 'event that', 'events, each of which')
}
