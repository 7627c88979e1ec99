// Long because every table stands here, once.
import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { FindingSort } from '../../domain/catalogue/finding.ts'
import type { MirrorSet } from '../../domain/catalogue/mirror.ts'
import { type Cause, ROADS } from '../../domain/ledger/causes.ts'
import { GAP_STATES } from '../../domain/ledger/gap.ts'
import { LEVELS } from '../../domain/ledger/watermark.ts'

/*
 * The tables of SQLite (explained in sqlite/schema.ts), and what several hubs need: strands, leases, fences. Instants
 * are milliseconds by the server's clock. Sequences and functions are in migrations.
 */

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
/** Beyond 32 bits: an id or an instant. */
const long = (name?: string) => (name === undefined ? bigint({ mode: 'number' }) : bigint(name, { mode: 'number' }))
const ids = () => bigserial({ mode: 'number' })

export const events = pgTable(
  'events',
  {
    id: long().primaryKey(),
    kind: text().notNull(),
    origin: text().notNull(),
    subscription: text(),
    state: text({ enum: ['routed', 'unrouted', 'quarantined'] }).notNull(),
    conflictWith: long('conflict_with'),
    receivedAt: long('received_at').notNull(),
    transportKey: text('transport_key'),
    identity: text(),
    revision: long().notNull(),
    entity: text(),
    facts: text(),
    problem: text(),
    size: integer().notNull(),
    bodyHash: text('body_hash').notNull(),
    submission: long(),
    line: integer(),
    sameKeyAs: long('same_key_as'),
    dismissedAt: long('dismissed_at'),
    dismissedBy: text('dismissed_by'),
    dismissedBecause: text('dismissed_because'),
  },
  (table) => [
    index('events_of_reused_keys').on(table.receivedAt, table.sameKeyAs).where(sql`same_key_as is not null`),
    index('events_to_look_at')
      .on(table.state, table.id)
      .where(sql`(state <> 'routed' or conflict_with is not null) and dismissed_at is null`),
    index('events_in_conflict').on(table.state).where(sql`conflict_with is not null and dismissed_at is null`),
    index('events_of_kind_to_look_at')
      .on(table.kind, table.state, table.id)
      .where(sql`(state <> 'routed' or conflict_with is not null) and dismissed_at is null`),
    index('events_of_submission').on(table.submission, table.line).where(sql`submission is not null`),
    index('events_of_order').on(table.entity).where(sql`entity like 'order:%'`),
  ],
)

export const submissions = pgTable(
  'submissions',
  {
    id: ids().primaryKey(),
    system: text().notNull(),
    resource: text().notNull(),
    key: text().notNull(),
    receivedAt: long('received_at').notNull(),
    end: text(),
  },
  (table) => [uniqueIndex('submissions_by_key').on(table.system, table.resource, table.key)],
)

export const payloads = pgTable('payloads', {
  eventId: long('event_id').primaryKey(),
  headers: text().notNull(),
  body: bytes().notNull(),
})

export const payloadBlocks = pgTable(
  'payload_blocks',
  {
    id: ids().primaryKey(),
    kind: text().notNull(),
    firstEvent: long('first_event').notNull(),
    lastEvent: long('last_event').notNull(),
    payloads: integer().notNull(),
    size: integer().notNull(),
    body: bytes().notNull(),
  },
  (table) => [uniqueIndex('payload_blocks_of_kind').on(table.kind, table.firstEvent)],
)

export const keys = pgTable('keys', {
  // 16 bytes of a hash; as a uuid they travel as text.
  key: uuid().primaryKey(),
  eventId: long('event_id').notNull(),
})

export const goneEvents = pgTable('gone_events', {
  id: long().primaryKey(),
  told: bytes().notNull(),
  bodyHash: bytes('body_hash').notNull(),
  revision: long().notNull(),
  receivedAt: long('received_at').notNull(),
  hasKey: boolean('has_key').notNull(),
  quarantined: boolean().notNull(),
  conflictWith: long('conflict_with'),
  submission: long(),
})

export const legalHolds = pgTable('legal_holds', {
  eventId: long('event_id').primaryKey(),
  at: long().notNull(),
  by: text().notNull(),
  reason: text().notNull(),
})

