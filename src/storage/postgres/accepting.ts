import { randomBytes } from 'node:crypto'
import { StorageUnavailableError } from '../../domain/values/errors.ts'
import { END, startThread } from '../../lib/thread.ts'
import {
  accept,
  type Engine,
  EVENT_COLUMNS,
  EVENT_NAMES,
  eventRowOf,
  keysOf,
  listOfKeys,
  pack,
  replaceBody,
} from '../accepting.ts'
import type { Arrival, Verdict } from '../arrival.ts'
import { tellAcknowledged } from '../tables/acknowledging.ts'
import { lockEntities } from '../tables/enqueuing.ts'
import { type DedupeRow, type EventTombstone, readEvents, readTombstones, seenAgain } from '../tables/gone-events.ts'
import { writeLinks } from '../tables/notes.ts'
import { lockTheFacts, prove } from '../tables/proving.ts'
import { awaited, rowsOf } from '../tables/statement.ts'
import { enqueue, enqueuingOf } from './enqueuing.ts'
import { addNewKeys, asRows, asUuid, changeKeys, expectNew, keyStore, lockKeys } from './keys.ts'
import type { Address } from './server/address.ts'
import { type Database, perform, prepared, RepeatError, type Session, together } from './server/database.ts'

const drawIds = prepared<{ id: number }>(`select nextval('event_ids') as id from generate_series(1, $1)`)
/** Before its deliveries and payload, as whoever drops the event: the two never wait for each other. */
const lockEvent = prepared('select id from events where id = $1 for update')
/** No hub begins one of them until the commit; in the statement after it, what is in flight stays so. */
const lockDeliveries = prepared('select id from deliveries where event_id = $1 order by id for update')
const isInFlight = prepared<{ id: number }>(`
  select d.id from deliveries d join in_flight f on f.delivery_id = d.id where d.event_id = $1 limit 1`)
export const setRouted = prepared(
  `update events set state = 'routed' where id = any($1::bigint[]) and state = 'unrouted'`,
)

export interface Accepting {
  accept(arrivals: readonly Arrival[]): Promise<Verdict[]>
  /** Rejects if an arrival of so many bytes cannot be written now: writes one and rolls back. */
  tryOne(size: number): Promise<void>
}

export function createAccepting(db: Database, sameBytesWindow: number): Accepting {
  return {
    accept: (arrivals) => db.transaction((session) => acceptAll(session, arrivals, sameBytesWindow)),
    async tryOne(size) {
      const takenBack = new Error('It is taken back.')
      const taking = db.transaction(async (session) => {
        await acceptAll(session, [trialOf(size)], sameBytesWindow)
        throw takenBack
      })
      await taking.catch((error: unknown) => {
        if (error !== takenBack) throw error
      })
    },
  }
}

function trialOf(size: number): Arrival {
  const step = { flow: 'trial', part: '', destination: 'trial', urgency: 'prompt', entity: null } as const
  const how = { notBefore: null, once: false, batch: null, latestWins: false, digest: null, force: false }
  return {
    ...{ kind: 'Trial', origin: 'hub', subscription: null, receivedAt: 0, headers: {}, entity: null, facts: null },
    ...{ transportKey: null, identity: null, versioned: false, exact: false, problem: null },
    body: randomBytes(size),
    bodyHash: randomBytes(16).toString('hex'),
    deliveries: [{ ...step, ...how }],
  }
}

async function acceptAll(session: Session, arrivals: readonly Arrival[], sameBytesWindow: number): Promise<Verdict[]> {
  // Ids after the locks: later revisions of an identity, and later events of an entity, have higher ids.
  const steps = arrivals.flatMap(({ deliveries }) => deliveries)
  const [seen, , drawn] = await together(
    lockSeen(session, arrivals),
    perform(session, lockEntities(steps)),
    session.query(drawIds, [arrivals.length]),
  )
  const news = createNews(session, seen)
  const ids = drawn.map(({ id }) => id)
  const engine = createEngine(session, seen, news, ids, sameBytesWindow)
  const verdicts: Verdict[] = []
  for (const arrival of arrivals) verdicts.push(await perform(session, accept(engine, arrival)))
  await news.write()
  return verdicts
}

