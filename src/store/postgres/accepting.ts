import { randomBytes } from 'node:crypto'
import { decide, type Known, otherOfKey } from '../../domain/queue/dedupe.ts'
import type { Arrival, Verdict } from '../arrival.ts'
import { conflictKeyOf, forgottenKeyOf, latestConflictKeyOf, underOwnKey } from '../key.ts'
import { stateOf } from '../retention/gone.ts'
import { submissionOf } from '../tables/notes.ts'
import { payloadsOf } from '../tables/payloads.ts'
import { owe, owingOf } from './claiming/owing.ts'
import { lockStrands, refreshStrands, strandsOf, writeClaimsDown } from './claiming/strands.ts'
import { asUuid } from './keys.ts'
import { lockTheFacts, prove } from './proving.ts'
import { type ArrivalKeys, keysOfArrival, lockSeen, lookUp, type Seen, type SeenEvent } from './seen.ts'
import { type Database, perform, prepared, RepeatError, type Session, together } from './server/database.ts'
import { createNews, type News } from './server/news.ts'

const drawIds = prepared<{ id: number }>(`select nextval('event_ids') as id from generate_series(1, $1)`)
const strandsOfEvent = prepared<{ strand: string }>('select distinct strand from deliveries where event_id = $1')
const actedOn = prepared<{ id: number }>(
  `select id from all_deliveries where event_id = $1 and (state <> 'waiting' or first_tried_at is not null)
     union all select event_id from keys where key = $2::uuid limit 1`,
)
/** A copy would bring an erased data subject back. */
const actedOnOrForgotten = (event: number) => [event, asUuid(forgottenKeyOf(event))]
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
  const accept: Accepting['accept'] = (arrivals) =>
    db.transaction((session) => acceptAll(session, arrivals, sameBytesWindow))
  return {
    accept,
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
  const taking: Taking = { session, seen, news, window: sameBytesWindow, nextId: () => ids.shift() ?? 0 }
  const verdicts: Verdict[] = []
  for (const arrival of arrivals) verdicts.push(await accept(taking, arrival))
  await news.write()
  return verdicts
}

interface Taking {
  session: Session
  seen: Seen
  news: News
  window: number
  nextId(): number
}

async function accept(taking: Taking, arrival: Arrival): Promise<Verdict> {
  if (arrival.refused) return keep(taking, arrival, 0, null, null)
  if (arrival.completes) return complete(taking, arrival, arrival.completes)
  const keys = taking.seen.keysOf(arrival)
  const known = lookUp(taking.seen, arrival, keys)
  const same = otherOfKey(arrival, known)
  if (same === null) return take(taking, arrival, { keys, known, same })
  const own = underOwnKey(arrival)
  const ownKeys = keysOfArrival(own)
  await taking.seen.look(ownKeys.transport === null ? [] : [ownKeys.transport])
  return take(taking, own, { keys: ownKeys, known: lookUp(taking.seen, own, ownKeys), same })
}

interface Told {
  keys: ArrivalKeys
  known: Known
  same: number | null
}

async function take(taking: Taking, arrival: Arrival, { keys, known, same }: Told): Promise<Verdict> {
  const decision = decide(arrival, known, taking.window, keys.transport !== null && same === null)
  switch (decision.type) {
    case 'duplicate':
      if (keys.transport && !known.byTransportKey) taking.seen.put(keys.transport, decision.of)
      return decision.otherBytes ? comparable(taking, arrival, decision.of) : duplicate(taking, arrival, decision.of)
    case 'conflict':
      return conflict(taking, arrival, decision.with, keys, same)
    case 'new':
      return keep(taking, arrival, decision.revision, keys, same)
  }
}

async function keep(
  taking: Taking,
  arrival: Arrival,
  revision: number,
  keys: ArrivalKeys | null,
  sameKeyAs: number | null,
): Promise<Verdict> {
  const { session, seen } = taking
  const state = stateOf(arrival)
  const line = arrival.submission ?? null
  const submission = line ? await perform(session, submissionOf(arrival.origin, line, arrival.receivedAt)) : null
  const id = add(taking, arrival, { state, revision, conflictWith: null, submission, sameKeyAs })
  for (const key of [keys?.transport, keys?.about]) if (key) seen.put(key, id)
  if (state === 'quarantined') return { status: 'quarantined', id }
  return { status: 'accepted', id, unrouted: state === 'unrouted', submission, sameKeyAs }
}

type Kept = Pick<SeenEvent, 'state' | 'conflictWith' | 'revision' | 'submission' | 'sameKeyAs'>

