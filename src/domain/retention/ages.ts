import type { MirrorSet } from '../catalogue/mirror.ts'

/** What is kept of an event, each for its time: what it said, the tries of its deliveries, and its rows. */
export type Part = 'payloads' | 'attempts' | 'events'

/** How long each thing is kept (milliseconds). */
export interface Ages extends Record<Part, number> {
  /** The memory of what has been seen. */
  keys: number
  lookups: number
  audit: number
  /** Sets of the mirror; of those that are not named nothing goes. */
  mirror: Readonly<Partial<Record<MirrorSet, number>>>
  /** Kinds of events that are kept otherwise. */
  kinds: Readonly<Record<string, { [P in Part]?: number | undefined }>>
}

/** How long that part of events of a kind is kept (milliseconds). Without its event nothing of it is kept. */
export function ageOf(ages: Ages, part: Part, kind: string): number {
  const own = Object.hasOwn(ages.kinds, kind) ? ages.kinds[kind] : undefined
  const events = own?.events ?? ages.events
  return part === 'events' ? events : Math.min(events, own?.[part] ?? ages[part])
}

/** The differing ages of a part, the longest first. */
export function agesOf(ages: Ages, part: Part): number[] {
  const all = Object.keys(ages.kinds).map((kind) => ageOf(ages, part, kind))
  return [...new Set([Math.min(ages.events, ages[part]), ...all])].sort((a, b) => b - a)
}

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
