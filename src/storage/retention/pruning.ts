import type { MirrorSet } from '../../domain/catalogue/mirror.ts'
import type { RetainedEvent } from '../../domain/retention.ts'
import type { Instant } from '../../domain/values/instant.ts'

export interface AgeingEvent {
  id: number
  kind: string
  receivedAt: Instant
  entity: string | null
  size: number
  deliveries: number
}

export interface RetainedEvents {
  upTo: number
  events: RetainedEvent[]
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

export interface StorageSize {
  bytes: number
  reusable: number
}

/** More than the age by which anything here is no longer young. */
const TO_COME = 3 * 24 * 3_600_000

/** Days later than `before` is a clock that was ahead: such a row does not hold up those behind it. */
export function isYoung(noted: Instant, before: Instant): boolean {
  return noted >= before && noted < before + TO_COME
}
