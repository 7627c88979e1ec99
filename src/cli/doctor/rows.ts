import type { Status } from '../../admin/examine/status.ts'
import { mappingRemedy, type RowsAside, rowsAsideText } from '../../domain/health/rows-aside.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { AsideBook } from '../../platform/http/listed.ts'
import type { Client } from '../shared/client.ts'
import type { Finding } from './finding.ts'

/** Rows that could not be read in the lists that the doctor asks the platform for itself. */
export function createRowsSeen(now: () => number): AsideBook & { all(): RowsAside[] } {
  const seen: RowsAside[] = []
  return {
    listed(operation, about, aside) {
      for (const [why, rows] of Map.groupBy(aside, (one) => one.why))
        seen.push({ operation, why, rows: rows.length, about: about === '' ? [] : [about], since: now() })
    },
    all: () => seen,
  }
}

/** One finding for each operation and cause, as the doctor saw it, or else a running hub; nothing where all could be read. */
export async function examineRows(
  seen: readonly RowsAside[],
  hub: () => Promise<Pick<Client, 'get'>>,
): Promise<Finding[]> {
  const all = new Map<string, RowsAside>()
  for (const one of [...seen, ...(await ofHub(hub))]) {
    const key = `${one.operation} ${one.why}`
    if (!all.has(key)) all.set(key, one)
  }
  return [...all.values()].map((one) => ({
    check: 'rows',
    state: 'problem',
    says: `${rowsAsideText(one)}, so that it cannot be read. The others go on, and this is asked for again.`,
    todo: `correct it in the portal, ask the contact at the platform (docs/pulls.md), or say where it stands: ${mappingRemedy(one.operation)}.`,
  }))
}

/** The check of the event id has asked the same hub, and says why it does not answer. */
async function ofHub(hub: () => Promise<Pick<Client, 'get'>>): Promise<RowsAside[]> {
  try {
    return (await (await hub()).get<Partial<Status>>('/admin/status')).aside ?? []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return []
  }
}
