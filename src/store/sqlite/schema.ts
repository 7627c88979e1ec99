// Long because every table stands here, once.
import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { FindingSort } from '../../domain/catalogue/finding.ts'
import type { MirrorSet } from '../../domain/catalogue/mirror.ts'
import { type Cause, ROADS } from '../../domain/ledger/causes.ts'
import { GAP_STATES } from '../../domain/ledger/gap.ts'
import { LEVELS } from '../../domain/ledger/watermark.ts'

/** One row an event; narrow, so that lists and counts stay quick however large the payloads are. */
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
    /** A person has seen that nothing is to be done about it: when, who, and why. */
    dismissedAt: integer('dismissed_at'),
    dismissedBy: text('dismissed_by'),
    dismissedBecause: text('dismissed_because'),
  },
  (table) => [
    index('events_of_reused_keys').on(table.receivedAt, table.sameKeyAs).where(sql`same_key_as is not null`),
    // Events that nobody has dismissed: the index does not grow with those that people have done with.
    index('events_to_look_at')
      .on(table.state, table.id)
      .where(sql`(state <> 'routed' or conflict_with is not null) and dismissed_at is null`),
    // Among many that nobody wants, those few are counted.
    index('events_in_conflict').on(table.state).where(sql`conflict_with is not null and dismissed_at is null`),
    // The same kind by kind: those of one may be few among many that nobody wants.
    index('events_of_kind_to_look_at')
      .on(table.kind, table.state, table.id)
      .where(sql`(state <> 'routed' or conflict_with is not null) and dismissed_at is null`),
    index('events_of_submission').on(table.submission, table.line).where(sql`submission is not null`),
    // Orders alone: sales are many, and nobody asks for theirs.
    index('events_of_order').on(table.entity).where(sql`entity glob 'order:*'`),
  ],
)

/** One row a request of an own system; its lines are events. */
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

/** The bodies that arrived, byte for byte; apart from events, because they are large and go first. */
export const payloads = sqliteTable('payloads', {
  eventId: integer('event_id').primaryKey(),
  headers: text().notNull(),
  body: blob({ mode: 'buffer' }).notNull(),
})

/**
 * Payloads that are not new any more, many of one kind together (payloads/block.ts). Of one kind no two overlap, and a row of
 * `payloads` counts before the block that has the event too. A block never changes: another one takes its place.
 */
export const payloadBlocks = sqliteTable(
  'payload_blocks',
  {
    // No id comes again: whoever has read a block knows by its id that it is still the same.
    id: integer().primaryKey({ autoIncrement: true }),
    kind: text().notNull(),
    firstEvent: integer('first_event').notNull(),
    lastEvent: integer('last_event').notNull(),
    /** How many payloads it has, and their bytes before they were compressed. */
    payloads: integer().notNull(),
    size: integer().notNull(),
    body: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [uniqueIndex('payload_blocks_of_kind').on(table.kind, table.firstEvent)],
)

/** The memory of everything seen: hashes of transport keys, identities, bytes, once-effects and proven facts. It outlives the payloads. */
export const keys = sqliteTable('keys', {
  key: blob({ mode: 'buffer' }).primaryKey(),
  eventId: integer('event_id').notNull(),
})

/** Events that are not here any more, as far as a copy of one must be known (store/retention/gone.ts); they go after their keys. */
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

/** Events that stay until somebody lets them go. */
export const legalHolds = sqliteTable('legal_holds', {
  eventId: integer('event_id').primaryKey(),
  at: integer().notNull(),
  by: text().notNull(),
  reason: text().notNull(),
})

/** One row: the keys of events up to this one are in their table; those of later ones are told by their rows. */
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
    /** The person who let it go when it was held for what it says, and why (JSON). */
    released: text(),
    /** How often it was in flight when the process died or stalled, without an outcome since. */
    crashes: integer().notNull().default(0),
    /** The delivery lets the others of its lane go first: a person tried many again, or planned many events again. */
    yields: integer({ mode: 'boolean' }).notNull().default(false),
    /** The first try, where that one delivered it: how long it took (milliseconds), and its note. It has no row of `attempts` then. */
    tookMs: integer('took_ms'),
    tookNote: text('took_note'),
  },
  (table) => [
    uniqueIndex('deliveries_of_event').on(table.eventId, table.flow, table.part, table.destination),
    // Deliveries not settled well, lane by lane in the order of events: the queues are filled from it, status counts on it.
    index('deliveries_unsettled')
      .on(table.destination, table.urgency, table.eventId, table.id, table.state)
      .where(sql`state in ('waiting', 'claimed', 'held', 'dead')`),
    // Older ones that a newer one supersedes.
    index('deliveries_latest_wins')
      .on(table.destination, table.entity, table.flow)
      .where(sql`latest_wins = 1 and state in ('waiting', 'dead', 'skipped')`),
    // Deliveries that a proven fact may settle, and whether another has brought the same about.
    index('deliveries_of_effect').on(table.effect).where(sql`effect is not null`),
    index('deliveries_of_order').on(table.entity).where(sql`entity glob 'order:*'`),
    // Deliveries that a person has skipped, and may try again.
    index('deliveries_skipped').on(table.id).where(sql`state = 'skipped'`),
    // Deliveries that are late, flow by flow: only what must happen once has a clock.
    index('deliveries_once_unsettled')
      .on(table.flow, table.id)
      .where(sql`once = 1 and state in ('waiting', 'claimed', 'held', 'dead')`),
  ],
)

