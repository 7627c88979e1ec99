import { type Event, payloadOf } from '../domain/queue/event.ts'

/** Fields that are one thing together: an address is not put together from two. */
const TOGETHER = [
  ['address', 'postalCode', 'city', 'countryCode'],
  ['phone', 'phoneCountryPrefix'],
]

/**
 * The event without what a later one has said anew of the same thing, each of which says only what it changes; null: nothing but its
 * names (`names`) is left.
 */
export function withoutSaidSince(event: Event, later: object, names: readonly string[]): Event | null {
  const isSaid = (field: string) => (later as Record<string, unknown>)[field] !== undefined
  const isSaidSince = (field: string) => (TOGETHER.find((one) => one.includes(field)) ?? [field]).some(isSaid)
  const payload = payloadOf(event) as object
  const left = Object.entries(payload).filter(([field]) => names.includes(field) || !isSaidSince(field))
  if (left.length === Object.keys(payload).length) return event
  if (left.every(([field]) => names.includes(field))) return null
  return { ...event, body: Buffer.from(JSON.stringify(Object.fromEntries(left))) }
}
