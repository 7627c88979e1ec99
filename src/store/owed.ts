import type { Event } from '../domain/queue/event.ts'
import type { Urgency } from '../domain/queue/lane.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Released } from './claim.ts'

/** A delivery to be: one step, one destination. */
export interface Owed {
  flow: string
  part: string
  destination: string
  urgency: Urgency
  entity: string | null
  /** The time before which it is not made; null: at once. */
  notBefore: Instant | null
  /** The delivery key is owed at most once, to whomever, for ever. */
  once: boolean
  /** With `once`, the effect is owed once to each destination (several may each keep books). */
  each?: boolean
  batch: string | null
  /**
   * The newest wins: deliveries of the same flow, part, entity and destination that still wait, and are not claimed, become
   * `superseded` by this one. So do dead and skipped ones: to try them again would bring the old back. Where one of them has a
   * higher `version`, it is the other way round.
   */
  latestWins: boolean
  /** See Claim: `unchanged`. Null: it is always sent, and leaves nothing to compare with. It needs a subject. */
  digest: string | null
  /** The subject that digest and version belong to; null: the entity. */
  subject?: string | null
  /** See Claim: `outdated`. Null: it has none. Not given, where the newest wins: that of its event, whose later ones are newer. */
  version?: number | null
  /** The fact that it brings about. With `once` it is owed at most once under that name and its flow, whatever event owes it. */
  effect?: string | null
  /**
   * The name that the effect shares with those of other events that do not tell so exactly what they bring about. One that is
   * owed by the shared name alone is owed; by whom it is owed under a name of its own, it is for that name only.
   */
  effectOfNumber?: string | null
  /** What the fact of that name says, where another fact may have the name, too: see `Store.owedBefore`. It is not kept. */
  said?: string | null
  /** See Claim: `overtaken`. */
  unless?: readonly string[]
  /** The delivery is sent even if unchanged. */
  force: boolean
  /** The delivery lets the others of its lane go first: it is one of many that a person has planned again. */
  yields?: boolean
  /** A person has it sent once more, to somebody else perhaps. */
  released?: Released
}

/** The fields of an event that the deliveries owed by it keep. */
type OwingEvent = Pick<Event, 'id'>

/** A column of a delivery that is written when it is owed; the others change when somebody works on it. */
interface OwedColumn {
  name: string
  type: 'bigint' | 'text' | 'boolean'
  read(step: Owed, event: OwingEvent): string | number | boolean | null
}

/** The columns of a delivery that is owed now, for every store; `due_at` null: at once, by the clock of the store. */
export const OWED_COLUMNS: readonly OwedColumn[] = [
  { name: 'event_id', type: 'bigint', read: (_, event) => event.id },
  { name: 'flow', type: 'text', read: ({ flow }) => flow },
  { name: 'part', type: 'text', read: ({ part }) => part },
  { name: 'destination', type: 'text', read: ({ destination }) => destination },
  { name: 'urgency', type: 'text', read: ({ urgency }) => urgency },
  { name: 'entity', type: 'text', read: ({ entity }) => entity },
  { name: 'batch', type: 'text', read: ({ batch }) => batch },
  { name: 'once', type: 'boolean', read: ({ once }) => once },
  { name: 'due_at', type: 'bigint', read: ({ notBefore }) => notBefore },
  { name: 'latest_wins', type: 'boolean', read: ({ latestWins }) => latestWins },
  { name: 'digest', type: 'text', read: (step) => (isCompared(step) ? step.digest : null) },
  { name: 'force', type: 'boolean', read: ({ force }) => force },
  { name: 'subject', type: 'text', read: ({ subject = null }) => subject },
  { name: 'version', type: 'bigint', read: (step, event) => (isCompared(step) ? versionOf(step, event) : null) },
  { name: 'effect', type: 'text', read: ({ effect = null }) => effect },
  { name: 'unless', type: 'text', read: ({ unless = [] }) => (unless.length > 0 ? JSON.stringify(unless) : null) },
  { name: 'yields', type: 'boolean', read: ({ yields = false }) => yields },
  { name: 'released', type: 'text', read: ({ released }) => (released ? JSON.stringify(released) : null) },
]

/** Whether there is something to compare it by, and with. */
export function isCompared({ digest, version, latestWins, subject, entity }: Owed): boolean {
  const hasVersion = version === undefined ? latestWins : version !== null
  return (digest !== null || hasVersion) && (subject ?? entity) !== null
}

function versionOf({ version, latestWins }: Owed, event: OwingEvent): number | null {
  return version === undefined && latestWins ? event.id : (version ?? null)
}
