import { counted } from '../values/counted.ts'
import type { Instant } from '../values/instant.ts'
import { type HealthItem, item } from './health.ts'

/** Rows that cannot be read in the lists that one operation of the platform answers, for one cause. */
export interface RowsAside {
  /** `webhooks.list`. */
  operation: string
  /** The field that is wrong, and how; no value. */
  why: string
  /** How many rows, in all parts together. */
  rows: number
  /** The parts of which they are (`stock 12`, `2026-11-20`); empty: the list is read whole. */
  about: string[]
  since: Instant
}

/** In words: `stock.levels: 1 row has no id (stock 12)`. */
export function rowsAsideText({ operation, why, rows, about }: RowsAside): string {
  const more = about.length > MOST_NAMED ? ` and ${about.length - MOST_NAMED} more` : ''
  const where = about.length === 0 ? '' : ` (${about.slice(0, MOST_NAMED).join(', ')}${more})`
  return `${operation}: ${counted(rows, 'row')} ${why}${where}`
}

/** What to type where the answer of an operation has another shape than the documented one: the keys of config that say so. */
export function mappingRemedy(operation: string): string {
  return `list, record or fields of platform.endpoints.${operation} (docs/platform-unknowns.md)`
}

/** The most parts that are named. */
const MOST_NAMED = 3

/** One item for each operation of the platform whose rows cannot be read. */
export function listHealth(aside: readonly RowsAside[]): HealthItem[] {
  return aside.map((rows) => {
    const means = `${rowsAsideText(rows)}, so that it cannot be read. The others go on, and this is asked for again.`
    const todo = `correct it in the portal, ask the contact at the platform (docs/pulls.md), or say where it stands: ${mappingRemedy(rows.operation)}.`
    return item('list', rows.operation, 'problem', means, todo, { since: rows.since })
  })
}
