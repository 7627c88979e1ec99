import { sql } from 'drizzle-orm'
import type { FindingSort } from '../domain/catalogue/finding.ts'
import type { MirrorSet } from '../domain/catalogue/mirror.ts'
import { LEVELS } from '../domain/completeness/completeness.ts'
import { type Cause, GAP_STATES, RECONCILIATION_SOURCES } from '../domain/completeness/gap.ts'
import { ROLES } from '../domain/role.ts'
import type { SchemaKit } from './sqlite/schema-kit.ts'

/** The tables of both engines, typed as SQLite's; each engine adds its own. Instants are milliseconds since 1970. */
export function createSchema(kit: SchemaKit) {
  const { table, index, partialIndex, uniqueIndex, primaryKey, text, int, long, flag, bytes, hash, ids, monotonicIds } =
    kit
  const { isTrue, isOfOrder, isUndone, byPrefix, behind, covering } = kit
  const { levelFlag, attemptId, deliveryColumns, deliveryIndexes } = kit
  const toLookAt = sql`(state <> 'routed' or conflict_with is not null) and dismissed_at is null`

  return {
    /** Narrow: lists and counts stay fast whatever the payloads' size. */
    events: table(
      'events',
      {
        id: long().primaryKey(),
        kind: text().notNull(),
        origin: text().notNull(),
        subscription: text(),
        state: text({ enum: ['routed', 'unrouted', 'quarantined'] }).notNull(),
        /** The event that has the same identity and says otherwise. */
        conflictWith: long('conflict_with'),
        receivedAt: long('received_at').notNull(),
        /** The idempotency key that it came with. */
        transportKey: text('transport_key'),
        /** The business key; with a revision where newer states of the same thing follow. */
        identity: text(),
        revision: long().notNull(),
        /** The ordering key: what has the same one goes out in order. */
        entity: text(),
        /** Amount, time and store, by which two of one identity are compared. */
        facts: text(),
        problem: text(),
        size: int().notNull(),
        bodyHash: text('body_hash').notNull(),
        submission: long(),
        line: int(),
        /** An earlier event with its idempotency key and other content. */
        sameKeyAs: long('same_key_as'),
        dismissedAt: long('dismissed_at'),
        dismissedBy: text('dismissed_by'),
        dismissedBecause: text('dismissed_because'),
      },
      ({ receivedAt, sameKeyAs, state, id, kind, conflictWith, dismissedAt, submission, line, entity }) => [
        partialIndex('events_of_reused_keys', sql`same_key_as is not null`, receivedAt, sameKeyAs),
        partialIndex('events_to_look_at', toLookAt, state, id),
        partialIndex('events_in_conflict', sql`conflict_with is not null and dismissed_at is null`, state),
        // The last two: counted by cause without a look at the rows.
        partialIndex('events_of_kind_to_look_at', toLookAt, kind, state, id, conflictWith, dismissedAt),
        partialIndex('events_of_submission', sql`submission is not null`, submission, line),
        // Orders alone: the events of a sale are not asked for.
        partialIndex('events_of_order', isOfOrder, entity),
      ],
    ),

    submissions: table(
      'submissions',
      {
        id: ids(),
        system: text().notNull(),
        resource: text().notNull(),
        key: text().notNull(),
        receivedAt: long('received_at').notNull(),
        end: text(),
      },
      ({ system, resource, key }) => [uniqueIndex('submissions_by_key').on(system, resource, key)],
    ),

    /** Byte for byte; separate from events because they are large and deleted first. */
    payloads: table('payloads', {
      eventId: long('event_id').primaryKey(),
      headers: text().notNull(),
      body: bytes().notNull(),
      /** Null: as they came. Else headers and body are in `body`, compressed against it (payload.ts). */
      dictionary: int(),
    }),

    keys: table('keys', {
      key: hash().primaryKey(),
      eventId: long('event_id').notNull(),
    }),

    /** What deduplication needs of deleted events (tables/gone-events.ts); deleted after their keys. */
    goneEvents: table('gone_events', {
      id: long().primaryKey(),
      digest: bytes().notNull(),
      bodyHash: bytes('body_hash').notNull(),
      revision: long().notNull(),
      receivedAt: long('received_at').notNull(),
      hasKey: flag('has_key').notNull(),
      quarantined: flag().notNull(),
      conflictWith: long('conflict_with'),
      submission: long(),
    }),

    legalHolds: table('legal_holds', {
      eventId: long('event_id').primaryKey(),
      at: long().notNull(),
      by: text().notNull(),
      reason: text().notNull(),
    }),

    deliveries: table(
      'deliveries',
      {
        id: ids(),
        eventId: long('event_id').notNull(),
        flow: text().notNull(),
        part: text().notNull(),
        destination: text().notNull(),
        urgency: text({ enum: ['prompt', 'bulk'] }).notNull(),
        entity: text(),
        batch: text(),
        once: flag().notNull(),
        state: text({
          enum: ['waiting', 'claimed', 'held', 'delivered', 'dead', 'skipped', 'superseded'],
        }).notNull(),
        dueAt: long('due_at').notNull(),
        open: flag().notNull().default(false),
        tries: int().notNull().default(0),
        finds: int().notNull().default(0),
        firstTriedAt: long('first_tried_at'),
        failingSince: long('failing_since'),
        settledAt: long('settled_at'),
        code: text(),
        why: text(),
        latestWins: flag('latest_wins').notNull().default(false),
        digest: text(),
        force: flag().notNull().default(false),
        subject: text(),
        version: long(),
        effect: text(),
        /** Digest of what it says, where others may have its effect. */
        said: text(),
        unless: text(),
        released: text(),
        crashes: int().notNull().default(0),
        yields: flag().notNull().default(false),
        ...deliveryColumns(),
        /** A first try that delivered (ms, note): it has no row of `attempts`. */
        tookMs: int('took_ms'),
        tookNote: text('took_note'),
      },
      (table) => [
        uniqueIndex('deliveries_of_event').on(table.eventId, table.flow, table.part, table.destination),
        // Queue by queue in event order: fills the queues, counts status.
        ...deliveryIndexes(table, sql`state in ('waiting', 'claimed', 'held', 'dead')`),
        // By queue and cause: counted without a look at the rows.
        partialIndex(
          'deliveries_failed',
          sql`state in ('held', 'dead')`,
          ...[table.destination, table.urgency, table.state, table.open, table.code, table.eventId],
          ...behind(table.id),
        ),
        partialIndex('deliveries_latest_wins', isUndone, table.destination, table.entity, table.flow),
        partialIndex('deliveries_of_effect', sql`effect is not null`, byPrefix(table.effect)),
        partialIndex('deliveries_of_order', isOfOrder, table.entity),
        partialIndex('deliveries_skipped', sql`state = 'skipped'`, table.id),
        partialIndex(
          'deliveries_once_unsettled',
          sql`${isTrue('once')} and state in ('waiting', 'claimed', 'held', 'dead')`,
          table.flow,
          table.id,
        ),
      ],
    ),

    /** By subject: the same state need not be sent, an older one must not. */
    acknowledged: table(
      'acknowledged',
      {
        destination: text().notNull(),
        flow: text().notNull(),
        subject: text().notNull(),
        digest: text(),
        version: long(),
      },
      ({ destination, flow, subject }) => [primaryKey({ columns: [destination, flow, subject] })],
    ),

    attempts: table(
      'attempts',
      {
        ...attemptId(),
        deliveryId: long('delivery_id').notNull(),
        at: long().notNull(),
        ms: int().notNull(),
        outcome: text().notNull(),
        code: text().notNull(),
        note: text(),
      },
      ({ deliveryId }) => [index('attempts_of_delivery').on(deliveryId)],
    ),

    links: table(
      'links',
      {
        destination: text().notNull(),
        kind: text().notNull(),
        id: text().notNull(),
        theirId: text('their_id').notNull(),
        isLevel: levelFlag(),
      },
      ({ destination, kind, id, theirId }) => [
        primaryKey({ columns: [destination, kind, id, theirId] }),
        partialIndex('links_of_levels', isTrue('is_level'), destination),
        index('links_back').on(destination, kind, theirId, ...covering(id)),
        index('links_of_id').on(byPrefix(id)),
      ],
    ),

    pauses: table(
      'pauses',
      {
        destination: text().notNull(),
        urgency: text({ enum: ['prompt', 'bulk'] }).notNull(),
        until: long(),
        why: text().notNull(),
      },
      ({ destination, urgency }) => [primaryKey({ columns: [destination, urgency] })],
    ),

    audit: table(
      'audit',
      {
        id: ids(),
        at: long().notNull(),
        by: text().notNull(),
        action: text().notNull(),
        reason: text(),
        selection: text().notNull(),
        changed: int().notNull(),
        refused: text(),
        role: text(),
        address: text(),
        /** Digest of its words as they were written; an erasure may take persons out of them. */
        words: text().notNull(),
        /** Digest of the entry and of the one before it (audit-chain.ts). */
        hash: text().notNull(),
      },
      ({ at, by, action }) => [
        index('audit_at').on(at),
        index('audit_of_person').on(by, at),
        index('audit_of_action').on(action, at),
      ],
    ),

    /** One row: what the entries hang on, as retention drops the oldest, and the last one. */
    auditChain: table('audit_chain', {
      id: int().primaryKey(),
      anchor: text().notNull(),
      head: text().notNull(),
    }),

    /** Acts of a person on all that a filter finds, done in slices; `act`: their entry of the audit, which says what and why. */
    bulkActs: table(
      'bulk_acts',
      {
        act: long('act').primaryKey(),
        matched: int().notNull(),
        /** The last id that was looked at. */
        after: long('after').notNull(),
        endedAt: long('ended_at'),
        outcome: text({ enum: ['done', 'cancelled', 'failed'] }),
        problem: text(),
      },
      ({ act }) => [index('bulk_acts_running').on(act).where(sql`ended_at is null`)],
    ),

    consoleUsers: table(
      'console_users',
      {
        name: text().primaryKey(),
        role: text({ enum: ROLES }).notNull(),
        /** Empty: none. */
        password: text().notNull(),
        createdAt: long('created_at').notNull(),
        createdBy: text('created_by').notNull(),
        disabledAt: long('disabled_at'),
        /** Issuer and subject at the OpenID Connect provider. */
        subject: text(),
      },
      ({ subject }) => [uniqueIndex('console_users_of_subject').on(subject)],
    ),

    /** `id` is a hash of what the browser has. */
    consoleSessions: table(
      'console_sessions',
      {
        id: text().primaryKey(),
        name: text().notNull(),
        createdAt: long('created_at').notNull(),
        seenAt: long('seen_at').notNull(),
      },
      ({ name }) => [index('console_sessions_of_user').on(name)],
    ),

    auditDeliveries: table(
      'audit_deliveries',
      {
        deliveryId: long('delivery_id').notNull(),
        auditId: long('audit_id').notNull(),
      },
      ({ deliveryId, auditId }) => [
        primaryKey({ columns: [deliveryId, auditId] }),
        index('audit_deliveries_of_act').on(auditId, deliveryId),
      ],
    ),

    auditEvents: table(
      'audit_events',
      {
        eventId: long('event_id').notNull(),
        auditId: long('audit_id').notNull(),
      },
      ({ eventId, auditId }) => [
        primaryKey({ columns: [eventId, auditId] }),
        index('audit_events_of_act').on(auditId, eventId),
      ],
    ),

    /** Hashes under the secret of `search_index`, cut (search-index.ts). */
    searchKeys: table(
      'search_keys',
      { key: long().notNull(), eventId: long('event_id').notNull() },
      ({ key, eventId }) => [primaryKey({ columns: [key, eventId] }), index('search_keys_of_event').on(eventId)],
    ),

    searchIndex: table('search_index', {
      secret: bytes().notNull(),
      upTo: long('up_to').notNull(),
    }),

    jobs: table('jobs', {
      name: text().primaryKey(),
      state: text(),
      startedAt: long('started_at').notNull(),
      succeededAt: long('succeeded_at'),
      failedAt: long('failed_at'),
      problem: text(),
      note: text(),
      failures: int().notNull(),
      underWay: flag('under_way').notNull(),
      leaseUntil: long('lease_until'),
      fence: long(),
    }),

    jobRuns: table(
      'job_runs',
      {
        id: ids(),
        job: text().notNull(),
        startedAt: long('started_at').notNull(),
        endedAt: long('ended_at'),
        problem: text(),
        note: text(),
      },
      ({ job, id }) => [index('job_runs_of_job').on(job, id)],
    ),

    apiKeys: table('api_keys', {
      id: text().primaryKey(),
      system: text().notNull(),
      scopes: text().notNull(),
      secretHash: text('secret_hash').notNull(),
      createdAt: long('created_at').notNull(),
      createdBy: text('created_by').notNull(),
      lastUsedAt: long('last_used_at'),
      revokedAt: long('revoked_at'),
    }),

    stores: table('stores', {
      storeId: text('store_id').primaryKey(),
      number: text(),
      name: text(),
      stockId: text('stock_id'),
      countryCode: text('country_code'),
      currency: text(),
      zone: text(),
      goneAt: long('gone_at'),
      former: text(),
    }),

    endpointUses: table('endpoint_uses', {
      operation: text().primaryKey(),
      address: text().notNull(),
      firstAt: long('first_at').notNull(),
      first: text().notNull(),
      came: text().notNull(),
      since: long().notNull(),
    }),

    customers: table(
      'customers',
      {
        id: ids(),
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
      ({ customerId, extId, email, phone }) => [
        partialIndex('customers_by_customer_id', sql`customer_id is not null`, customerId),
        partialIndex('customers_by_ext_id', sql`ext_id is not null`, extId),
        partialIndex('customers_by_email', sql`email is not null`, email),
        partialIndex('customers_by_phone', sql`phone is not null`, phone),
      ],
    ),

    /** One row: counting a million takes too long. */
    customerCount: table('customer_count', {
      n: long().notNull(),
    }),

    lookups: table(
      'lookups',
      {
        id: ids(),
        at: long().notNull(),
        number: text().notNull(),
        found: text().notNull(),
        missing: text().notNull(),
        ms: int().notNull(),
      },
      ({ number }) => [index('lookups_of_number').on(number)],
    ),

    mirror: table(
      'mirror',
      {
        // No id recurs: pages continue after one that may be deleted.
        id: monotonicIds(),
        set: text('set_name').$type<MirrorSet>().notNull(),
        key: text().notNull(),
        place: text(),
        article: text(),
        day: text().notNull(),
        part: text(),
        version: long().notNull(),
        tie: long().notNull(),
        body: text().notNull(),
        savedAt: long('saved_at').notNull(),
      },
      ({ set, key, day, id, place, article, part }) => [
        uniqueIndex('mirror_by_key').on(set, key),
        // Pages are ranges of these; entries end in the row's id. SQLite takes the later of two that fit.
        index('mirror_of_day').on(set, day, ...behind(id)),
        partialIndex('mirror_of_place', sql`place is not null`, set, place, day, ...behind(id)),
        partialIndex('mirror_of_article', sql`article is not null`, set, article, day, ...behind(id)),
        partialIndex('mirror_of_part', sql`part is not null`, set, part),
      ],
    ),

    findings: table(
      'findings',
      {
        // No id recurs: pages continue after one that may be deleted.
        id: monotonicIds(),
        sort: text().$type<FindingSort>().notNull(),
        key: text().notNull(),
        topic: text(),
        day: text().notNull(),
        version: long().notNull(),
        body: text().notNull(),
      },
      ({ sort, key, day, id, topic }) => [
        uniqueIndex('findings_by_key').on(sort, key),
        index('findings_of_day').on(sort, day, ...behind(id)),
        partialIndex('findings_of_topic', sql`topic is not null`, sort, topic, day, ...behind(id)),
      ],
    ),

    /** Missing or unproven data (domain/completeness/gap.ts). */
    gaps: table(
      'gaps',
      {
        // No id recurs: pages continue after one.
        id: monotonicIds(),
        key: text().notNull(),
        source: text({ enum: RECONCILIATION_SOURCES }).notNull(),
        cause: text().$type<Cause>().notNull(),
        kind: text(),
        storeId: text('store_id'),
        destination: text(),
        day: text(),
        at: long().notNull(),
        firstSeenAt: long('first_seen_at').notNull(),
        lastSeenAt: long('last_seen_at').notNull(),
        state: text({ enum: GAP_STATES }).notNull(),
        body: text().notNull(),
      },
      ({ key, source, kind, storeId, destination, at, state, id, cause, firstSeenAt, day }) => [
        uniqueIndex('gaps_by_key').on(key),
        partialIndex('gaps_open', sql`state = 'open'`, source, kind, storeId, destination, at),
        index('gaps_of_state').on(state, ...behind(id)),
        index('gaps_of_cause').on(cause, firstSeenAt),
        index('gaps_of_kind').on(kind, ...behind(id)),
        partialIndex('gaps_of_store', sql`store_id is not null`, storeId, ...behind(id)),
        partialIndex('gaps_of_day', sql`day is not null`, day, ...behind(id)),
        partialIndex('gaps_of_destination', sql`destination is not null`, destination, ...behind(id)),
      ],
    ),

    /** Scanned time, merged: ranges of a scope never touch. */
    covered: table(
      'covered',
      {
        source: text({ enum: RECONCILIATION_SOURCES }).notNull(),
        scope: text().notNull(),
        from: long('from_at').notNull(),
        to: long('to_at').notNull(),
      },
      ({ source, scope, from }) => [primaryKey({ columns: [source, scope, from] })],
    ),

    watermarks: table(
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
      ({ level, kind, storeId }) => [primaryKey({ columns: [level, kind, storeId] })],
    ),
  }
}

export type Tables = ReturnType<typeof createSchema>

export type RowOf<Name extends keyof Tables> = Tables[Name]['$inferSelect']