export const deliveries = pgTable(
  'deliveries',
  {
    id: ids().primaryKey(),
    eventId: long('event_id').notNull(),
    flow: text().notNull(),
    part: text().notNull(),
    destination: text().notNull(),
    urgency: text({ enum: ['prompt', 'bulk'] }).notNull(),
    entity: text(),
    batch: text(),
    once: boolean().notNull(),
    state: text({
      enum: ['waiting', 'claimed', 'held', 'delivered', 'dead', 'skipped', 'superseded'],
    }).notNull(),
    dueAt: long('due_at').notNull(),
    open: boolean().notNull().default(false),
    tries: integer().notNull().default(0),
    finds: integer().notNull().default(0),
    firstTriedAt: long('first_tried_at'),
    failingSince: long('failing_since'),
    settledAt: long('settled_at'),
    code: text(),
    why: text(),
    latestWins: boolean('latest_wins').notNull().default(false),
    digest: text(),
    force: boolean().notNull().default(false),
    subject: text(),
    version: long(),
    effect: text(),
    unless: text(),
    released: text(),
    crashes: integer().notNull().default(0),
    yields: boolean().notNull().default(false),
    strand: uuid().notNull(),
    /** Fence of its claim, if in flight. */
    fence: long(),
    tookMs: integer('took_ms'),
    tookNote: text('took_note'),
  },
  (table) => [
    uniqueIndex('deliveries_of_event').on(table.eventId, table.flow, table.part, table.destination),
    // For the head of a strand.
    index('deliveries_of_strand')
      .on(table.strand, table.eventId, table.id)
      // In flight, though perhaps skipped meanwhile.
      .where(sql`state in ('waiting', 'claimed', 'held') or fence is not null`),
    index('deliveries_unsettled')
      .on(table.destination, table.urgency, table.id)
      .where(sql`state in ('waiting', 'claimed', 'held', 'dead')`),
    index('deliveries_latest_wins')
      .on(table.destination, table.entity, table.flow)
      .where(sql`latest_wins and state in ('waiting', 'claimed', 'dead', 'skipped')`),
    // Also prefix searches.
    index('deliveries_of_effect').on(table.effect.op('text_pattern_ops')).where(sql`effect is not null`),
    index('deliveries_of_order').on(table.entity).where(sql`entity like 'order:%'`),
    index('deliveries_skipped').on(table.id).where(sql`state = 'skipped'`),
    index('deliveries_once_unsettled')
      .on(table.flow, table.id)
      .where(sql`once and state in ('waiting', 'claimed', 'held', 'dead')`),
  ],
)

export const pastDeliveries = pgTable(
  'past_deliveries',
  {
    id: long().primaryKey(),
    eventId: long('event_id').notNull(),
    triedAt: long('tried_at').notNull(),
    shape: integer().notNull(),
    settledAfter: integer('settled_after').notNull(),
    tookMs: integer('took_ms').notNull(),
    note: text(),
  },
  (table) => [index('past_deliveries_of_event').on(table.eventId)],
)

export const deliveryShapes = pgTable(
  'delivery_shapes',
  {
    id: ids().primaryKey(),
    flow: text().notNull(),
    part: text().notNull(),
    destination: text().notNull(),
    urgency: text({ enum: ['prompt', 'bulk'] }).notNull(),
    once: boolean().notNull(),
    yields: boolean().notNull(),
    hasEntity: boolean('has_entity').notNull(),
    tries: integer().notNull(),
    code: text().notNull(),
    note: text().notNull(),
  },
  (table) => [
    uniqueIndex('delivery_shapes_by_words').on(
      table.flow,
      table.part,
      table.destination,
      table.urgency,
      table.once,
      table.yields,
      table.hasEntity,
      table.tries,
      table.code,
      table.note,
    ),
  ],
)

/** One row per lane and entity with open work: the unit of claims (docs/adr/0003-strands.md). */
export const strands = pgTable(
  'strands',
  {
    /** Hash of lane and entity; without entity of the delivery. */
    id: uuid().primaryKey(),
    destination: text().notNull(),
    urgency: text({ enum: ['prompt', 'bulk'] }).notNull(),
    /** The first open delivery, and what a claim must know of it. */
    head: long().notNull(),
    /** Null: the head is held. */
    dueAt: long('due_at'),
    batch: text(),
    size: integer().notNull(),
    /** Low priority. */
    yields: boolean().notNull().default(false),
    /** Null: free. */
    leaseUntil: long('lease_until'),
    hub: uuid(),
    /** The claim in flight where its row does not say so (claiming/writing-down.ts). */
    taken: long(),
    fence: long(),
  },
  (table) => [
    // Separate, so that many of one kind do not hide few of the other.
    index('strands_free_alone')
      .on(table.destination, table.urgency, table.yields, table.dueAt)
      .where(sql`lease_until is null and batch is null`),
    index('strands_free_batched')
      .on(table.destination, table.urgency, table.yields, table.dueAt)
      .where(sql`lease_until is null and batch is not null`),
    index('strands_leased').on(table.destination, table.urgency, table.leaseUntil).where(sql`lease_until is not null`),
  ],
)