function add({ news, nextId }: Taking, arrival: Arrival, kept: Kept): number {
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
  return id
}

/**
 * Other content under an immutable identity: stored beside the first, for an operator. No line of its submission: the
 * sender is told.
 */
async function conflict(
  taking: Taking,
  arrival: Arrival,
  withId: number,
  keys: ArrivalKeys,
  sameKeyAs: number | null,
): Promise<Verdict> {
  const { seen } = taking
  const same = asUuid(conflictKeyOf(withId, arrival.bodyHash))
  // Counted, so that each has a delivery key of its own if an operator routes it.
  const latest = asUuid(latestConflictKeyOf(withId))
  await seen.look([same, latest])
  const before = seen.get(same)
  if (before !== undefined) return await duplicate(taking, arrival, before)
  const last = seen.get(latest)
  const revision = (last === undefined ? 0 : ((await seen.event(last, arrival))?.revision ?? 0)) + 1
  const id = add(taking, arrival, { state: 'unrouted', revision, conflictWith: withId, submission: null, sameKeyAs })
  for (const key of [same, latest, keys.transport]) if (key !== null) seen.put(key, id)
  return await conflicting(taking, arrival, id, withId)
}

/** Same identity, other bytes: may complete the first, if that was not acted on. */
async function comparable(taking: Taking, arrival: Arrival, of: number): Promise<Verdict> {
  const verdict = await duplicate(taking, arrival, of)
  // The first event's deliveries may be of the same list, not yet written.
  await taking.news.write()
  const [acted] = await taking.session.query(actedOn, actedOnOrForgotten(of))
  // Of a deleted event nothing is left to compare with.
  return verdict.status === 'duplicate' && !acted && !taking.seen.isGone(of)
    ? { ...verdict, comparable: true }
    : verdict
}

/** A richer body replaces the sparser one that it was compared with, unless that was acted on. */
async function complete(
  taking: Taking,
  arrival: Arrival,
  { event: of, bodyHash }: NonNullable<Arrival['completes']>,
): Promise<Verdict> {
  const { session, seen, news } = taking
  await news.write()
  await lockTheFacts(session, arrival.proves ?? [])
  const strands = strandsOf(await session.query(strandsOfEvent, [of]))
  await lockStrands(session, strands)
  await writeClaimsDown(session, strands)
  const event = await seen.event(of, arrival)
  const [acted] = await session.query(actedOn, actedOnOrForgotten(of))
  // Completed by another meanwhile: this one may still be richer.
  if (!event || seen.isGone(of) || event.bodyHash !== bodyHash) return await comparable(taking, arrival, of)
  if (acted) return await duplicate(taking, arrival, of)
  const facts = arrival.facts && JSON.stringify(arrival.facts)
  const size = arrival.body.byteLength
  await setPayload(session, of, Buffer.from(arrival.body))
  const { entity, subscription } = arrival
  const set = await session.query(setEventBody, [arrival.bodyHash, size, facts, entity, subscription, of])
  if (set.length === 0) throw new RepeatError('An event was dropped just now.')
  seen.remember({ ...event, bodyHash: arrival.bodyHash, facts, subscription: arrival.subscription })
  const owed = await owe(session, owingOf(event, arrival), true)
  if (arrival.quiet || owed.some((id) => id > 0)) await session.query(setRouted, [[of]])
  await refreshStrands(session, strands)
  const proofs = (arrival.proves ?? []).map((fact) => ({ fact, event: of }))
  await prove(session, proofs)
  const { submission } = event
  return { status: 'duplicate', id: of, completed: true, otherBytes: true, submission }
}

/** A row of its own counts before the block. */
async function setPayload(session: Session, event: number, body: Buffer): Promise<void> {
  if ((await session.query(setBody, [body, event])).length > 0) return
  const packed = (await perform(session, payloadsOf([event]))).get(event)
  await session.query(addBody, [body, event, packed?.headers ?? '{}'])
}

async function duplicate(taking: Taking, arrival: Arrival, of: number): Promise<Verdict> {
  const event = await taking.seen.event(of, arrival)
  const otherBytes = event?.bodyHash !== arrival.bodyHash
  if (arrival.exact && event && event.conflictWith !== null && !otherBytes)
    return await conflicting(taking, arrival, of, event.conflictWith)
  return { status: 'duplicate', id: of, completed: false, otherBytes, submission: event?.submission ?? null }
}

async function conflicting({ seen }: Taking, arrival: Arrival, id: number, withId: number): Promise<Verdict> {
  return { status: 'conflict', id, with: withId, submission: (await seen.event(withId, arrival))?.submission ?? null }
}
