// Long because every table stands here, once.
import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { FindingSort } from '../../domain/catalogue/finding.ts'
import type { MirrorSet } from '../../domain/catalogue/mirror.ts'
import { type Cause, ROADS } from '../../domain/ledger/causes.ts'
import { GAP_STATES } from '../../domain/ledger/gap.ts'
import { LEVELS } from '../../domain/ledger/watermark.ts'

/** Narrow: lists and counts stay fast whatever the payloads' size. */
export const events = sqliteTable(
  'events',
  {
    id: integer().primaryKey(),
    kind: text().notNull(),
    origin: text().notNull(),
    subscription: text(),
    state: text({ enum: ['routed', 'unrouted', 'quarantined'] }).notNull(),
    conflictWith: integer('conflict_with'),
    receivedAt: integer('received_at').notNull(),
    transportKey: text('transport_key'),
    identity: text(),
    revision: integer().notNull(),
    entity: text(),
    facts: text(),
    problem: text(),
    size: integer().notNull(),
    bodyHash: text('body_hash').notNull(),
    submission: integer(),
    line: integer(),
    sameKeyAs: integer('same_key_as'),
    /** By an operator. */
    dismissedAt: integer('dismissed_at'),
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
    // Orders alone: nobody asks for the events of a sale.
    index('events_of_order').on(table.entity).where(sql`entity glob 'order:*'`),
  ],
)

/** A request of an own system; its lines are events. */
export const submissions = sqliteTable(
  'submissions',
  {
    id: integer().primaryKey(),
    system: text().notNull(),
    resource: text().notNull(),
    key: text().notNull(),
    receivedAt: integer('received_at').notNull(),
    end: text(),
  },
  (table) => [uniqueIndex('submissions_by_key').on(table.system, table.resource, table.key)],
)

/** Byte for byte; apart from events because they are large and deleted first. */
export const payloads = sqliteTable('payloads', {
  eventId: integer('event_id').primaryKey(),
  headers: text().notNull(),
  body: blob({ mode: 'buffer' }).notNull(),
})

/**
 * Older payloads of one kind, compressed together (payloads/block.ts). Blocks of a kind never overlap and never
 * change; a row of `payloads` counts before its block.
 */
