import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { createSchema } from '../schema.ts'
import { sqliteKit } from './schema-kit.ts'

export const shared = createSchema(sqliteKit)

/* Tables are exported one by one for drizzle-kit. */
export const { events, submissions, payloads, payloadBlocks, keys, goneEvents, legalHolds, deliveries } = shared
export const { pastDeliveries, deliveryShapes, acknowledged, attempts, links, pauses, audit } = shared
export const { auditDeliveries, auditEvents, searchBlocks, searchIndex, jobs, jobRuns, apiKeys } = shared
export const { stores, endpointUses, customers, customerCount, lookups, mirror, findings, gaps, covered } = shared
export const { watermarks } = shared

/** One row: keys of later events are only in their rows. */
export const keysMerged = sqliteTable('keys_merged', { upTo: integer('up_to').notNull() })

/** Rows at start were in flight when the process died. */
export const inFlight = sqliteTable('in_flight', { deliveryId: integer('delivery_id').primaryKey() })
