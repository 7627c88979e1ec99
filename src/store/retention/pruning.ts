import type { MirrorSet } from '../../domain/catalogue/mirror.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import type { StandingEvent } from '../../domain/retention/ages.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../store.ts'

export interface AgeingEvent {
  id: number
  kind: string
  receivedAt: Instant
  entity: string | null
  size: number
  deliveries: number
}

export interface Standings {
  upTo: number
  events: StandingEvent[]
}

/** `seen`: ids covered, from the first on; 0: call again. */
export interface DroppedEvents {
  events: number
  deliveries: number
  attempts: number
  seen: number
}

export interface Dropped<Place> {
  dropped: number
  after: Place | null
}

export interface Acknowledged {
  destination: string
  flow: string
  subject: string
}

export interface AcknowledgedPage {
  rows: Acknowledged[]
  next: Acknowledged | null
}

/** `now`: instants later than this are from a clock that was ahead and do not end the walk. */
interface Aged {
  before: Instant
  now: Instant
}

export interface OldAttempts extends Aged {
  after: number
  limit: number
  kinds: Readonly<Record<string, Instant>>
}

export interface OldSubmissions extends Aged {
  after: number
  limit: number
}

export type OldRecords =
  | ({ type: 'lookups' } & Aged)
  | { type: 'audit'; before: Instant }
  /** `yyyy-mm-dd`; rows without a day stay. */
  | { type: 'mirror'; set: MirrorSet; before: string }

export interface StoreSize {
  bytes: number
  reusable: number
}

/** More than the age by which anything here is no longer young. */
const TO_COME = 3 * 24 * 3_600_000

/** Days later than `before` is a clock that was ahead: such a row does not hold up those behind it. */
export function isYoung(noted: Instant, before: Instant): boolean {
  return noted >= before && noted < before + TO_COME
}

export async function lastBefore(store: Pick<Store, 'nextReceived' | 'events'>, instant: Instant): Promise<number> {
  let [low, high] = [0, (await store.events({ limit: 1 }))[0]?.id ?? 0]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const next = await store.nextReceived(middle)
    if (next !== null && next.receivedAt < instant && next.id <= high) low = next.id
    else high = middle
  }
  return low
}

/** With more open gaps nothing is pruned. */
export const MOST_GAPS = 20_000
const AT_ONCE = 500

/** By the webhook's event id or the identity; null: too many gaps. */
export async function namedByGaps(store: Pick<Store, 'openGapKeys' | 'known'>): Promise<Set<number> | null> {
  const keys = await store.openGapKeys(MOST_GAPS + 1)
  if (keys.length > MOST_GAPS) return null
  const named = new Set<number>()
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const subjects = keys.slice(from, from + AT_ONCE).map((key) => key.split('/').map(decodeURIComponent))
    const told = subjects.flatMap(([, , kind = '', subject = '']) => [
      { kind, origin: PLATFORM, transportKey: subject, identity: null, bodyHash: '' },
      { kind, origin: PLATFORM, transportKey: null, identity: subject, bodyHash: '' },
    ])
    for (const event of await store.known(told)) if (event !== null) named.add(event.id)
  }
  return named
}