export const payloadBlocks = sqliteTable(
  'payload_blocks',
  {
    // No id recurs: caches rely on it.
    id: integer().primaryKey({ autoIncrement: true }),
    kind: text().notNull(),
    firstEvent: integer('first_event').notNull(),
    lastEvent: integer('last_event').notNull(),
    /** Uncompressed bytes. */
    payloads: integer().notNull(),
    size: integer().notNull(),
    body: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [uniqueIndex('payload_blocks_of_kind').on(table.kind, table.firstEvent)],
)

/** Hashes of transport keys, identities, bytes, once-effects and proven facts; outlives payloads. */
export const keys = sqliteTable('keys', {
  key: blob({ mode: 'buffer' }).primaryKey(),
  eventId: integer('event_id').notNull(),
})

/** What deduplication needs of deleted events (retention/gone.ts); deleted after their keys. */
export const goneEvents = sqliteTable('gone_events', {
  id: integer().primaryKey(),
  told: blob({ mode: 'buffer' }).notNull(),
  bodyHash: blob('body_hash', { mode: 'buffer' }).notNull(),
  revision: integer().notNull(),
  receivedAt: integer('received_at').notNull(),
  hasKey: integer('has_key', { mode: 'boolean' }).notNull(),
  quarantined: integer({ mode: 'boolean' }).notNull(),
  conflictWith: integer('conflict_with'),
  submission: integer(),
})

export const legalHolds = sqliteTable('legal_holds', {
  eventId: integer('event_id').primaryKey(),
  at: integer().notNull(),
  by: text().notNull(),
  reason: text().notNull(),
})

/** One row: keys of later events are only in their rows. */
export const keysMerged = sqliteTable('keys_merged', {
  upTo: integer('up_to').notNull(),
})

export const deliveries = sqliteTable(
  'deliveries',
  {
    id: integer().primaryKey(),
    eventId: integer('event_id').notNull(),
    flow: text().notNull(),
    part: text().notNull(),
    destination: text().notNull(),
    urgency: text({ enum: ['prompt', 'bulk'] }).notNull(),
    entity: text(),
    batch: text(),
    once: integer({ mode: 'boolean' }).notNull(),
    state: text({
      enum: ['waiting', 'claimed', 'held', 'delivered', 'dead', 'skipped', 'superseded'],
    }).notNull(),
    dueAt: integer('due_at').notNull(),
    open: integer({ mode: 'boolean' }).notNull().default(false),
    tries: integer().notNull().default(0),
    finds: integer().notNull().default(0),
    firstTriedAt: integer('first_tried_at'),
    failingSince: integer('failing_since'),
    settledAt: integer('settled_at'),
    code: text(),
    why: text(),
    latestWins: integer('latest_wins', { mode: 'boolean' }).notNull().default(false),
    digest: text(),
    force: integer({ mode: 'boolean' }).notNull().default(false),
    subject: text(),
    version: integer(),
    effect: text(),
    unless: text(),
    /** JSON of `Released`. */
    released: text(),
    /** Times in flight at a process death, without an outcome since. */
    crashes: integer().notNull().default(0),
    /** Low priority. */
    yields: integer({ mode: 'boolean' }).notNull().default(false),
    /** A first try that delivered (ms, note): it has no row of `attempts`. */
    tookMs: integer('took_ms'),
    tookNote: text('took_note'),
  },
  (table) => [
    uniqueIndex('deliveries_of_event').on(table.eventId, table.flow, table.part, table.destination),
    // Lane by lane in event order: fills the queues, counts status.
    index('deliveries_unsettled')
      .on(table.destination, table.urgency, table.eventId, table.id, table.state)
      .where(sql`state in ('waiting', 'claimed', 'held', 'dead')`),
    index('deliveries_latest_wins')
      .on(table.destination, table.entity, table.flow)
      .where(sql`latest_wins = 1 and state in ('waiting', 'dead', 'skipped')`),
    index('deliveries_of_effect').on(table.effect).where(sql`effect is not null`),
    index('deliveries_of_order').on(table.entity).where(sql`entity glob 'order:*'`),
    index('deliveries_skipped').on(table.id).where(sql`state = 'skipped'`),
    // Only `once` has a deadline.
    index('deliveries_once_unsettled')
      .on(table.flow, table.id)
      .where(sql`once = 1 and state in ('waiting', 'claimed', 'held', 'dead')`),
  ],
)

/** Archived successes (past/past-delivery.ts); the view `all_deliveries` unites them with `deliveries`. */
export const pastDeliveries = sqliteTable(
  'past_deliveries',
  {
    id: integer().primaryKey(),
    eventId: integer('event_id').notNull(),
    shape: integer().notNull(),
    triedAt: integer('tried_at').notNull(),
    /** Milliseconds after `triedAt`. */
    settledAfter: integer('settled_after').notNull(),
    tookMs: integer('took_ms').notNull(),
    /** Null: the note is in the shape. */
    note: text(),
  },
  (table) => [index('past_deliveries_of_event').on(table.eventId)],
)

/** What archived deliveries have in common. */
export const deliveryShapes = sqliteTable(
  'delivery_shapes',
  {
    id: integer().primaryKey(),
    flow: text().notNull(),
    part: text().notNull(),
    destination: text().notNull(),
    urgency: text({ enum: ['prompt', 'bulk'] }).notNull(),
    once: integer({ mode: 'boolean' }).notNull(),
    yields: integer({ mode: 'boolean' }).notNull(),
    /** The event's entity; else none. */
    hasEntity: integer('has_entity', { mode: 'boolean' }).notNull(),
    tries: integer().notNull(),
    code: text().notNull(),
    /** Empty: none, or each its own. */
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

/** Rows at start were in flight when the process died. */
export const inFlight = sqliteTable('in_flight', { deliveryId: integer('delivery_id').primaryKey() })

/** By subject: the same state need not be sent, an older one must not. */
export const acknowledged = sqliteTable(
  'acknowledged',
  {
    destination: text().notNull(),
    flow: text().notNull(),
    subject: text().notNull(),
    // Null: unknown.
    digest: text(),
    version: integer(),
  },
  (table) => [primaryKey({ columns: [table.destination, table.flow, table.subject] })],
)

export const attempts = sqliteTable(
  'attempts',
  {
    deliveryId: integer('delivery_id').notNull(),
    at: integer().notNull(),
    ms: integer().notNull(),
    outcome: text().notNull(),
    code: text().notNull(),
    note: text(),
  },
  (table) => [index('attempts_of_delivery').on(table.deliveryId)],
)

/** Two ids of the same thing. */
export const links = sqliteTable(
  'links',
  {
    destination: text().notNull(),
    kind: text().notNull(),
    id: text().notNull(),
    theirId: text('their_id').notNull(),
    isLevel: integer('is_level', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.destination, table.kind, table.id, table.theirId] }),
    index('links_of_levels').on(table.destination).where(sql`is_level = 1`),
    // Covering: else SQLite reads all links of a destination and kind.
    index('links_back').on(table.destination, table.kind, table.theirId, table.id),
    index('links_of_id').on(table.id),
  ],
)

export const pauses = sqliteTable(
  'pauses',
  {
    destination: text().notNull(),
    urgency: text({ enum: ['prompt', 'bulk'] }).notNull(),
    until: integer(),
    why: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.destination, table.urgency] })],
)