function createEngine(
  session: Session,
  seen: Seen,
  news: News,
  ids: number[],
  sameBytesWindow: number,
): Engine<Arrival> {
  const inFlight = new Set<number>()

  return {
    sameBytesWindow,
    *loadKeys(keys) {
      const unread = keys.filter((key) => !seen.isRead(key))
      if (unread.length > 0) yield* awaited(seen.look(unread))
    },
    get: seen.get,
    put: seen.put,
    *event(id, arrival) {
      const event = seen.event(id, arrival)
      if (event) return event
      yield* awaited(seen.read([id]))
      return seen.event(id, arrival)
    },
    isDeleted: seen.isGone,

    isClaimed: (id) => inFlight.has(id),
    flush: () => awaited(news.write()),

    add(arrival, kept, keys) {
      const id = ids.shift() ?? 0
      const { kind, identity, bodyHash, receivedAt, subscription } = arrival
      const hasKey = arrival.transportKey !== null
      const facts = arrival.facts && JSON.stringify(arrival.facts)
      news.add({
        event: { id, kind, identity, ...kept, bodyHash, receivedAt, facts, subscription, hasKey },
        arrival,
      })
      for (const key of keys ? listOfKeys(keys) : []) seen.put(key, id)
      return id
    },

    *lockToComplete(id, arrival) {
      yield* awaited(news.write())
      yield* lockTheFacts(arrival.proves ?? [])
      yield* awaited(session.query(lockEvent, [id]))
      yield* awaited(session.query(lockDeliveries, [id]))
      if ((yield* awaited(session.query(isInFlight, [id]))).length > 0) inFlight.add(id)
    },

    *complete(event, arrival) {
      const { id } = event
      const { bodyHash, subscription, body, proves = [] } = arrival
      if (!(yield* replaceBody(id, arrival, body))) throw new RepeatError('An event was dropped just now.')
      seen.remember({ ...event, bodyHash, facts: arrival.facts && JSON.stringify(arrival.facts), subscription })
      const pending = yield* awaited(enqueue(session, enqueuingOf(event, arrival)))
      if (arrival.quiet || pending.some((one) => one > 0)) yield* awaited(session.query(setRouted, [[id]]))
      const proofs = proves.map((fact) => ({ fact, event: id }))
      yield* prove(keyStore, proofs)
    },
  }
}

/** Existing keys of a list, locked until the transaction ends, and those of the list itself, which `write` writes. */
async function lockSeen(session: Session, arrivals: readonly Arrival[]) {
  const keys = arrivals.filter(({ refused }) => !refused).flatMap((arrival) => listOfKeys(keysOf(arrival)))
  const looked = new Set(keys.map(asUuid))
  const there = await lockKeys(session, [...looked].sort())
  const known = new Map(there)
  let unwritten = new Map<string, number>()
  const events = new Map<number, DedupeRow>()
  const gone = new Map<number, EventTombstone>()
  await read([...there.values()])

  async function read(ids: readonly number[]) {
    const unread = [...new Set(ids)].filter((id) => !events.has(id) && !gone.has(id))
    if (unread.length === 0) return
    for (const event of await perform(session, readEvents(unread))) events.set(event.id, event)
    const missing = unread.filter((id) => !events.has(id))
    for (const one of await perform(session, readTombstones(missing))) gone.set(one.id, one)
  }

  function compared(id: number, arrival: Arrival): DedupeRow | undefined {
    const dropped = gone.get(id)
    return events.get(id) ?? (dropped && seenAgain(dropped, arrival))
  }

  return {
    isRead: (key: string): boolean => looked.has(asUuid(key)) || known.has(asUuid(key)),
    get: (key: string): number | undefined => known.get(asUuid(key)),

    put(key: string, event: number) {
      known.set(asUuid(key), event)
      unwritten.set(asUuid(key), event)
    },

    async look(keys: readonly string[]) {
      const found = await lockKeys(session, keys.map(asUuid).sort())
      for (const [key, event] of found) {
        there.set(key, event)
        known.set(key, event)
      }
      await read([...found.values()])
    },

    read,
    event: compared,
    isGone: (id: number): boolean => gone.has(id),
    remember(event: DedupeRow) {
      events.set(event.id, event)
    },

    takeUnwritten() {
      const entries = [...unwritten]
      unwritten = new Map()
      const added = new Map(entries.filter(([key]) => !there.has(key)))
      const changed = new Map(entries.filter(([key]) => there.has(key)))
      for (const [key, event] of entries) there.set(key, event)
      return { added, changed }
    },

    async write() {
      const { added, changed } = this.takeUnwritten()
      await addNewKeys(session, added)
      await changeKeys(session, changed)
    },
  }
}

type Seen = Awaited<ReturnType<typeof lockSeen>>

