import type { Database } from 'better-sqlite3'
import type { Event } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { NEW_DELIVERY_COLUMNS, type NewDelivery, newDeliveryRow, newestOf, type Undone } from '../arrival.ts'
import { onceKeysOf } from '../key.ts'
import type { EndedDelivery, Enqueued } from '../queue/queues.ts'
import type { Audit } from '../rows.ts'
import { forgetAcknowledged } from '../tables/acknowledging.ts'
import { changing, copyLevels, touchDeliveries } from '../tables/audit.ts'
import { stepName } from '../tables/past.ts'
import type { KeyTable } from './keys.ts'
import type { RunSteps } from './tables.ts'

type EnqueuingEvent = Omit<Event, 'body' | 'origin' | 'subscription' | 'entity'>

/** Enqueues deliveries; ids are counted in memory, as there is one writer. */
export function createEnqueuing(db: Database, keys: KeyTable) {
  const addDelivery = db.prepare(
    `insert into deliveries (id, state, ${NEW_DELIVERY_COLUMNS.map(({ name }) => name).join(', ')})
       values (?, 'waiting', ${NEW_DELIVERY_COLUMNS.map(() => '?').join(', ')}) on conflict do nothing`,
  )
  const undoneAlike = db.prepare<[string, string, string, string], UndoneRow>(
    `select id, event_id as eventId, version, state, digest, force from deliveries indexed by deliveries_latest_wins
       where latest_wins = 1 and state in ('waiting', 'dead', 'skipped') and destination = ? and entity = ? and flow = ? and part = ?`,
  )
  const supersede = db.prepare(
    `update deliveries set state = 'superseded', settled_at = ?, code = 'superseded', why = 'a newer one came'
       where id = ?`,
  )
  const sendAnyway = db.prepare('update deliveries set force = 1 where id = ?')
  const setRouted = db.prepare(`update events set state = 'routed' where id = ? and state = 'unrouted'`)
  const find = db.prepare<[number], unknown>('select 1 from events where id = ?')
  const lastId = db.prepare<[], { id: number | null }>('select max(id) as id from deliveries')
  let last = lastId.get()?.id ?? 0

  function add(event: EnqueuingEvent, step: NewDelivery, now: Instant): number {
    if (step.once && !isNew(event, step)) return 0
    const id = last + 1
    const row = newDeliveryRow(step, event.id)
    row.due_at ??= now
    const values = NEW_DELIVERY_COLUMNS.map(({ name }) => {
      const value = row[name]
      return typeof value === 'boolean' ? Number(value) : value
    })
    const { changes } = addDelivery.run(id, ...values)
    if (changes === 0) return 0
    last = id
    return id
  }

  function isNew(event: EnqueuingEvent, step: NewDelivery): boolean {
    const { own, shared, disambiguated } = onceKeysOf(event, step)
    if (shared === null) return keys.add(own, event.id)
    if (keys.add(shared, event.id)) {
      keys.add(disambiguated, event.id)
      keys.add(own, event.id)
      return true
    }
    // Enqueued under the shared name alone: may be of this order.
    return keys.get(disambiguated) !== undefined && keys.add(own, event.id)
  }

  /** Of alike pending ones only the newest is made; dead and skipped ones end too, as retrying would bring back an old level or price. */
  function keepNewest(
    { destination, flow, part }: NewDelivery,
    entity: string,
    now: Instant,
    out: ReadonlySet<number>,
  ) {
    const alike = undoneAlike.all(destination, entity, flow, part)
    const newest = newestOf(alike)
    const others = alike.filter(({ id, state }) => id !== newest.id && !(state === 'waiting' && out.has(id)))
    for (const { id } of others) supersede.run(now, id)
    const waited = others.filter(({ state }) => state === 'waiting')
    if (newest.digest !== null && waited.some((other) => other.force === 1 || other.digest !== newest.digest))
      sendAnyway.run(newest.id)
    return others.map(({ id }) => ({ id, destination, entity }))
  }

  return {
    enqueue(
      event: EnqueuingEvent,
      pending: NewDelivery[],
      now: Instant,
      out: ReadonlySet<number>,
      past: ReadonlySet<string> = NONE,
    ): Enqueued {
      const superseded: EndedDelivery[] = []
      const ids = pending.map((step) => {
        const id = past.size > 0 && past.has(stepName(step)) ? 0 : add(event, step, now)
        if (id > 0 && step.latestWins && step.entity !== null)
          superseded.push(...keepNewest(step, step.entity, now, out))
        return id
      })
      return { ids, superseded }
    },

    /** Read before this transaction: may be deleted since. */
    isThere: (eventId: number): boolean => find.get(eventId) !== undefined,

    routed(eventId: number): void {
      setRouted.run(eventId)
    },

    rolledBack(): void {
      last = lastId.get()?.id ?? 0
    },
  }
}

/** Supersedes dead or skipped ones that were in flight when a newer one came. Inside the caller's transaction. */
export function createOutdating(db: Database): (delivery: number, now: Instant) => void {
  const supersede = db.prepare(
    `update deliveries set state = 'superseded', settled_at = ?, code = 'superseded', why = 'a newer one came'
       where id = ? and latest_wins = 1 and state in ('dead', 'skipped') and exists (
         select 1 from deliveries n indexed by deliveries_latest_wins
           where n.latest_wins = 1 and n.state in ('waiting', 'dead', 'skipped') and n.destination = deliveries.destination
             and n.entity = deliveries.entity and n.flow = deliveries.flow and n.part = deliveries.part
             and case when n.version <> deliveries.version then n.version > deliveries.version
               else n.event_id > deliveries.event_id end)`,
  )
  return (delivery, now) => supersede.run(now, delivery)
}

const NONE: ReadonlySet<string> = new Set()

interface UndoneRow extends Undone {
  state: 'waiting' | 'dead' | 'skipped'
  digest: string | null
  force: number
}

export type Enqueuing = ReturnType<typeof createEnqueuing>

export function createChanging(db: Database, run: RunSteps) {
  const outdate = createOutdating(db)
  const moveOne = db.prepare(
    `update or ignore deliveries set destination = ?
       where id = ? and state in ('waiting', 'claimed', 'held', 'dead') and not exists (
         select 1 from past_deliveries p indexed by past_deliveries_of_event cross join delivery_shapes s on s.id = p.shape
           where p.event_id = deliveries.event_id and s.flow = deliveries.flow and s.part = deliveries.part
             and s.destination = ?)`,
  )
  const destinationOf = db.prepare<[number], { destination: string }>('select destination from deliveries where id = ?')

  return {
    retry: (...given: Parameters<typeof changing.retry>) => run(changing.retry(...given)),
    letGo: (...given: Parameters<typeof changing.letGo>) => run(changing.letGo(...given)),

    skip(ids: number[], audit: Audit, act: number): number {
      run(forgetAcknowledged(ids.map((id) => ({ id, destination: null }))))
      const skipped = run(changing.skip(ids, audit, act))
      for (const id of ids) outdate(id, audit.at)
      return skipped
    },

    move(ids: number[], to: string, act: number): number {
      run(forgetAcknowledged(ids.map((id) => ({ id, destination: null }))))
      const from = ids.flatMap((id) => destinationOf.get(id)?.destination ?? [])
      run(copyLevels(from, to))
      const moved = ids.filter((id) => moveOne.run(to, id, to).changes > 0)
      return run(touchDeliveries(act, moved))
    },
  }
}
