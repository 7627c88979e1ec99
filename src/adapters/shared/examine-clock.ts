import { counted } from '../../domain/values/counted.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Examined } from '../../ports/examined.ts'

/** Clocks that differ by less are right: the header knows whole seconds, and an answer takes its time. Milliseconds. */
const NOTHING = 60_000

/**
 * The shop's clock beside ours, by the `date` header of its answer; nothing: it has none. `most`: how far they may be
 * apart for an order to be found again by its time (milliseconds).
 */
export function clockFound(header: string | string[] | undefined, now: Instant, most: number): Examined[] {
  const theirs = Date.parse([header].flat().join())
  if (Number.isNaN(theirs)) return []
  const apart = Math.abs(theirs - now)
  if (apart < NOTHING) return [{ what: 'clock', state: 'ok', says: 'Its clock and ours agree.' }]
  const says = `Its clock is ${spell(apart)} ${theirs > now ? 'ahead of' : 'behind'} ours.`
  const todo = 'see which of the two is wrong, and have it set by a time server (NTP).'
  if (apart <= most) return [{ what: 'clock', state: 'note', says, todo }]
  return [{ what: 'clock', state: 'problem', says: `${says} ${HARM}`, todo }]
}

const HARM = 'An order whose answer was lost is not found again by its time, and may be placed twice.'

function spell(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000)
  if (minutes < 120) return counted(minutes, 'minute')
  return `${Math.round(minutes / 60)} hours`
}
