import type { QueueKey } from '../../domain/queue/queue-key.ts'
import { type Instant, SKEW } from '../../domain/values/instant.ts'
import { LOADED_COLUMNS, type LoadedRow, loadedItem } from '../queue/loading.ts'
import type { Item } from '../queue/queue.ts'
import type { Comparison, createQueues, OutcomeOf, Prepared, QueueStorage } from '../queue/queues.ts'
import type { RowOf } from '../schema.ts'
import { compareWithAcknowledged } from '../tables/acknowledging.ts'
import { lockEntities } from '../tables/enqueuing.ts'
import { payloadsOf } from '../tables/payloads.ts'
import { deliverWhereProven, effectsOf, followOutcomes, lockTheFacts, provenFacts } from '../tables/proving.ts'
import { rowsOf } from '../tables/statement.ts'
import { lockHub, type Membership } from './hubs.ts'
import { keyStore } from './keys.ts'
import { type Database, perform, prepared, type Session, together } from './server/database.ts'

/** In the words of the index. */
const OPEN = `d.state in ('waiting', 'claimed', 'held', 'dead') and d.state <> 'dead'`

const ROW = `${LOADED_COLUMNS}, d.partition`

/** Bodies as long as they fit: the rest is read when its turn comes. */
const loadPage = prepared<LoadedRow>(`
  with page as (
    select ${ROW}, sum(e.size) over (order by d.event_id, d.id) - e.size as before
      from deliveries d join events e on e.id = d.event_id
      where d.destination = $1 and d.urgency = $2 and (d.event_id, d.id) > ($3, $4) and d.partition = any($5::smallint[]) and ${OPEN}
      order by d.event_id, d.id limit $6
  )
  select page.*, p.body from page left join payloads p on p.event_id = page."event.id" and p.dictionary is null and page.state <> 'held'
    where page.before < $7 order by page."event.id", page.id`)
const readThose = prepared<LoadedRow>(`
  select ${ROW}, p.body from deliveries d join events e on e.id = d.event_id left join payloads p on p.event_id = e.id and p.dictionary is null
    where d.id = any($1::bigint[]) and ${OPEN} order by d.event_id, d.id`)

/** What became visible since a snapshot, however long the transactions that were open then went on. */
const look = prepared<Look>(`
  select s.*, n.*
    from (select now_ms() as now, pg_current_snapshot()::text as snapshot, pg_postmaster_start_time()::text as server,
          (select resets from hubs where id = $1) as resets) s
      left join (
        select id, event_id as event, destination, urgency, entity, latest_wins as "latestWins" from deliveries d
          where xid >= pg_snapshot_xmax($2::text::pg_snapshot) and xid < pg_snapshot_xmax(pg_current_snapshot()) and ${OPEN} and partition = any($3::smallint[])
        union all
        select id, event_id, destination, urgency, entity, latest_wins from deliveries d
          where xid in (select pg_snapshot_xip($2::text::pg_snapshot)) and ${OPEN} and partition = any($3::smallint[])
      ) n on true`)
const stillOpen = prepared<{ id: number }>(`select d.id from deliveries d where d.id = any($1::bigint[]) and ${OPEN}`)

interface Look extends QueueKey {
  now: Instant
  snapshot: string
  server: string
  /** Null: the hub is presumed dead. */
  resets: number | null
  /** Null, as all that follows: there is nothing new. */
  id: number | null
  event: number
  entity: string | null
  latestWins: boolean
}

/** Its own mark stays claimable: the answer that told of it may have been lost. Waits for a concurrent decision. */
const mark = prepared<{ id: number }>(`
  with free as (
    select d.id from deliveries d
      where d.id = any($1::bigint[]) and d.destination = $2
        and (d.state = 'waiting' or d.state = 'claimed' and exists (select 1 from in_flight f where f.delivery_id = d.id and f.hub = $3))
      order by d.id for no key update of d
  ), marked as (
    insert into in_flight (delivery_id, hub) select id, $3 from free
      on conflict (delivery_id) do update set hub = excluded.hub where in_flight.hub = excluded.hub
      returning delivery_id as id
  ), doubted as (
    update deliveries set state = 'claimed', open = true, due_at = $4, first_tried_at = coalesce(first_tried_at, now_ms())
      where id in (select id from marked) and once and state = 'waiting'
  )
  select id from marked`)
