/** Why an event stays, however old it is. */
export const STANDING = {
  open: 'a delivery is not made yet',
  dead: 'a delivery is dead: retry it, or skip it',
  aside: 'it is unrouted, quarantined or in conflict, and nobody has dismissed it',
  gap: 'an open gap names it',
  hold: 'it is under a legal hold',
} as const

export type Standing = keyof typeof STANDING

/** An event that stays, and why. */
export interface StandingEvent {
  event: number
  why: Standing
}
