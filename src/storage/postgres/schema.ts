import { sql } from 'drizzle-orm'
import * as core from 'drizzle-orm/pg-core'
import { createSchema } from '../schema.ts'
import type { SchemaKit } from '../sqlite/schema-kit.ts'

/* What several hubs need besides. Sequences and functions are in by-hand.sql. */

export const PARTITIONS = 64

const long = (name = '') => core.bigint(name, { mode: 'number' })
const bytes = core.customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const xid = core.customType<{ data: string }>({ dataType: () => 'xid8' })
const ids = () => core.bigserial({ mode: 'number' }).primaryKey()

const kit = {
  ...{ table: core.pgTable, index: core.index, uniqueIndex: core.uniqueIndex, primaryKey: core.primaryKey },
  partialIndex: (name: string, which: ReturnType<typeof sql>, ...columns: [core.AnyPgColumn, ...core.AnyPgColumn[]]) =>
    core
      .index(name)
      .on(...columns)
      .where(which),
  ...{ text: core.text, int: core.integer, long, flag: core.boolean, bytes },
  hash: core.uuid,
  ...{ ids, monotonicIds: ids },
  levelFlag: () => core.boolean('is_level').notNull(),
  /** Orders attempts of one millisecond. */
  attemptId: () => ({ id: ids() }),
  deliveryColumns: () => ({
    /** Whose work it is (hubs.ts): by its entity, so that one hub has all of an entity's. */
    partition: core
      .smallint()
      .notNull()
      .generatedAlwaysAs(
        sql`hashtextextended(coalesce(entity, event_id::text), 0) & ${sql.raw(String(PARTITIONS - 1))}`,
      ),
    /** The transaction that added it: what became visible since a snapshot is found by it (queue-storage.ts). */
    xid: xid().notNull().default(sql`pg_current_xact_id()`),
  }),
  deliveryIndexes: (
    table: Record<'destination' | 'urgency' | 'eventId' | 'id' | 'xid', core.AnyPgColumn>,
    unsettled: ReturnType<typeof sql>,
  ) => [
    core.index('deliveries_unsettled').on(table.destination, table.urgency, table.eventId, table.id).where(unsettled),
    core.index('deliveries_new').on(table.xid).where(unsettled),
  ],
  isTrue: (name: string) => sql.raw(name),
  isOfOrder: sql`entity like 'order:%'`,
  isUndone: sql`latest_wins and state in ('waiting', 'dead', 'skipped')`,
  byPrefix: (column: core.ExtraConfigColumn) => column.op('text_pattern_ops'),
  behind: (id: core.AnyPgColumn) => [id],
  covering: () => [],
} satisfies SameColumns & Record<keyof SchemaKit, unknown>

type DataOf<Make> = Make extends (name?: string) => { _: { data: infer Data } } ? Data : never
type SameColumns = {
  [Name in 'int' | 'long' | 'flag' | 'bytes' | 'ids' | 'monotonicIds' | 'levelFlag']: (name?: string) => {
    _: { data: DataOf<SchemaKit[Name]> }
  }
}

/** Typed as SQLite's: the rows are the same, but for what no read model has. */
export const shared = createSchema(kit as unknown as SchemaKit)

/* Tables are exported one by one for drizzle-kit. */
export const { events, submissions, payloads, keys, goneEvents, legalHolds, deliveries } = shared
export const { acknowledged, attempts, links, pauses, audit } = shared
export const { auditDeliveries, auditEvents, searchKeys, searchIndex, jobs, jobRuns, apiKeys } = shared
export const { stores, endpointUses, customers, customerCount, lookups, mirror, findings, gaps, covered } = shared
export const { watermarks, auditChain, bulkActs, consoleUsers, consoleSessions } = shared

/** The processes that deliver. `beat` grows as long as one lives; `resets`: its queues are to be read anew. */
export const hubs = core.pgTable('hubs', {
  id: core.uuid().primaryKey(),
  beat: long().notNull().default(0),
  resets: long().notNull().default(0),
})

export const partitions = core.pgTable('partitions', {
  id: core.smallint().primaryKey(),
  hub: core.uuid(),
})

export const inFlight = core.pgTable('in_flight', {
  deliveryId: long('delivery_id').primaryKey(),
  hub: core.uuid().notNull(),
})
