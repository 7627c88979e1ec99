import type { HealthItem } from './health.ts'
import { mappingRemedy, type RowsAside, rowsAsideText } from './rows-aside.ts'

/** One item for each operation of the platform whose rows cannot be read. */
export function listHealth(aside: readonly RowsAside[]): HealthItem[] {
  return aside.map((rows) => ({
    area: 'list',
    name: rows.operation,
    state: 'problem',
    since: rows.since,
    means: `${rowsAsideText(rows)}, so that it cannot be read. The others go on, and this is asked for again.`,
    todo: `correct it in the portal, ask the contact at the platform (docs/pulls.md), or say where it stands: ${mappingRemedy(rows.operation)}.`,
  }))
}