/**
 * Deliveries that went well at once, long ago (past/past-delivery.ts): what is their own, and nothing that others say in the same
 * words. The view `all_deliveries` reads them together with `deliveries`.
 */
export const pastDeliveries = sqliteTable(
  'past_deliveries',
  {
    id: integer().primaryKey(),
    eventId: integer('event_id').notNull(),
    shape: integer().notNull(),
    triedAt: integer('tried_at').notNull(),
    /** Milliseconds after that. */
    settledAfter: integer('settled_after').notNull(),
    tookMs: integer('took_ms').notNull(),
    /** A note that no other delivery has in the same words. */
    note: text(),
  },
  (table) => [index('past_deliveries_of_event').on(table.eventId)],
)

/** The words that deliveries of the past have in common: a row for all of one flow to one destination. */
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
    /** They are about what their events are about; else about nothing. */
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

/** The deliveries that are in flight: those that are here at a start were in flight when the process died. */
export const inFlight = sqliteTable('in_flight', { deliveryId: integer('delivery_id').primaryKey() })

/** The state that a destination acknowledged last, by subject: the same again need not be sent, and an older one must not. */
export const acknowledged = sqliteTable(
  'acknowledged',
  {
    destination: text().notNull(),
    flow: text().notNull(),
    subject: text().notNull(),
    // Null: nobody knows what it has by now.
    digest: text(),
    version: integer(),
  },
  (table) => [primaryKey({ columns: [table.destination, table.flow, table.subject] })],
)

/** One row a try. */
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

/** Two ids known to be the same thing. */
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
    // With the id, so that a question is answered from it alone: else SQLite reads all links of a destination and a kind instead.
    index('links_back').on(table.destination, table.kind, table.theirId, table.id),
    index('links_of_id').on(table.id),
  ],
)

/** Lanes that somebody paused. */
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

/** The acts of people, also those that they were refused: one row an act, however much it touched. */
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
    /** Why it was refused. */
    refused: text(),
  },
  (table) => [
    index('audit_at').on(table.at),
    index('audit_of_person').on(table.by, table.at),
    index('audit_of_action').on(table.action, table.at),
  ],
)

/** The deliveries that an act touched. */
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

/** The events that an act touched, or made. */
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

/**
 * The keys that events can be found by: hashes under the secret of `search_index`, because some are of people. Events lie
 * together by 4,096, so that the keys of new ones, which are random, share few pages.
 */
export const searchKeys = sqliteTable(
  'search_keys',
  {
    segment: integer().notNull(),
    key: blob({ mode: 'buffer' }).notNull(),
    eventId: integer('event_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.segment, table.key, table.eventId] })],
)

/** The keys of whole volumes of events, by their first twelve bits (searching/search-block.ts): they are in `search_keys` no more. */
export const searchBlocks = sqliteTable('search_blocks', {
  place: integer().primaryKey(),
  body: blob({ mode: 'buffer' }).notNull(),
})

/** One row: events up to this one are in `search_keys`. */
export const searchIndex = sqliteTable('search_index', {
  secret: blob({ mode: 'buffer' }).notNull(),
  upTo: integer('up_to').notNull(),
})

/** The memory of a job that lasts through restarts. */
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
  /** The fence of its last run; each has the next number. */
  fence: integer(),
})

