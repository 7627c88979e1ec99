import { type PgTable, getTableConfig as pgConfig } from 'drizzle-orm/pg-core'
import { getTableConfig as sqliteConfig } from 'drizzle-orm/sqlite-core'
import type { Urgency } from '../../domain/queue/lane.ts'
import { nameOf } from '../postgres/claiming/owing.ts'
import { strandOf } from '../postgres/claiming/strands.ts'
import { shared as target } from '../postgres/schema.ts'
import type { Tables } from '../schema.ts'
import { shared as source } from '../sqlite/schema.ts'
import type { ColumnType } from './copy-protocol.ts'

interface CopiedColumn {
  name: string
  type: ColumnType
  expression: string
}

export interface CopiedTable {
  name: string
  columns: readonly CopiedColumn[]
  /** Rows are sent in its order, so that no page of PostgreSQL's index is touched twice; empty: texts. */
  key: readonly CopiedColumn[]
}

const OWN: Record<string, string> = {
  'attempts.id': 'rowid',
  'deliveries.strand': 'strand_of(destination, urgency, entity, event_id, flow, part)',
  // No claim outlives its hub.
  'deliveries.fence': 'null',
}

/** All but `keys_merged` and `in_flight`, which are merged and counted when the file is taken over (source.ts). */
export const COPIED_TABLES: readonly CopiedTable[] = (Object.keys(source) as (keyof Tables)[]).map((key) => {
  const { name, columns, primaryKeys } = pgConfig(target[key] as unknown as PgTable)
  const theirs = new Set(sqliteConfig(source[key]).columns.map((column) => column.name))
  const read = columns.map((column) => {
    const expression = theirs.delete(column.name) ? `"${column.name}"` : OWN[`${name}.${column.name}`]
    if (expression === undefined) throw new Error(`Nothing says what goes into ${name}.${column.name}.`)
    return { name: column.name, type: typeOf(column.getSQLType()), expression }
  })
  if (theirs.size > 0) throw new Error(`PostgreSQL has no ${[...theirs].map((column) => `${name}.${column}`)}.`)
  const ofKey = (primaryKeys[0]?.columns ?? columns.filter((column) => column.primary)).map((column) => column.name)
  const inKey = ofKey.flatMap((column) => read.filter((one) => one.name === column))
  return { name, columns: read, key: inKey.some(({ type }) => type === 'text') ? [] : inKey }
})

function typeOf(sqlType: string): ColumnType {
  return (sqlType === 'bigserial' ? 'bigint' : sqlType) as ColumnType
}

export function strandBytes(
  destination: string,
  urgency: Urgency,
  entity: string | null,
  event: number,
  flow: string,
  part: string,
): Buffer {
  const alone = nameOf(event, { flow, part, destination })
  return Buffer.from(strandOf({ destination, urgency }, entity, alone), 'hex')
}
