import { sql } from 'drizzle-orm'
import * as core from 'drizzle-orm/pg-core'
import { createSchema } from '../schema.ts'
import type { SchemaKit } from '../sqlite/schema-kit.ts'

/* What several hubs need besides: partitions, leases, fences. Sequences and functions are in migrations. */

const long = (name = '') => core.bigint(name, { mode: 'number' })
const bytes = core.customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const ids = () => core.bigserial({ mode: 'number' }).primaryKey()

const kit = {
  ...{ table: core.pgTable, index: core.index, uniqueIndex: core.uniqueIndex, primaryKey: core.primaryKey },
  ...{ text: core.text, int: core.integer, long, flag: core.boolean, bytes },
  hash: core.uuid,
  ...{ ids, monotonicIds: ids },
  levelFlag: () => core.boolean('is_level').notNull(),
  /** Orders attempts of one millisecond. */
  attemptId: () => ({ id: ids() }),
  deliveryClaim: () => ({ partition: core.uuid().notNull(), fence: long() }),
  deliveryIndexes: (
    table: Record<'destination' | 'urgency' | 'eventId' | 'id' | 'partition', core.AnyPgColumn>,
    unsettled: ReturnType<typeof sql>,
  ) => [
    core
      .index('deliveries_of_strand')
      .on(table.partition, table.eventId, table.id)
      .where(sql`state in ('waiting', 'claimed', 'held') or fence is not null`),
    core.index('deliveries_unsettled').on(table.destination, table.urgency, table.id).where(unsettled),
  ],
  isTrue: (name: string) => sql.raw(name),
  isOfOrder: sql`entity like 'order:%'`,
  isUndone: sql`latest_wins and state in ('waiting', 'claimed', 'dead', 'skipped')`,
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
export const { events, submissions, payloads, payloadBlocks, keys, goneEvents, legalHolds, deliveries } = shared
export const { pastDeliveries, deliveryShapes, acknowledged, attempts, links, pauses, audit } = shared
export const { auditDeliveries, auditEvents, searchBlocks, searchIndex, jobs, jobRuns, apiKeys } = shared
export const { stores, endpointUses, customers, customerCount, lookups, mirror, findings, gaps, covered } = shared
export const { watermarks } = shared

/** One row per queue and entity with open work: the unit of claims (docs/adr/0003-partitions.md). */
export const partitions = core.pgTable(
  'partitions',
  {
    id: core.uuid().primaryKey(),
    destination: core.text().notNull(),
    urgency: core.text({ enum: ['prompt', 'bulk'] }).notNull(),
    head: long().notNull(),
    /** Null: the head is held. */
    dueAt: long('due_at'),
    batch: core.text(),
    size: core.integer().notNull(),
    yields: core.boolean().notNull().default(false),
    leaseUntil: long('lease_until'),
    hub: core.uuid(),
    /** The claim in flight where its row does not say so (claiming/partitions.ts). */
    taken: long(),
    fence: long(),
  },
  (table) => [
    // Separate, so that many of one kind do not hide few of the other.
    core
      .index('partitions_free_alone')
      .on(table.destination, table.urgency, table.yields, table.dueAt)
      .where(sql`lease_until is null and batch is null`),
    core
      .index('partitions_free_batched')
      .on(table.destination, table.urgency, table.yields, table.dueAt)
      .where(sql`lease_until is null and batch is not null`),
    core
      .index('partitions_leased')
      .on(table.destination, table.urgency, table.leaseUntil)
      .where(sql`lease_until is not null`),
  ],
)
