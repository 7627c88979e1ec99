import type { Arrival } from '../store/arrival.ts'

/** The fields of an arrival that it has before it has been read. */
type AsItCame = Pick<
  Arrival,
  | 'kind'
  | 'origin'
  | 'subscription'
  | 'receivedAt'
  | 'headers'
  | 'body'
  | 'transportKey'
  | 'submission'
  | 'links'
  | 'acknowledges'
>

/** Something that reached the hub, by whatever road: a webhook, a pull, a submission. Its body is unpacked. */
export interface Incoming extends AsItCame {
  /** Why it cannot be acted on, whatever its bytes say. */
  unreadable: string | null
  /** Why the bytes could not be unpacked; where they are JSON all the same, they were not packed. */
  packed?: string | null
  /** The event is the system's own webhook, or was asked of it, or the hub itself says it. */
  intake?: true
}
