import type { Instant } from '../values/instant.ts'
import type { HealthItem } from './health.ts'

/** A change of the platform's schema of one kind, with the flows that act on it. */
export interface SeenSchemaChange {
  kind: string
  at: Instant
  /** In words: fields that are gone, new, or of another type. */
  text: string
  /** Fields are gone or of another type: what reads them may find nothing. */
  breaks: boolean
  /** A field may have words that it could not have before: who compares with words may not know them. */
  widens: boolean
  flows: readonly string[]
}

/** A change is told for a week (milliseconds). */
const TOLD = 7 * 24 * 3_600_000

/** One finding for each change of the last week. */
export function schemaHealth(changes: readonly SeenSchemaChange[], now: Instant): HealthItem[] {
  return changes
    .filter(({ at }) => now - at < TOLD)
    .map(({ kind, at, text, breaks, widens, flows }) => ({
      area: 'schema',
      name: kind,
      state: breaks ? 'problem' : 'note',
      since: at,
      means: `The platform changed its schema: ${text}. It touches ${flows.length === 0 ? 'no flow' : flows.join(', ')}.`,
      todo: todoOf(kind, breaks, widens),
    }))
}

function todoOf(kind: string, breaks: boolean, widens: boolean): string | null {
  if (breaks)
    return `tillbridge kinds show ${kind}: does the hub still find what it reads? Else write platform.payloads.`
  return widens ? `tillbridge kinds show ${kind}: do your own systems know the new words?` : null
}