/** A body in memory is read again where a richer one has replaced it. */
const present = prepared<Present>(`
  select d.id, d.unless, e.body_hash as "bodyHash", e.subscription, e.entity, p.body
    from json_to_recordset($1::text::json) as w (id bigint, hash text) join deliveries d on d.id = w.id
      join events e on e.id = d.event_id
      left join payloads p on p.event_id = e.id and p.dictionary is null and w.hash is distinct from e.body_hash
    where d.id = any($2::bigint[])`)
const noSync = prepared(`select set_config('synchronous_commit', 'off', true)`)

type Present = Pick<RowOf<'deliveries'>, 'id' | 'unless'> &
  Pick<RowOf<'events'>, 'bodyHash' | 'subscription' | 'entity'> & { body: Uint8Array | null }

/**
 * Results from before a clock change keep their waiting time. A mark may be gone: after a crash of the server, or with a
 * commit whose answer was lost, which wrote the same.
 */
const write = prepared<{ id: number; applied: boolean; same: boolean }>(`
  with r as materialized (
    select * from json_to_recordset($1::text::json) as r (id bigint, state text, due_at bigint, open boolean, tries int, finds int,
      failing_since bigint, tried_at bigint, first_at bigint, crashes int, took_ms int, took_note text, code text, why text)
  ), mine as (
    delete from in_flight where delivery_id = any($2::bigint[]) and hub = $3 returning delivery_id as id
  ), written as (
    update deliveries d set state = r.state,
        due_at = case when r.tried_at > now_ms() + ${SKEW} then now_ms() + greatest(r.due_at - r.tried_at, 0) else r.due_at end,
        open = r.open, tries = r.tries, finds = r.finds,
        failing_since = r.failing_since, first_tried_at = coalesce(r.first_at, d.first_tried_at, r.tried_at),
        crashes = r.crashes, took_ms = r.took_ms, took_note = r.took_note,
        settled_at = case when r.state in ('waiting', 'held') then null else now_ms() end, code = r.code, why = r.why
      from r where d.id = r.id and d.id = any($2::bigint[])
        and (d.state in ('waiting', 'claimed') or d.state = 'superseded' and r.state = 'delivered')
        and (d.id in (select id from mine) or d.code is distinct from r.code or d.due_at <> r.due_at)
      returning d.id
  )
  select d.id, written.id is not null as applied, mine.id is null and written.id is null and d.state = r.state and d.code = r.code as same
    from r join deliveries d on d.id = r.id left join mine on mine.id = d.id left join written on written.id = d.id`)
const takeOffWire = prepared(`
  with mine as (
    delete from in_flight where delivery_id = any($2::bigint[]) and hub = $3 returning delivery_id as id
  )
  update deliveries d set state = 'waiting', open = r.open, first_tried_at = r.first_tried_at, due_at = now_ms()
    from json_to_recordset($1::text::json) as r (id bigint, open boolean, first_tried_at bigint)
    where d.id = r.id and d.id = any($2::bigint[]) and d.state = 'claimed' and d.id in (select id from mine)`)

type Queues = Pick<ReturnType<typeof createQueues>, 'missing' | 'found' | 'inLines' | 'gone'>

interface Options {
  db: Database
  hub: Pick<Membership, 'id' | 'owned'>
  heard(now: Instant): void
  /** An operator or another hub changed what the queue has in memory. */
  changed(): Promise<void>
  /** The hub is presumed dead: it has written nothing. */
  fenced(): Promise<void>
  isPaused(queueKey: QueueKey): boolean
}

class FencedError extends Error {
  override name = 'FencedError'
}