export const acknowledged = pgTable(
  'acknowledged',
  {
    destination: text().notNull(),
    flow: text().notNull(),
    subject: text().notNull(),
    // Null: unknown.
    digest: text(),
    version: long(),
  },
  (table) => [primaryKey({ columns: [table.destination, table.flow, table.subject] })],
)

export const attempts = pgTable(
  'attempts',
  {
    /** Orders attempts of one millisecond. */
    id: ids().primaryKey(),
    deliveryId: long('delivery_id').notNull(),
    at: long().notNull(),
    ms: integer().notNull(),
    outcome: text().notNull(),
    code: text().notNull(),
    note: text(),
  },
  (table) => [index('attempts_of_delivery').on(table.deliveryId)],
)

export const links = pgTable(
  'links',
  {
    destination: text().notNull(),
    kind: text().notNull(),
    id: text().notNull(),
    theirId: text('their_id').notNull(),
    isLevel: boolean('is_level').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.destination, table.kind, table.id, table.theirId] }),
    index('links_of_levels').on(table.destination).where(sql`is_level`),
    index('links_back').on(table.destination, table.kind, table.theirId),
    index('links_of_id').on(table.id.op('text_pattern_ops')),
  ],
)

export const pauses = pgTable(
  'pauses',
  {
    destination: text().notNull(),
    urgency: text({ enum: ['prompt', 'bulk'] }).notNull(),
    until: long(),
    why: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.destination, table.urgency] })],
)

export const audit = pgTable(
  'audit',
  {
    id: ids().primaryKey(),
    at: long().notNull(),
    by: text().notNull(),
    action: text().notNull(),
    reason: text(),
    selection: text().notNull(),
    changed: integer().notNull(),
    refused: text(),
  },
  (table) => [
    index('audit_at').on(table.at),
    index('audit_of_person').on(table.by, table.at),
    index('audit_of_action').on(table.action, table.at),
  ],
)