/** Bodies in one parameter: an array of bytea would travel as text, twice as long. */
const addEvents = prepared<{ keys: number }>(`
  with news as (
    select * from json_to_recordset($1::text::json) as e (${EVENT_COLUMNS}, headers text, body_from int, body_size int)
  ), known as (
    insert into keys (key, event_id)
      select key, event_id from json_to_recordset($3::text::json) as k (key uuid, event_id bigint) order by key
      on conflict (key) do nothing returning 1
  ), added as (
    insert into events (${EVENT_NAMES}) select ${EVENT_NAMES} from news
  ), stored as (
    insert into payloads (event_id, headers, body)
      select id, headers, substring($2::bytea from body_from + 1 for body_size) from news
  )
  select count(*) as keys from known`)
interface Item {
  event: DedupeRow
  arrival: Arrival
}

function createNews(session: Session, seen: Seen) {
  let items: Item[] = []

  return {
    add(item: Item) {
      items.push(item)
      seen.remember(item.event)
    },

    /** Keys first: they meet another hub with the same. */
    async write() {
      const news = items
      items = []
      if (news.length === 0) return await seen.write()
      const acting = news.filter(({ event }) => event.conflictWith === null)
      const readable = acting.filter(({ event }) => event.state !== 'quarantined')
      const proofs = readable.flatMap(({ event, arrival }) =>
        (arrival.proves ?? []).map((fact) => ({ fact, event: event.id })),
      )
      const keys = seen.takeUnwritten()
      const events = writeEvents(session, news, keys.added)
      const changed = changeKeys(session, keys.changed)
      const facts = proofs.map(({ fact }) => fact)
      const locked = perform(session, lockTheFacts(facts))
      const enqueuing = acting.flatMap(({ event, arrival }) => enqueuingOf(event, arrival))
      await together(events, together(changed, locked), enqueue(session, enqueuing))
      const links = acting.flatMap(({ arrival }) => arrival.links ?? [])
      await perform(session, writeLinks(links))
      const acknowledged = readable.flatMap(({ arrival }) => arrival.acknowledges ?? [])
      await perform(session, tellAcknowledged(acknowledged))
      await perform(session, prove(keyStore, proofs))
    },
  }
}

async function writeEvents(session: Session, news: readonly Item[], keys: ReadonlyMap<string, number>): Promise<void> {
  let from = 0
  const bodies: Uint8Array[] = []
  const rows = news.map(({ event, arrival }) => {
    const body = arrival.refused ? new Uint8Array() : arrival.body
    const row: Record<string, unknown> = {
      ...eventRowOf(event.id, arrival, event, arrival.body.byteLength),
      ...{ headers: JSON.stringify(arrival.headers), body_from: from, body_size: body.byteLength },
    }
    from += body.byteLength
    bodies.push(body)
    // Else the JSON would be longer.
    for (const name in row) row[name] ??= undefined
    return row
  })
  const [added] = await session.query(addEvents, [rowsOf(rows), Buffer.concat(bodies), asRows(keys)])
  expectNew(added?.keys ?? 0, keys)
}

type News = ReturnType<typeof createNews>

export const THREAD_CONNECTIONS = 2

export interface ThreadData {
  address: Address
  connections: number
  sameBytesWindow: number
}

const HEAP = { youngMb: 16 }

/** Accepts on a thread with connections of its own: talking to the server takes as long as talking to senders. */
export function createThreadAccepting(address: Address, sameBytesWindow: number): Accepting & AsyncDisposable {
  const data: ThreadData = { address, connections: THREAD_CONNECTIONS, sameBytesWindow }
  const thread = startThread(new URL('./accepting-thread.ts', import.meta.url), data, HEAP)

  async function ask(method: string, args: unknown[], transfer: ArrayBuffer[] = []): Promise<unknown> {
    const [result] = await thread.run([{ method, args }], transfer).catch((cause: unknown) => {
      throw new StorageUnavailableError('The store has stopped. Restart the hub.', { cause })
    })
    if (result && 'value' in result) return result.value
    const { name, message, code } = result?.error ?? { name: 'Error', message: 'no result', code: null }
    if (name === 'StorageUnavailableError') throw new StorageUnavailableError(message)
    throw Object.assign(new Error(message), { name, code })
  }

  return {
    async accept(arrivals) {
      const { packed, bodies } = pack(arrivals)
      return (await ask('accept', [packed, bodies], [bodies.buffer])) as Verdict[]
    },
    async tryOne(size) {
      await ask('tryOne', [size])
    },
    async [Symbol.asyncDispose]() {
      await ask(END, []).catch(() => undefined)
      await thread[Symbol.asyncDispose]()
    },
  }
}