export function createQueueStorage({ db, hub, heard, changed, fenced, isPaused }: Options) {
  /** What this hub has in memory is as of these. */
  let known = { hub: '', server: '', resets: -1 }
  let snapshot: string | null = null
  /** Pages and looks in turn: what a page was too early for, the next look finds behind the page's end. */
  let turn: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }

  /** False: the hub has no row. */
  async function lookNow(queues: Queues): Promise<boolean> {
    const id = hub.id()
    const rows = await db.query(look, [id, snapshot, hub.owned()])
    const [first] = rows
    if (!first) return false
    heard(first.now)
    if (first.resets === null) {
      await fenced()
      return id !== hub.id() && (await lookNow(queues))
    }
    const { server, resets } = first
    // Another server, or the same after a crash, may lack what was not synced.
    if (id !== known.hub || server !== known.server || resets !== known.resets) await changed()
    const fresh = rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }]))
    const wanted = queues.missing(fresh)
    if (wanted.length > 0) queues.found((await db.query(readThose, [wanted])).map(loadedItem))
    await dropSuperseded(queues, fresh)
    // Only now: a look that fails is made again as a whole.
    known = { hub: id, server, resets }
    snapshot = first.snapshot
    return true
  }

  async function dropSuperseded(queues: Queues, fresh: readonly Look[]) {
    const rivals = queues.inLines(fresh.filter(({ latestWins }) => latestWins))
    if (rivals.length === 0) return
    const open = new Set((await db.query(stillOpen, [rivals.map(({ id }) => id)])).map(({ id }) => id))
    queues.gone(rivals.filter(({ id }) => !open.has(id)))
  }

  const storage: QueueStorage = {
    load: ({ destination, urgency }, after, { items, bytes }, then) =>
      inTurn(async () => {
        const asked = [destination, urgency, after.event, after.delivery, hub.owned(), items, bytes]
        const rows = await db.query(loadPage, asked)
        const page = rows.map(loadedItem)
        const size = rows.reduce((sum, one) => sum + one.size, 0)
        return then({ items: page, last: rows.length < items && size < bytes, isCut: false })
      }),

    async prepare(items, until) {
      const id = hub.id()
      // A look may have told of it since the claim began, and then the fence below lets it pass.
      if (items[0] && isPaused(items[0].delivery)) return 'anew'
      const hubNow = { id, resets: id === known.hub ? known.resets : -1 }
      const result = await db.transaction((session) => prepare(session, hubNow, items, until))
      if ('comparisons' in result) return result
      if (result.resets === null) await fenced()
      else {
        await changed()
        known = { ...known, hub: id, resets: result.resets }
      }
      return 'anew'
    },

    async complete(outcomes, then) {
      // By when the transaction begins, the hub may be another.
      const id = hub.id()
      try {
        return then(await db.transaction((session) => complete(session, id, outcomes)))
      } catch (error) {
        if (!(error instanceof FencedError)) throw error
        await fenced()
        return then(outcomes.map(() => false))
      }
    },

    release(items) {
      const id = hub.id()
      return db.transaction((session) => release(session, id, items))
    },
    async track() {},
  }

  return {
    storage,
    look: (queues: Queues) => inTurn(() => lookNow(queues)),
  }
}

/** Marks what may begin, and reads what its calls need. `resets`: it may not, since the queue is out of date. */
async function prepare(
  session: Session,
  hub: { id: string; resets: number },
  items: readonly Item[],
  until: Instant,
): Promise<Prepared | { resets: number | null }> {
  const ids = idsOf(items)
  // Repeatable ones need not outlive a crash of the server.
  if (!items.some(({ delivery }) => delivery.once)) void session.query(noSync).catch(() => undefined)
  const row = await lockHub(session, hub.id)
  if (row?.resets !== hub.resets) return { resets: row?.resets ?? null }
  await perform(session, lockTheFacts(effectsOf(items.filter(inDoubt).map(({ delivery }) => delivery))))
  const destination = items[0]?.delivery.destination
  const digested = items.filter((item) => item.digested)
  const hashes = items.map(({ delivery: { id }, event, body }) => ({ id, hash: body && event.bodyHash }))
  const [marked, rows, compared] = await together(
    session.query(mark, [ids, destination, hub.id, Math.round(until)]),
    session.query(present, [rowsOf(hashes), ids]),
    perform(session, compareWithAcknowledged(idsOf(digested))),
  )
  const free = new Set(marked.map(({ id }) => id))
  await refresh(session, items, rows)
  const guards = new Map(rows.flatMap(({ id, unless }) => (unless ? [[id, JSON.parse(unless) as string[]]] : [])))
  const facts = [...new Set([...guards.values()].flat())]
  const proven = facts.length === 0 ? new Map<string, number>() : await perform(session, provenFacts(keyStore, facts))
  const comparisons = new Map<Item, Partial<Comparison>>()
  for (const item of items) {
    const { id } = item.delivery
    const fact = guards.get(id)?.find((one) => proven.has(one))
    comparisons.set(item, {
      ...compared.get(id),
      ...(fact !== undefined && { invalidated: proven.get(fact) ?? null }),
    })
  }
  return { lost: new Set(items.filter(({ delivery }) => !free.has(delivery.id))), comparisons }
}