export const auditDeliveries = pgTable(
  'audit_deliveries',
  {
    deliveryId: long('delivery_id').notNull(),
    auditId: long('audit_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.deliveryId, table.auditId] }),
    index('audit_deliveries_of_act').on(table.auditId, table.deliveryId),
  ],
)

export const auditEvents = pgTable(
  'audit_events',
  {
    eventId: long('event_id').notNull(),
    auditId: long('audit_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.eventId, table.auditId] }),
    index('audit_events_of_act').on(table.auditId, table.eventId),
  ],
)

export const searchKeys = pgTable(
  'search_keys',
  {
    segment: integer().notNull(),
    key: bytes().notNull(),
    eventId: long('event_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.segment, table.key, table.eventId] })],
)

export const searchBlocks = pgTable('search_blocks', {
  place: long().primaryKey(),
  body: bytes().notNull(),
})

export const searchIndex = pgTable('search_index', {
  secret: bytes().notNull(),
  upTo: long('up_to').notNull(),
})

export const jobs = pgTable('jobs', {
  name: text().primaryKey(),
  state: text(),
  startedAt: long('started_at').notNull(),
  succeededAt: long('succeeded_at'),
  failedAt: long('failed_at'),
  problem: text(),
  note: text(),
  failures: integer().notNull(),
  underWay: boolean('under_way').notNull(),
  leaseUntil: long('lease_until'),
  fence: long(),
})

export const jobRuns = pgTable(
  'job_runs',
  {
    id: ids().primaryKey(),
    job: text().notNull(),
    startedAt: long('started_at').notNull(),
    endedAt: long('ended_at'),
    problem: text(),
    note: text(),
  },
  (table) => [index('job_runs_of_job').on(table.job, table.id)],
)

export const apiKeys = pgTable('api_keys', {
  id: text().primaryKey(),
  system: text().notNull(),
  scopes: text().notNull(),
  secretHash: text('secret_hash').notNull(),
  createdAt: long('created_at').notNull(),
  createdBy: text('created_by').notNull(),
  lastUsedAt: long('last_used_at'),
  revokedAt: long('revoked_at'),
})

export const stores = pgTable('stores', {
  storeId: text('store_id').primaryKey(),
  number: text(),
  name: text(),
  stockId: text('stock_id'),
  countryCode: text('country_code'),
  currency: text(),
  zone: text(),
  goneAt: long('gone_at'),
  former: text(),
})

export const endpointUses = pgTable('endpoint_uses', {
  operation: text().primaryKey(),
  address: text().notNull(),
  firstAt: long('first_at').notNull(),
  first: text().notNull(),
  came: text().notNull(),
  since: long().notNull(),
})

export const customers = pgTable(
  'customers',
  {
    id: ids().primaryKey(),
    customerId: text('customer_id'),
    extId: text('ext_id'),
    email: text(),
    phone: text(),
    firstName: text('first_name'),
    lastName: text('last_name'),
    companyName: text('company_name'),
    address: text(),
    postalCode: text('postal_code'),
    city: text(),
    countryCode: text('country_code'),
    updatedAt: long('updated_at').notNull(),
  },
  (table) => [
    index('customers_by_customer_id').on(table.customerId).where(sql`customer_id is not null`),
    index('customers_by_ext_id').on(table.extId).where(sql`ext_id is not null`),
    index('customers_by_email').on(table.email).where(sql`email is not null`),
    index('customers_by_phone').on(table.phone).where(sql`phone is not null`),
  ],
)

export const customerCount = pgTable('customer_count', {
  n: long().notNull(),
})

export const lookups = pgTable(
  'lookups',
  {
    id: ids().primaryKey(),
    at: long().notNull(),
    number: text().notNull(),
    found: text().notNull(),
    missing: text().notNull(),
    ms: integer().notNull(),
  },
  (table) => [index('lookups_of_number').on(table.number)],
)

export const mirror = pgTable(
  'mirror',
  {
    id: ids().primaryKey(),
    set: text('set_name').$type<MirrorSet>().notNull(),
    key: text().notNull(),
    place: text(),
    article: text(),
    day: text().notNull(),
    part: text(),
    version: long().notNull(),
    tie: long().notNull(),
    /** JSON as text: it comes back to the letter. */
    body: text().notNull(),
    savedAt: long('saved_at').notNull(),
  },
  (table) => [
    uniqueIndex('mirror_by_key').on(table.set, table.key),
    index('mirror_of_day').on(table.set, table.day, table.id),
    index('mirror_of_place').on(table.set, table.place, table.day, table.id).where(sql`place is not null`),
    index('mirror_of_article').on(table.set, table.article, table.day, table.id).where(sql`article is not null`),
    index('mirror_of_part').on(table.set, table.part).where(sql`part is not null`),
  ],
)

export const findings = pgTable(
  'findings',
  {
    id: ids().primaryKey(),
    sort: text().$type<FindingSort>().notNull(),
    key: text().notNull(),
    topic: text(),
    day: text().notNull(),
    version: long().notNull(),
    /** JSON as text: it comes back to the letter. */
    body: text().notNull(),
  },
  (table) => [
    uniqueIndex('findings_by_key').on(table.sort, table.key),
    index('findings_of_day').on(table.sort, table.day, table.id),
    index('findings_of_topic').on(table.sort, table.topic, table.day, table.id).where(sql`topic is not null`),
  ],
)

export const gaps = pgTable(
  'gaps',
  {
    id: ids().primaryKey(),
    key: text().notNull(),
    road: text({ enum: ROADS }).notNull(),
    cause: text().$type<Cause>().notNull(),
    kind: text(),
    storeId: text('store_id'),
    destination: text(),
    day: text(),
    at: long().notNull(),
    firstSeenAt: long('first_seen_at').notNull(),
    lastSeenAt: long('last_seen_at').notNull(),
    state: text({ enum: GAP_STATES }).notNull(),
    /** JSON as text: it comes back to the letter. */
    body: text().notNull(),
  },
  (table) => [
    uniqueIndex('gaps_by_key').on(table.key),
    index('gaps_open')
      .on(table.road, table.kind, table.storeId, table.destination, table.at)
      .where(sql`state = 'open'`),
    index('gaps_of_state').on(table.state, table.id),
    index('gaps_of_cause').on(table.cause, table.firstSeenAt),
    index('gaps_of_kind').on(table.kind, table.id),
    index('gaps_of_store').on(table.storeId, table.id).where(sql`store_id is not null`),
    index('gaps_of_day').on(table.day, table.id).where(sql`day is not null`),
    index('gaps_of_destination').on(table.destination, table.id).where(sql`destination is not null`),
  ],
)

export const covered = pgTable(
  'covered',
  {
    road: text({ enum: ROADS }).notNull(),
    scope: text().notNull(),
    from: long('from_at').notNull(),
    to: long('to_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.road, table.scope, table.from] })],
)

export const watermarks = pgTable(
  'watermarks',
  {
    level: text({ enum: LEVELS }).notNull(),
    kind: text().notNull(),
    /** Empty: every store without a row of its own. */
    storeId: text('store_id').notNull(),
    from: long('from_at').notNull(),
    until: long('until_at').notNull(),
    since: long().notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.kind, table.storeId] })],
)
