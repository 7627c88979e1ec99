import { randomBytes } from 'node:crypto'
import { accept, type Engine } from '../accepting.ts'
import type { Arrival, Verdict } from '../arrival.ts'
import { listOfKeys } from '../key.ts'
import { payloadsOf } from '../tables/payloads.ts'
import { awaited } from '../tables/statement.ts'
import { owe, owingOf } from './claiming/owing.ts'
import { lockStrands, refreshStrands, strandsOf, writeClaimsDown } from './claiming/strands.ts'
import { lockTheFacts, prove } from './proving.ts'
import { lockSeen, type Seen } from './seen.ts'
import { type Database, perform, prepared, RepeatError, type Session, together } from './server/database.ts'
import { createNews, type News } from './server/news.ts'

const drawIds = prepared<{ id: number }>(`select nextval('event_ids') as id from generate_series(1, $1)`)
const strandsOfEvent = prepared<{ strand: string }>('select distinct strand from deliveries where event_id = $1')
const setBody = prepared<{ id: number }>('update payloads set body = $1 where event_id = $2 returning event_id as id')
const addBody = prepared(`
  insert into payloads (event_id, headers, body) values ($2, $3, $1) on conflict (event_id) do update set body = $1`)
const setEventBody = prepared<{ id: number }>(
  'update events set body_hash = $1, size = $2, facts = $3, entity = $4, subscription = $5 where id = $6 returning id',
)
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

/** Unlike any other; with a delivery. */
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
  // Ids after the locks: later revisions of an identity have higher ids.
  const [seen, drawn] = await together(lockSeen(session, arrivals), session.query(drawIds, [arrivals.length]))
  const ids = drawn.map(({ id }) => id)
  const news = createNews(session, seen)
  const engine = createEngine({ session, seen, news, sameBytesWindow, nextId: () => ids.shift() ?? 0 })
  const verdicts: Verdict[] = []
  for (const arrival of arrivals) verdicts.push(await perform(session, accept(engine, arrival)))
  await news.write()
  return verdicts
}

interface Parts {
  session: Session
  seen: Seen
  news: News
  sameBytesWindow: number
  nextId(): number
}

function createEngine({ session, seen, news, sameBytesWindow, nextId }: Parts): Engine<Arrival> {
  /** Of the event that is being completed. */
  let strands: string[] = []

  return {
    sameBytesWindow,
    look: (keys) => awaited(seen.look(keys)),
    get: seen.get,
    put: seen.put,
    event: (id, arrival) => awaited(seen.event(id, arrival)),
    isDeleted: seen.isGone,

    // Claims are written down by then.
    isClaimed: () => false,
    flush: () => awaited(news.write()),

    add(arrival, kept, keys) {
      const id = nextId()
      const { kind, identity, bodyHash, receivedAt, subscription } = arrival
      const hasKey = arrival.transportKey !== null
      const facts = arrival.facts && JSON.stringify(arrival.facts)
      news.add({
        event: { id, kind, identity, ...kept, bodyHash, receivedAt, facts, subscription, hasKey },
        arrival,
        line: kept.submission === null ? null : (arrival.submission?.line ?? null),
        only: kept.conflictWith !== null,
      })
      for (const key of keys ? listOfKeys(keys) : []) seen.put(key, id)
      return awaited(Promise.resolve(id))
    },

    *lockToComplete(id, arrival) {
      yield* awaited(news.write())
      yield* awaited(lockTheFacts(session, arrival.proves ?? []))
      strands = strandsOf(yield* awaited(session.query(strandsOfEvent, [id])))
      yield* awaited(lockStrands(session, strands))
      yield* awaited(writeClaimsDown(session, strands))
    },

    *complete(event, arrival) {
      const { id } = event
      const { bodyHash, entity, subscription, body, proves = [] } = arrival
      const facts = arrival.facts && JSON.stringify(arrival.facts)
      yield* awaited(setPayload(session, id, Buffer.from(body)))
      const values = [bodyHash, body.byteLength, facts, entity, subscription, id]
      const set = yield* awaited(session.query(setEventBody, values))
      if (set.length === 0) throw new RepeatError('An event was dropped just now.')
      seen.remember({ ...event, bodyHash, facts, subscription })
      const owed = yield* awaited(owe(session, owingOf(event, arrival), true))
      if (arrival.quiet || owed.some((one) => one > 0)) yield* awaited(session.query(setRouted, [[id]]))
      yield* awaited(refreshStrands(session, strands))
      const proofs = proves.map((fact) => ({ fact, event: id }))
      yield* awaited(prove(session, proofs))
    },
  }
}

/** A row of its own counts before the block. */
async function setPayload(session: Session, event: number, body: Buffer): Promise<void> {
  if ((await session.query(setBody, [body, event])).length > 0) return
  const packed = (await perform(session, payloadsOf([event]))).get(event)
  await session.query(addBody, [body, event, packed?.headers ?? '{}'])
}
