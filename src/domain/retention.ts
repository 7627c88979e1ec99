import type { MirrorSet } from './catalogue/mirror.ts'

export type Part = 'payloads' | 'attempts' | 'events'

/** Milliseconds. */
export interface Ages extends Record<Part, number> {
  keys: number
  lookups: number
  audit: number
  mirror: Readonly<Partial<Record<MirrorSet, number>>>
  kinds: Readonly<Record<string, { [P in Part]?: number | undefined }>>
}

/** Not longer than the event (ms). */
export function ageOf(ages: Ages, part: Part, kind: string): number {
  const own = Object.hasOwn(ages.kinds, kind) ? ages.kinds[kind] : undefined
  const events = own?.events ?? ages.events
  return part === 'events' ? events : Math.min(events, own?.[part] ?? ages[part])
}

export function agesOf(ages: Ages, part: Part): number[] {
  const all = Object.keys(ages.kinds).map((kind) => ageOf(ages, part, kind))
  return [...new Set([Math.min(ages.events, ages[part]), ...all])].sort((a, b) => b - a)
}

export const RETAIN_REASONS = {
  open: 'a delivery is not made yet',
  dead: 'a delivery is dead: retry it, or skip it',
  rejected: 'it is unrouted, quarantined or in conflict, and nobody has dismissed it',
  gap: 'an open gap names it',
  hold: 'it is under a legal hold',
} as const

export type RetainReason = keyof typeof RETAIN_REASONS

export interface RetainedEvent {
  event: number
  why: RetainReason
}
