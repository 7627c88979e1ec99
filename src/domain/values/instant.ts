/** A point in time: milliseconds since 1970-01-01T00:00:00Z. Never a store's wall clock (see store-time.ts). */
export type Instant = number

/** The instant as people and JSON read it: ISO 8601 in UTC. */
export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString()
}
