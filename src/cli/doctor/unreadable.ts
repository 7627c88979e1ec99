import { counted } from '../../domain/values/counted.ts'
import type { Unreadable } from '../../platform/http/listed.ts'
import { isRecord } from '../../platform/http/read.ts'
import type { Finding } from './finding.ts'

/** The most fields that are named. */
const MOST_NAMED = 12

/** A list of which no row can be read is not empty: the finding says what its rows have, and which key of config says where things stand. */
export function unreadable(check: Finding['check'], operation: string, aside: readonly Unreadable[]): Finding {
  const [first] = aside
  const names = isRecord(first?.record) ? Object.keys(first.record).slice(0, MOST_NAMED) : []
  const has = names.length === 0 ? '' : ` Its fields: ${names.join(', ')}.`
  return {
    check,
    state: 'problem',
    says: `What ${operation} answers cannot be read: ${counted(aside.length, 'row')}, of which row ${first?.row ?? 1} ${first?.why ?? 'is unknown'}.${has} So nothing is known of what it lists.`,
    todo: `say where it stands: list, record or fields of platform.endpoints.${operation} (docs/own-way.md).`,
  }
}
