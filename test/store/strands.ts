/**
 * The strand queries of design §7 for PostgreSQL, as the proof in strands.test.ts runs them: accept, claim, settle.
 *
 * A strand is one row per (lane, entity) with open work. Two rules make it safe under READ COMMITTED:
 *
 * 1. Whoever touches the deliveries of a strand holds the lock of its row first, the writer of a new delivery too. So the ids
 *    of an entity are drawn in the order of its commits.
 * 2. Lock in one statement, read deliveries in the next. A statement sees the rows as they were when it began, perhaps before
 *    it waited for the lock: reading in the same statement misses the delivery that the holder has just committed.
 */

export const schema = `
  create table events (
    id bigserial primary key,
    body text not null
  );
  create table deliveries (
    id bigserial primary key,
    event_id bigint not null references events,
    lane text not null,
    entity text,
    strand text not null,
    state text not null default 'waiting',
    due timestamptz not null,
    body text not null
  );
  create index deliveries_open on deliveries (lane, strand, id) where state in ('waiting', 'claimed', 'held');
  create table strands (
    lane text not null,
    key text not null,
    due timestamptz not null,       -- its head's; infinity while the head is held
    lease_until timestamptz,        -- null: free
    fence bigint not null default 0,
    primary key (lane, key)
  );
  create index strands_due on strands (lane, due);
  -- One sequence for all, not "fence + 1": a strand is deleted when empty and may come back, its old fences must not.
  create sequence fences;

  -- In the product: select statement_timestamp() (stable, so the index serves). In the proof time stands still until the test moves it.
  create table test_clock (now timestamptz not null);
  insert into test_clock values ('2026-01-01T00:00:00Z');
  create function hub_now() returns timestamptz language sql stable as 'select now from test_clock';
`

/** Takes the row lock of the strand, making the row where there is none. A strand that was there keeps its due time. */
const UPSERT_STRAND = `
  insert into strands (lane, key, due) values ($1, $2, hub_now() + make_interval(secs => $3))
  on conflict (lane, key) do update set due = strands.due`

const INSERT_EVENT = 'insert into events (body) values ($1) returning id'

/** Only after UPSERT_STRAND, in the same transaction: the sequence is read under the lock of the strand. */
const INSERT_DELIVERY = `
  insert into deliveries (event_id, lane, entity, strand, due, body)
  values ($1, $2, $3, $4, hub_now() + make_interval(secs => $5), $6)
  returning id`

const LOCK_FREE_STRANDS = `
  with free as materialized (
    select lane, key from strands
    where lane = $1 and due <= hub_now() and (lease_until is null or lease_until <= hub_now())
    order by due, key
    limit $2
    for update skip locked
  )
  update strands s
  set lease_until = hub_now() + make_interval(secs => $3), fence = nextval('fences')
  from free where (s.lane, s.key) = (free.lane, free.key)
  returning s.key, s.fence`

/** The state before tells the worker what it takes over: a head that was claimed is an attempt with unknown outcome. */
const TAKE_HEADS = `
  with head as materialized (
    select h.id, h.state as before, s.fence
    from strands s
    cross join lateral (
      select id, state, due from deliveries
      where lane = s.lane and strand = s.key and state in ('waiting', 'claimed', 'held')
      order by id limit 1
    ) h
    where s.lane = $1 and s.key = any($2::text[]) and h.state <> 'held' and h.due <= hub_now()
  )
  update deliveries d set state = 'claimed' from head where d.id = head.id
  returning d.id, d.lane, d.entity, d.body, head.fence, head.before`

/** None where the strand has been claimed again, or was deleted: the fence is not its own any more. */
const LOCK_CLAIMED_STRAND = `
  select s.lane, s.key from strands s
  join deliveries d on (d.lane, d.strand) = (s.lane, s.key)
  where d.id = $1 and s.fence = $2
  for update of s`

const SETTLE_DELIVERY = `
  update deliveries set state = $2, due = hub_now() + make_interval(secs => $3)
  where id = $1 and state = 'claimed'
  returning lane, strand`

/** Frees the strand with its next head's due time, or deletes it when nothing is open. Only under its lock. */
const RELEASE_STRAND = `
  with head as materialized (
    select case state when 'held' then 'infinity' else due end as due from deliveries
    where lane = $1 and strand = $2 and state in ('waiting', 'claimed', 'held')
    order by id limit 1
  ), released as (
    update strands set due = head.due, lease_until = null from head where lane = $1 and key = $2
  )
  delete from strands where lane = $1 and key = $2 and not exists (select from head)`

/** What both PGlite and a driver of PostgreSQL can do. */
export interface Database {
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
}

export interface Transaction {
  query(sql: string, parameters: unknown[]): Promise<{ rows: unknown[] }>
}

interface NewDelivery {
  lane: string
  /** Null: needs no order; it gets a strand of its own. */
  entity: string | null
  body: string
  /** Seconds from now. */
  dueIn?: number
}

export interface Claim {
  id: number
  lane: string
  entity: string | null
  body: string
  fence: number
  /** `claimed`: somebody claimed it before and never came back; the outcome is unknown. */
  before: 'waiting' | 'claimed'
}

/** `retryIn` in seconds. */
export type Settlement = { to: 'delivered' | 'dead' | 'held' } | { to: 'waiting'; retryIn: number }

export interface Strands {
  /** One commit for the event, its delivery and the strand. Returns the delivery's id. */
  accept(delivery: NewDelivery): Promise<number>
  /** The heads of up to `limit` free strands that are due, longest due first (but listed in no order), leased for `lease` seconds. */
  claim(lane: string, limit: number, lease: number): Promise<Claim[]>
  /** False, and nothing is changed, where the strand has been claimed again since (or the delivery is not claimed). */
  settle(claim: Pick<Claim, 'id' | 'fence'>, settlement: Settlement): Promise<boolean>
}

export function createStrands(database: Database): Strands {
  return {
    accept: ({ lane, entity, body, dueIn = 0 }) =>
      database.transaction(async (transaction) => {
        const key = entity === null ? `alone:${crypto.randomUUID()}` : `entity:${entity}`
        await transaction.query(UPSERT_STRAND, [lane, key, dueIn])
        const event = await transaction.query(INSERT_EVENT, [body])
        const [{ id: eventId }] = event.rows as [{ id: number }]
        const delivery = await transaction.query(INSERT_DELIVERY, [eventId, lane, entity, key, dueIn, body])
        const [{ id }] = delivery.rows as [{ id: number }]
        return id
      }),

    claim: (lane, limit, lease) =>
      database.transaction(async (transaction) => {
        const strands = await transaction.query(LOCK_FREE_STRANDS, [lane, limit, lease])
        const keys = (strands.rows as { key: string }[]).map(({ key }) => key)
        if (keys.length === 0) return []
        const heads = await transaction.query(TAKE_HEADS, [lane, keys])
        return heads.rows as Claim[]
      }),

    settle: (claim, settlement) =>
      database.transaction(async (transaction) => {
        const locked = await transaction.query(LOCK_CLAIMED_STRAND, [claim.id, claim.fence])
        if (locked.rows.length === 0) return false
        const dueIn = settlement.to === 'waiting' ? settlement.retryIn : 0
        const settled = await transaction.query(SETTLE_DELIVERY, [claim.id, settlement.to, dueIn])
        const [delivery] = settled.rows as { lane: string; strand: string }[]
        if (delivery === undefined) return false
        await transaction.query(RELEASE_STRAND, [delivery.lane, delivery.strand])
        return true
      }),
  }
}
