import type { Event } from '../../domain/queue/event.ts'
import { UserError } from '../../domain/values/errors.ts'
import { notFoundText } from '../../domain/values/text.ts'
import {
  type Arrival,
  NEW_DELIVERY_COLUMNS,
  type NewDelivery,
  newDeliveryRow,
  newestOf,
  type Undone,
} from '../arrival.ts'
import { type OnceKeys, onceKeysOf } from '../key.ts'
import { archivedSteps, stepName } from '../tables/past.ts'
import { rowsOf } from '../tables/statement.ts'
import { addKeys, asUuid, findKeys } from './keys.ts'
import { perform, prepared, RepeatError, type Session } from './server/database.ts'

export interface Enqueuing {
  event: Omit<Event, 'body' | 'origin' | 'subscription' | 'entity'>
  step: NewDelivery
}

const keep = prepared<Enqueuing['event']>(`
  select id, kind, identity, revision, transport_key as "transportKey", body_hash as "bodyHash", received_at as "receivedAt"
    from events where id = $1 for key share`)

export async function lockEvent(session: Session, id: number): Promise<Enqueuing['event']> {
  const [event] = await session.query(keep, [id])
  if (!event) throw new UserError(notFoundText('event', id))
  return event
}

export function enqueuingOf(event: Pick<Event, 'id' | 'revision'>, arrival: Arrival): Enqueuing[] {
  const { kind, identity, transportKey, bodyHash, receivedAt, deliveries } = arrival
  const { id, revision } = event
  const about = { id, revision, kind, identity, transportKey, bodyHash, receivedAt }
  return deliveries.map((step) => ({ event: about, step }))
}

/** Held until the commit: of one entity, ids are drawn in the order of commits, as a reader sees them. */
const lockThose = prepared(
  `select count(pg_advisory_xact_lock(hashtextextended(entity, 1))) from unnest($1::text[]) as e (entity)`,
)

/** Before ids of events or deliveries are drawn, and before the end of one that a newer one may make outdated. */
export async function lockEntities(session: Session, those: readonly { entity: string | null }[]): Promise<void> {
  const entities = new Set(those.flatMap(({ entity }) => entity ?? []))
  if (entities.size > 0) await session.query(lockThose, [[...entities].sort()])
}

const COLUMNS = NEW_DELIVERY_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')
const NAMES = NEW_DELIVERY_COLUMNS.map(({ name }) => name).join(', ')
const VALUES = NAMES.replace('due_at', 'coalesce(due_at, now_ms())').replace('yields', 'coalesce(yields, false)')

const add = prepared<Step & { id: number; eventId: number }>(`
  insert into deliveries (state, ${NAMES})
    select 'waiting', ${VALUES} from json_to_recordset($1::text::json) as d (n int, ${COLUMNS}) order by n
    on conflict (event_id, flow, part, destination) do nothing
    returning id, event_id as "eventId", flow, part, destination`)
const alike = prepared<AlikeRow>(`
  select d.id, d.event_id as "eventId", d.version, d.state, d.digest, d.force, d.destination, d.entity, d.flow, d.part,
      exists (select 1 from in_flight f where f.delivery_id = d.id) as "inFlight"
    from deliveries d join json_to_recordset($1::text::json) as w (destination text, entity text, flow text, part text)
      using (destination, entity, flow, part)
    where d.latest_wins and d.state in ('waiting', 'dead', 'skipped')`)
const supersede = prepared(`
  update deliveries set state = 'superseded', settled_at = now_ms(), code = 'superseded', why = 'a newer one came'
    where id = any($1::bigint[]) and state in ('waiting', 'dead', 'skipped')`)
const sendAnyway = prepared('update deliveries set force = true where id = any($1::bigint[])')

type Step = Pick<NewDelivery, 'flow' | 'part' | 'destination'>

interface AlikeRow extends Undone, Step {
  state: 'waiting' | 'dead' | 'skipped'
  digest: string | null
  force: boolean
  entity: string
  inFlight: boolean
}

/** Returns ids in order, 0 where already there or a `once` effect ever enqueued. */
export async function enqueue(session: Session, enqueuing: readonly Enqueuing[]): Promise<number[]> {
  const wanted = await withoutEnqueuedOnce(session, enqueuing)
  if (wanted.length === 0) return enqueuing.map(() => 0)
  const rows = wanted.map(({ event, step }, n) => withoutNull({ n, ...newDeliveryRow(step, event.id) }))
  const added = await session.query(add, [rowsOf(rows)])
  const newest = wanted.flatMap(({ step }) => (step.latestWins && step.entity !== null ? [step] : []))
  if (newest.length > 0) await keepNewest(session, newest)
  const ids = new Map(added.map((row) => [nameOf(row.eventId, row), row.id]))
  const pending = new Set(wanted)
  return enqueuing.map((one) => {
    const name = nameOf(one.event.id, one.step)
    const id = pending.has(one) ? (ids.get(name) ?? 0) : 0
    ids.delete(name)
    return id
  })
}

