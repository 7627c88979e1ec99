/** Milliseconds since 1970-01-01T00:00:00Z, never store-local (see store-time.ts). */
export type Instant = number

/** ISO 8601 in UTC. */
export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString()
}