/** One row per operator action, also refused ones. */
export const audit = sqliteTable(
  'audit',
  {
    id: integer().primaryKey(),
    at: integer().notNull(),
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

export const auditDeliveries = sqliteTable(
  'audit_deliveries',
  {
    deliveryId: integer('delivery_id').notNull(),
    auditId: integer('audit_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.deliveryId, table.auditId] }),
    index('audit_deliveries_of_act').on(table.auditId, table.deliveryId),
  ],
)

export const auditEvents = sqliteTable(
  'audit_events',
  {
    eventId: integer('event_id').notNull(),
    auditId: integer('audit_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.eventId, table.auditId] }),
    index('audit_events_of_act').on(table.auditId, table.eventId),
  ],
)

/** Hashes under the secret of `search_index`; segments of 4,096 events let random keys share pages. */
export const searchKeys = sqliteTable(
  'search_keys',
  {
    segment: integer().notNull(),
    key: blob({ mode: 'buffer' }).notNull(),
    eventId: integer('event_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.segment, table.key, table.eventId] })],
)

/** Packed keys of whole volumes, by their first twelve bits (searching/search-block.ts). */
export const searchBlocks = sqliteTable('search_blocks', {
  place: integer().primaryKey(),
  body: blob({ mode: 'buffer' }).notNull(),
})

/** One row: indexed up to this event. */
export const searchIndex = sqliteTable('search_index', {
  secret: blob({ mode: 'buffer' }).notNull(),
  upTo: integer('up_to').notNull(),
})

export const jobs = sqliteTable('jobs', {
  name: text().primaryKey(),
  state: text(),
  startedAt: integer('started_at').notNull(),
  succeededAt: integer('succeeded_at'),
  failedAt: integer('failed_at'),
  problem: text(),
  note: text(),
  failures: integer().notNull(),
  underWay: integer('under_way', { mode: 'boolean' }).notNull(),
  leaseUntil: integer('lease_until'),
  /** Counts up with each run. */
  fence: integer(),
})

export const jobRuns = sqliteTable(
  'job_runs',
  {
    id: integer().primaryKey(),
    job: text().notNull(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
    problem: text(),
    note: text(),
  },
  (table) => [index('job_runs_of_job').on(table.job, table.id)],
)

export const apiKeys = sqliteTable('api_keys', {
  id: text().primaryKey(),
  system: text().notNull(),
  scopes: text().notNull(),
  secretHash: text('secret_hash').notNull(),
  createdAt: integer('created_at').notNull(),
  createdBy: text('created_by').notNull(),
  lastUsedAt: integer('last_used_at'),
  revokedAt: integer('revoked_at'),
})

export const stores = sqliteTable('stores', {
  storeId: text('store_id').primaryKey(),
  number: text(),
  name: text(),
  stockId: text('stock_id'),
  countryCode: text('country_code'),
  currency: text(),
  zone: text(),
  goneAt: integer('gone_at'),
  /** Former numbers and stocks, JSON, oldest first. */
  former: text(),
})

/** Undocumented operations of the platform. */
export const endpointUses = sqliteTable('endpoint_uses', {
  operation: text().primaryKey(),
  address: text().notNull(),
  firstAt: integer('first_at').notNull(),
  first: text().notNull(),
  came: text().notNull(),
  since: integer().notNull(),
})

/** One row per person, as far as known. */
export const customers = sqliteTable(
  'customers',
  {
    id: integer().primaryKey(),
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
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('customers_by_customer_id').on(table.customerId).where(sql`customer_id is not null`),
    index('customers_by_ext_id').on(table.extId).where(sql`ext_id is not null`),
    index('customers_by_email').on(table.email).where(sql`email is not null`),
    index('customers_by_phone').on(table.phone).where(sql`phone is not null`),
  ],
)

/** One row: counting a million takes too long. */
export const customerCount = sqliteTable('customer_count', {
  n: integer().notNull(),
})

/** `found` and `missing`: JSON lists of sources. */
export const lookups = sqliteTable(
  'lookups',
  {
    id: integer().primaryKey(),
    at: integer().notNull(),
    number: text().notNull(),
    found: text().notNull(),
    missing: text().notNull(),
    ms: integer().notNull(),
  },
  (table) => [index('lookups_of_number').on(table.number)],
)

export const mirror = sqliteTable(
  'mirror',
  {
    // No id recurs: pages continue after one that may be deleted.
    id: integer().primaryKey({ autoIncrement: true }),
    set: text('set_name').$type<MirrorSet>().notNull(),
    key: text().notNull(),
    place: text(),
    article: text(),
    day: text().notNull(),
    part: text(),
    version: integer().notNull(),
    tie: integer().notNull(),
    body: text().notNull(),
    savedAt: integer('saved_at').notNull(),
  },
  (table) => [
    uniqueIndex('mirror_by_key').on(table.set, table.key),
    // Pages are ranges of these; entries end in the row's id. SQLite takes the later of two that fit.
    index('mirror_of_day').on(table.set, table.day),
    index('mirror_of_place').on(table.set, table.place, table.day).where(sql`place is not null`),
    index('mirror_of_article').on(table.set, table.article, table.day).where(sql`article is not null`),
    index('mirror_of_part').on(table.set, table.part).where(sql`part is not null`),
  ],
)

export const findings = sqliteTable(
  'findings',
  {
    // No id recurs: pages continue after one that may be deleted.
    id: integer().primaryKey({ autoIncrement: true }),
    sort: text().$type<FindingSort>().notNull(),
    key: text().notNull(),
    topic: text(),
    day: text().notNull(),
    version: integer().notNull(),
    body: text().notNull(),
  },
  (table) => [
    uniqueIndex('findings_by_key').on(table.sort, table.key),
    index('findings_of_day').on(table.sort, table.day),
    index('findings_of_topic').on(table.sort, table.topic, table.day).where(sql`topic is not null`),
  ],
)

/** Missing or unproven data (domain/ledger/gap.ts). */
export const gaps = sqliteTable(
  'gaps',
  {
    // No id recurs: pages continue after one.
    id: integer().primaryKey({ autoIncrement: true }),
    key: text().notNull(),
    road: text({ enum: ROADS }).notNull(),
    cause: text().$type<Cause>().notNull(),
    kind: text(),
    storeId: text('store_id'),
    destination: text(),
    day: text(),
    at: integer().notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    state: text({ enum: GAP_STATES }).notNull(),
    /** JSON: subject, evidence, end. */
    body: text().notNull(),
  },
  (table) => [
    uniqueIndex('gaps_by_key').on(table.key),
    index('gaps_open')
      .on(table.road, table.kind, table.storeId, table.destination, table.at)
      .where(sql`state = 'open'`),
    index('gaps_of_state').on(table.state),
    index('gaps_of_cause').on(table.cause, table.firstSeenAt),
    index('gaps_of_kind').on(table.kind),
    index('gaps_of_store').on(table.storeId).where(sql`store_id is not null`),
    index('gaps_of_day').on(table.day).where(sql`day is not null`),
    index('gaps_of_destination').on(table.destination).where(sql`destination is not null`),
  ],
)

/** Scanned time, merged: ranges of a scope never touch. */
export const covered = sqliteTable(
  'covered',
  {
    road: text({ enum: ROADS }).notNull(),
    scope: text().notNull(),
    from: integer('from_at').notNull(),
    to: integer('to_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.road, table.scope, table.from] })],
)

export const watermarks = sqliteTable(
  'watermarks',
  {
    level: text({ enum: LEVELS }).notNull(),
    kind: text().notNull(),
    /** Empty: every store without a row of its own. */
    storeId: text('store_id').notNull(),
    from: integer('from_at').notNull(),
    until: integer('until_at').notNull(),
    since: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.kind, table.storeId] })],
)