/** As JSON, nulls would only make it longer. */
const withoutNull = (row: object) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
const nameOf = (event: number, step: Step) => `${event} ${stepName(step)}`

async function withoutEnqueuedOnce(session: Session, enqueuing: readonly Enqueuing[]): Promise<Enqueuing[]> {
  const once = enqueuing.flatMap((one) => (one.step.once ? [{ one, keys: onceKeys(one) }] : []))
  if (once.length === 0) return [...enqueuing]
  const isSharing = ({ keys }: Once) => keys.shared !== null
  const first = await take(session, once, ({ own, shared }) => shared ?? own)
  // Enqueued under the shared name alone: may be of this order.
  const others = once.filter((each) => isSharing(each) && !first.has(each))
  const sharing = [...first].filter(isSharing)
  await addKeys(
    session,
    new Map([...keysIn(sharing, ({ disambiguated }) => disambiguated), ...keysIn(sharing, ({ own }) => own)]),
  )
  const known = await findKeys(session, [...new Set(others.map(({ keys }) => keys.disambiguated))])
  const free = others.filter(({ keys }) => known.has(keys.disambiguated))
  const second = await take(session, free, ({ own }) => own)
  const pending = new Set([...first, ...second].map(({ one }) => one))
  return enqueuing.filter((one) => !one.step.once || pending.has(one))
}

interface Once {
  one: Enqueuing
  keys: OnceKeys
}

async function take(session: Session, those: readonly Once[], keyOf: (keys: OnceKeys) => string): Promise<Set<Once>> {
  const firsts = new Map<string, Once>()
  for (const one of those) if (!firsts.has(keyOf(one.keys))) firsts.set(keyOf(one.keys), one)
  const added = await addKeys(session, keysIn([...firsts.values()], keyOf))
  return new Set([...firsts].flatMap(([key, one]) => (added.has(key) ? [one] : [])))
}

function keysIn(those: readonly Once[], keyOf: (keys: OnceKeys) => string): Map<string, number> {
  return new Map(those.map(({ one, keys }) => [keyOf(keys), one.event.id]))
}

function onceKeys({ event, step }: Enqueuing): OnceKeys {
  const { own, shared, disambiguated } = onceKeysOf(event, step)
  return { own: asUuid(own), shared: shared && asUuid(shared), disambiguated: asUuid(disambiguated) }
}

/** Of alike pending ones only the newest is made. In flight is left alone: its outcome decides. */
async function keepNewest(session: Session, steps: readonly NewDelivery[]): Promise<void> {
  const wanted = steps.map(({ destination, entity, flow, part }) => ({ destination, entity, flow, part }))
  const each = [...new Map(wanted.map((one) => [JSON.stringify(one), one])).values()]
  const groups = Map.groupBy(await session.query(alike, [rowsOf(each)]), (row) =>
    JSON.stringify([row.destination, row.entity, row.flow, row.part]),
  )
  const ended: AlikeRow[] = []
  const anyway: number[] = []
  for (const group of groups.values()) {
    const newest = newestOf(group)
    const others = group.filter(({ id, inFlight }) => id !== newest.id && !inFlight)
    ended.push(...others)
    const waited = others.filter(({ state }) => state === 'waiting')
    if (newest.digest !== null && waited.some((other) => other.force || other.digest !== newest.digest))
      anyway.push(newest.id)
  }
  if (anyway.length > 0) await session.query(sendAnyway, [anyway])
  if (ended.length > 0) await session.query(supersede, [ended.map(({ id }) => id)])
}

const outdate = prepared(`
  update deliveries o set state = 'superseded', settled_at = now_ms(), code = 'superseded', why = 'a newer one came'
    where o.id = any($1::bigint[]) and o.latest_wins and o.state in ('dead', 'skipped') and exists (
      select 1 from deliveries n
        where n.latest_wins and n.state in ('waiting', 'dead', 'skipped') and n.destination = o.destination
          and n.entity = o.entity and n.flow = o.flow and n.part = o.part and n.id <> o.id
          and case when n.version <> o.version then n.version > o.version else n.event_id > o.event_id end)`)

/** Supersedes dead or skipped ones that were in flight when a newer one came. */
export async function supersedeOutdated(session: Session, deliveries: readonly number[]): Promise<void> {
  if (deliveries.length > 0) await session.query(outdate, [deliveries])
}

export async function withoutArchived(
  session: Session,
  event: Enqueuing['event'],
  steps: readonly NewDelivery[],
): Promise<Enqueuing[]> {
  const past = await perform(session, archivedSteps(event.id))
  return steps.filter((step) => !past.has(stepName(step))).map((step) => ({ event, step }))
}

/** RepeatError where another hub archived a step since `withoutArchived`. */
export async function expectNoneArchived(
  session: Session,
  event: Enqueuing['event'],
  enqueuing: readonly Enqueuing[],
): Promise<void> {
  const steps = enqueuing.map(({ step }) => step)
  if ((await withoutArchived(session, event, steps)).length < steps.length)
    throw new RepeatError('What an event enqueues was moved to the past at the same time.')
}