async function refresh(session: Session, items: readonly Item[], rows: readonly Present[]): Promise<void> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const bare: Item[] = []
  for (const item of items) {
    const row = byId.get(item.delivery.id)
    if (!row) continue
    const { bodyHash, subscription, entity, body } = row
    if (bodyHash !== item.event.bodyHash) item.event = { ...item.event, bodyHash, subscription, entity }
    else if (item.body) continue
    item.body = body
    if (!body) bare.push(item)
  }
  const payloads = await perform(session, payloadsOf(bare.map(({ event }) => event.id)))
  for (const item of bare) item.body = payloads.get(item.event.id)?.body ?? null
}

/**
 * False: decided elsewhere (the attempt is still written). Delivered wins over superseded; in doubt becomes delivered
 * if proven. True also where the same was written before, and that commit's answer was lost.
 */
async function complete(session: Session, hub: string, outcomes: readonly OutcomeOf[]): Promise<boolean[]> {
  if (!(await lockHub(session, hub))) throw new FencedError('The hub was presumed dead.')
  // Entities before facts, as accept does.
  await perform(session, lockEntities(outcomes.filter(({ next }) => next.state === 'dead')))
  await perform(session, lockTheFacts(effectsOf(outcomes.filter(({ next }) => next.open))))
  const ids = outcomes.map(({ delivery }) => delivery)
  const written = await session.query(write, [rowsOf(outcomes.map(rowOf)), ids, hub])
  const rows = new Map(written.map((row) => [row.id, row]))
  const isApplied = ({ delivery }: OutcomeOf) => rows.get(delivery)?.applied === true
  const fresh = outcomes.filter(({ delivery }) => rows.get(delivery)?.same === false)
  const proven = await perform(session, followOutcomes(keyStore, fresh, isApplied))
  return outcomes.map((one) => rows.get(one.delivery)?.same === true || (isApplied(one) && !proven.has(one.delivery)))
}

async function release(session: Session, hub: string, items: readonly Item[]): Promise<number[]> {
  const before = items.map(({ delivery: { id, open, firstTriedAt } }) => ({ id, open, first_tried_at: firstTriedAt }))
  const doubtful = items.filter(inDoubt).map(({ delivery: { id, effect } }) => ({ delivery: id, effect }))
  await perform(session, lockTheFacts(effectsOf(doubtful)))
  await session.query(takeOffWire, [rowsOf(before), idsOf(items), hub])
  return [...(await perform(session, deliverWhereProven(keyStore, doubtful)))]
}

const idsOf = (items: readonly Item[]) => items.map(({ delivery }) => delivery.id)
const inDoubt = ({ delivery }: Item) => delivery.open

function rowOf({ delivery, next, attempt, atOnce, crashes = 0 }: OutcomeOf) {
  const { state, dueAt, open, tries, finds, failingSince, why } = next
  const times = { due_at: Math.round(dueAt), failing_since: failingSince, tried_at: attempt.at }
  const first = atOnce
    ? { first_at: attempt.at, took_ms: Math.round(attempt.ms), took_note: attempt.note }
    : { first_at: null, took_ms: null, took_note: null }
  return { id: delivery, state, open, tries, finds, crashes, ...times, ...first, code: attempt.code, why }
}
