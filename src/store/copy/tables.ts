import { type PgTable, getTableConfig as pgConfig } from 'drizzle-orm/pg-core'
import { getTableConfig as sqliteConfig } from 'drizzle-orm/sqlite-core'
import type { Urgency } from '../../domain/queue/lane.ts'
import { nameOf } from '../postgres/claiming/owing.ts'
import { strandOf } from '../postgres/claiming/strands.ts'
import * as target from '../postgres/schema.ts'
import * as source from '../sqlite/schema.ts'
import type { ColumnType } from './binary-rows.ts'

interface CopiedColumn {
  name: string
  type: ColumnType
  /** What reads its value from the file. */
  expression: string
}

/** A table that is copied: its columns in PostgreSQL, and how they are read from the file. */
export interface CopiedTable {
  name: string
  columns: readonly CopiedColumn[]
  /** The columns of its key, where file and server sort its rows alike. None: its key is of texts. */
  key: readonly CopiedColumn[]
}

/** The values of columns that only PostgreSQL has. Others are read from those of the same name. */
const OWN: Record<string, string> = {
  'attempts.id': 'rowid',
  'deliveries.strand': 'strand_of(destination, urgency, entity, event_id, flow, part)',
  // Nothing is out: the claims of the hub that ended have ended with it.
  'deliveries.fence': 'null',
}

/** Not copied: which keys are in their table, since all are once the file is taken over (source.ts); what was in flight, since that is counted then. */
const { keysMerged: _, inFlight: __, ...COPIED } = source

/** In this order. Those with which PostgreSQL has no table of the same name do not compile. */
const TARGETS = {
  events: target.events,
  payloads: target.payloads,
  payloadBlocks: target.payloadBlocks,
  submissions: target.submissions,
  // The order of the file is that of the index over there: no page of it is touched twice.
  keys: target.keys,
  goneEvents: target.goneEvents,
  legalHolds: target.legalHolds,
  deliveries: target.deliveries,
  pastDeliveries: target.pastDeliveries,
  deliveryShapes: target.deliveryShapes,
  attempts: target.attempts,
  acknowledged: target.acknowledged,
  links: target.links,
  pauses: target.pauses,
  audit: target.audit,
  auditDeliveries: target.auditDeliveries,
  auditEvents: target.auditEvents,
  searchKeys: target.searchKeys,
  searchBlocks: target.searchBlocks,
  searchIndex: target.searchIndex,
  jobs: target.jobs,
  jobRuns: target.jobRuns,
  apiKeys: target.apiKeys,
  stores: target.stores,
  endpointUses: target.endpointUses,
  customers: target.customers,
  customerCount: target.customerCount,
  lookups: target.lookups,
  mirror: target.mirror,
  findings: target.findings,
  gaps: target.gaps,
  covered: target.covered,
  watermarks: target.watermarks,
} satisfies Record<keyof typeof COPIED, PgTable>

export const COPIED_TABLES: readonly CopiedTable[] = (Object.keys(TARGETS) as (keyof typeof TARGETS)[]).map((key) => {
  const { name, columns, primaryKeys } = pgConfig(TARGETS[key])
  const theirs = new Set(sqliteConfig(COPIED[key]).columns.map((column) => column.name))
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

/** The strand of a delivery, 16 bytes: the one that a hub on PostgreSQL would have given it. */
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