/** One row a run of a job; old ones go. */
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

/** Keys of own systems, the revoked ones too. */
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

/** The platform's stores, as they were last seen there. */
export const stores = sqliteTable('stores', {
  storeId: text('store_id').primaryKey(),
  number: text(),
  name: text(),
  stockId: text('stock_id'),
  countryCode: text('country_code'),
  currency: text(),
  zone: text(),
  goneAt: integer('gone_at'),
  /** What it was called before, and where its goods were: a JSON list, the oldest first; null: nothing else is known. */
  former: text(),
})

/** Operations of the platform that no document shows, and what came of their use. */
export const endpointUses = sqliteTable('endpoint_uses', {
  operation: text().primaryKey(),
  address: text().notNull(),
  firstAt: integer('first_at').notNull(),
  first: text().notNull(),
  came: text().notNull(),
  since: integer().notNull(),
})

/** The customer directory: one row a person, as far as that can be told. */
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

/** One row: how many customers there are. To count a million takes too long. */
export const customerCount = sqliteTable('customer_count', {
  n: integer().notNull(),
})

/** The questions of tills about orders; `found` and `missing` are lists of sources (JSON). */
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

/** The hub's own copy of what the platform knows. */
export const mirror = sqliteTable(
  'mirror',
  {
    // No id comes again: pages go on after one, and its row may be gone by then.
    id: integer().primaryKey({ autoIncrement: true }),
    set: text('set_name').$type<MirrorSet>().notNull(),
    key: text().notNull(),
    place: text(),
    article: text(),
    day: text().notNull(),
    part: text(),
    version: integer().notNull(),
    tie: integer().notNull(),
    /** JSON. */
    body: text().notNull(),
    savedAt: integer('saved_at').notNull(),
  },
  (table) => [
    uniqueIndex('mirror_by_key').on(table.set, table.key),
    // Pages are ranges of these: behind its columns, each entry has its row's id. Of two that fit, the later one is used.
    index('mirror_of_day').on(table.set, table.day),
    index('mirror_of_place').on(table.set, table.place, table.day).where(sql`place is not null`),
    index('mirror_of_article').on(table.set, table.article, table.day).where(sql`article is not null`),
    index('mirror_of_part').on(table.set, table.part).where(sql`part is not null`),
  ],
)

/** The findings of jobs (domain/catalogue/finding.ts). */
export const findings = sqliteTable(
  'findings',
  {
    // No id comes again: pages go on after one, and its row may be gone by then.
    id: integer().primaryKey({ autoIncrement: true }),
    sort: text().$type<FindingSort>().notNull(),
    key: text().notNull(),
    topic: text(),
    day: text().notNull(),
    version: integer().notNull(),
    /** JSON. */
    body: text().notNull(),
  },
  (table) => [
    uniqueIndex('findings_by_key').on(table.sort, table.key),
    index('findings_of_day').on(table.sort, table.day),
    index('findings_of_topic').on(table.sort, table.topic, table.day).where(sql`topic is not null`),
  ],
)

/** What is not proven to be here (domain/ledger/gap.ts). */
export const gaps = sqliteTable(
  'gaps',
  {
    // No id comes again: pages go on after one.
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
    /** JSON: its subject, evidence and end. */
    body: text().notNull(),
  },
  (table) => [
    uniqueIndex('gaps_by_key').on(table.key),
    // Open ones are few, or should be.
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

/** The stretches of time that were looked through, merged: of one scope, none touches another. */
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

/** Up to where nothing is missing (domain/ledger/watermark.ts). */
export const watermarks = sqliteTable(
  'watermarks',
  {
    level: text({ enum: LEVELS }).notNull(),
    kind: text().notNull(),
    /** Empty: of every store that has no row of its own. */
    storeId: text('store_id').notNull(),
    from: integer('from_at').notNull(),
    until: integer('until_at').notNull(),
    since: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.kind, table.storeId] })],
)
