import { formatInstant, type Instant } from '../values/instant.ts'
import { fine, type HealthItem, item } from './health.ts'

/** The clock that the hub goes by was set while it ran, or since it last kept something; or its machine slept. */
export interface ClockJump {
  /** Hubs of one database go by that server's; not given: by their machine's. */
  whose?: 'database'
  /** By the clock after it. */
  at: Instant
  /** How much later it suddenly was; below 0: earlier (milliseconds). */
  by: number
}

/** A clock that NTP slews moves by less between two looks; one that is off by so much stamps what is sent wrongly (milliseconds). */
const JUMP = 5_000

/** By so much, signatures are refused (milliseconds). */
const FAR = 60_000

/** For so long it is worth telling (milliseconds). */
const TOLD_FOR = 3_600_000

/** Two clocks that were read together, one of which nobody can set. */
export interface ClockReading {
  wall: Instant
  /** Milliseconds since an instant that no one knows. */
  steady: number
}

/** The jump between two readings; null: there was none. */
export function jumpBetween(before: ClockReading, now: ClockReading): ClockJump | null {
  const by = Math.round(now.wall - before.wall - (now.steady - before.steady))
  return Math.abs(by) < JUMP ? null : { at: now.wall, by }
}

/** The word that the newest event has on the clock: it was kept later than it is now. */
export function newestHealth(newest: Instant | null, now: Instant): HealthItem[] {
  if (newest === null || newest - now < FAR) return []
  const means = `The newest event is of ${formatInstant(newest)}, which is still to come: the clock was set back, or it was ahead.`
  const todo = 'timedatectl: see that NTP sets the clock. It is over with the next event that comes.'
  return [item('clock', 'newest', 'problem', means, todo)]
}

export function clockJumpHealth(jump: ClockJump | null, now: Instant): HealthItem[] {
  if (jump === null || now - jump.at > TOLD_FOR) return []
  const { at, by, whose } = jump
  const whoseClock = whose === 'database' ? "The database server's clock" : "This machine's clock"
  const way = by > 0 ? 'ahead' : 'back'
  const means = `${whoseClock} went ${Math.round(Math.abs(by) / 1_000).toLocaleString('en-GB')} s ${way} at ${formatInstant(at)}. ${by > 0 ? 'What was to be tried later went out early, if the clock was wrong.' : 'What is to be tried at an instant waits that much longer.'}`
  const todo = `timedatectl${whose === 'database' ? ' there' : ''}: see that NTP sets the clock; then tillbridge deliveries list --state waiting shows when each is due, and deliveries retry has one go out now.`
  return [item('clock', 'jump', Math.abs(by) < FAR ? 'note' : 'problem', means, todo, { since: at })]
}

/** `ahead`: this machine's clock before the store's, in milliseconds. */
export function clockHealth(ahead: number): HealthItem {
  const off = Math.abs(ahead)
  if (off < JUMP) return fine('clock', 'clock', 'This machine and the store agree on the time.')
  const means = `This machine's clock is ${Math.round(off / 1_000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the store's. Signatures that carry a time may be refused.`
  const todo = 'timedatectl: let NTP set the clock of this machine, or of the database server.'
  return item('clock', 'clock', off < FAR ? 'note' : 'problem', means, todo)
}
