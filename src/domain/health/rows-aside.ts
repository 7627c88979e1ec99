import { counted } from '../values/counted.ts'
import type { Instant } from '../values/instant.ts'
import { type HealthItem, item } from './health.ts'

/** Unreadable rows of one operation and cause. */
export interface RowsAside {
  /** `webhooks.list`. */
  operation: string
  /** Field and fault, no value. */
  why: string
  /** Over all parts. */
  rows: number
  /** `stock 12`, `2026-11-20`; empty: the list is read whole. */
  about: string[]
  since: Instant
}

/** `stock.levels: 1 row has no id (stock 12)`. */
export function rowsAsideText({ operation, why, rows, about }: RowsAside): string {
  const more = about.length > MOST_NAMED ? ` and ${about.length - MOST_NAMED} more` : ''
  const where = about.length === 0 ? '' : ` (${about.slice(0, MOST_NAMED).join(', ')}${more})`
  return `${operation}: ${counted(rows, 'row')} ${why}${where}`
}

/** Config keys that map another answer format. */
export function mappingRemedy(operation: string): string {
  return `list, record or fields of platform.endpoints.${operation} (docs/platform-unknowns.md)`
}

const MOST_NAMED = 3

export function listHealth(aside: readonly RowsAside[]): HealthItem[] {
  return aside.map((rows) => {
    const means = `${rowsAsideText(rows)}, so that it cannot be read. The others go on, and this is asked for again.`
    const todo = `correct it in the portal, ask the contact at the platform (docs/pulls.md), or say where it stands: ${mappingRemedy(rows.operation)}.`
    return item('list', rows.operation, 'problem', means, todo, { since: rows.since })
  })
}
