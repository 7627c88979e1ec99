import type { Event } from '../../../domain/queue/event.ts'
import { UserError } from '../../../domain/values/errors.ts'
import { notFoundText } from '../../../domain/values/text.ts'
import type { Arrival } from '../../arrival.ts'
import { NEW_DELIVERY_COLUMNS, type NewDelivery, newestOf, type Undone } from '../../arrival.ts'
import { type OnceKeys, onceKeysOf } from '../../key.ts'
import { archivedSteps, stepName } from '../../tables/past.ts'
import { rowsOf } from '../../tables/statement.ts'
import { addKeys, asUuid, findKeys } from '../keys.ts'
import { perform, prepared, RepeatError, type Session } from '../server/database.ts'
import { lockPartitions, partitionOf, refreshPartitions } from './partitions.ts'

export interface Enqueuing {
  event: Omit<Event, 'body' | 'origin' | 'subscription' | 'entity'> & { size: number }
  step: NewDelivery
}

const keep = prepared<Enqueuing['event']>(`
  select id, kind, identity, revision, transport_key as "transportKey", body_hash as "bodyHash", received_at as "receivedAt",
      size
    from events where id = $1 for key share`)

export async function lockEvent(session: Session, id: number): Promise<Enqueuing['event']> {
  const [event] = await session.query(keep, [id])
  if (!event) throw new UserError(notFoundText('event', id))
  return event
}

export function enqueuingOf(event: Pick<Event, 'id' | 'revision'>, arrival: Arrival): Enqueuing[] {
  const { kind, identity, transportKey, bodyHash, receivedAt, deliveries, body } = arrival
  const { id, revision } = event
  const about = { id, revision, size: body.byteLength, kind, identity, transportKey, bodyHash, receivedAt }
  return deliveries.map((step) => ({ event: about, step }))
}

const COLUMNS = `${NEW_DELIVERY_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')}, partition uuid`
const NAMES = `${NEW_DELIVERY_COLUMNS.map(({ name }) => name).join(', ')}, partition`

interface AddedRow {
  id: number
  eventId: number
  flow: string
  part: string
  destination: string
}
const ADDED = 'id, event_id as "eventId", flow, part, destination'
const VALUES = NAMES.replace('due_at', 'coalesce(due_at, now_ms())').replace('yields', 'coalesce(yields, false)')

/**
 * Locks or makes the partitions, and in one statement writes deliveries of new ones, the first as head. Ids are drawn
 * before the locks, which matters for new partitions only.
 */
const begin = prepared<AddedRow>(`
  with drawn as materialized (
    select *, nextval('deliveries_id_seq') as id
      from json_to_recordset($1::text::json) as d (n int, size int, ${COLUMNS})
  ), made as (
    insert into partitions (id, destination, urgency, head, due_at, batch, size, yields)
      select distinct on (partition) partition, destination, urgency, id, greatest(due_at, now_ms()),
          case when batch is not null then flow || chr(31) || batch end, size,
          bool_and(coalesce(yields, false)) over (partition by partition)
        from drawn order by partition, n
      on conflict (id) do update set head = partitions.head where false
      returning id
  )
  insert into deliveries (id, state, ${NAMES})
    select id, 'waiting', ${VALUES} from drawn where partition in (select id from made) order by n
    on conflict (event_id, flow, part, destination) do nothing
    returning ${ADDED}`)
/**
 * Into existing partitions: ids are drawn under the locks, in commit order. Before a normal one no head stays low
 * priority.
 */
const add = prepared<AddedRow>(`
  with more as (
    select * from json_to_recordset($1::text::json) as d (n int, ${COLUMNS})
  ), hurried as (
    update partitions s set yields = false, due_at = case when s.due_at is not null then greatest(s.due_at, now_ms()) end
      from more where s.id = more.partition and s.yields and more.yields is not true
  )
  insert into deliveries (state, ${NAMES})
    select 'waiting', ${VALUES} from more order by n
    on conflict (event_id, flow, part, destination) do nothing
    returning ${ADDED}`)
const alike = prepared<AlikeRow>(`
  select d.id, d.event_id as "eventId", d.version, d.state, d.digest, d.force, d.partition, d.destination, d.entity, d.flow, d.part
    from deliveries d join json_to_recordset($1::text::json) as w (destination text, entity text, flow text, part text)
      using (destination, entity, flow, part)
    where d.latest_wins and d.state in ('waiting', 'claimed', 'dead', 'skipped')`)
const supersede = prepared(`
  update deliveries set state = 'superseded', settled_at = now_ms(), code = 'superseded', why = 'a newer one came'
    where id = any($1::bigint[])`)
const sendAnyway = prepared('update deliveries set force = true where id = any($1::bigint[])')

interface AlikeRow extends Undone {
  state: 'waiting' | 'claimed' | 'dead' | 'skipped'
  digest: string | null
  force: boolean
  partition: string
  destination: string
  entity: string
  flow: string
  part: string
}

/**
 * Returns ids in order, 0 where already there or a `once` effect ever enqueued. `late`: the events are old, so heads may
 * change.
 */
export async function enqueue(session: Session, enqueuing: readonly Enqueuing[], late = false): Promise<number[]> {
  const wanted = await withoutEnqueuedOnce(session, enqueuing)
  if (wanted.length === 0) return enqueuing.map(() => 0)
  const rows = wanted.map(({ event, step }, n) => rowOf(event, step, n))
  const newest = wanted.filter(({ step }) => step.latestWins && step.entity !== null)
  const alikePartitions = newest.flatMap(({ step }) => bothPartitions(step))
  await lockPartitions(session, alikePartitions)
  const added = await session.query(begin, [rowsOf(rows.map(({ row }) => row))])
  const begun = new Set(added.map((row) => partitionNameOf(row.eventId, row)))
  const behind = rows.filter(({ name }) => !begun.has(name))
  if (behind.length > 0) added.push(...(await session.query(add, [rowsOf(behind.map(({ row }) => row))])))
  const steps = newest.map(({ step }) => step)
  const touched = steps.length === 0 ? [] : await keepNewest(session, steps)
  if (late || added.length < rows.length) touched.push(...rows.map(({ row }) => row.partition))
  await refreshPartitions(session, touched)
  const ids = new Map(added.map((row) => [partitionNameOf(row.eventId, row), row.id]))
  const pending = new Set(wanted)
  return enqueuing.map((one) => {
    const name = partitionNameOf(one.event.id, one.step)
    const id = pending.has(one) ? (ids.get(name) ?? 0) : 0
    ids.delete(name)
    return id
  })
}

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

/** Of alike pending ones only the newest is made; returns changed partitions. */
async function keepNewest(session: Session, steps: readonly NewDelivery[]): Promise<string[]> {
  const wanted = steps.map(({ destination, entity, flow, part }) => ({ destination, entity, flow, part }))
  const each = [...new Map(wanted.map((one) => [JSON.stringify(one), one])).values()]
  const groups = Map.groupBy(await session.query(alike, [rowsOf(each)]), (row) =>
    JSON.stringify([row.destination, row.entity, row.flow, row.part]),
  )
  const ended: AlikeRow[] = []
  const anyway: number[] = []
  for (const group of groups.values()) {
    const newest = newestOf(group)
    const others = group.filter(({ id, state }) => id !== newest.id && state !== 'claimed')
    ended.push(...others)
    const waited = others.filter(({ state }) => state === 'waiting')
    if (newest.digest !== null && waited.some((other) => other.force || other.digest !== newest.digest))
      anyway.push(newest.id)
  }
  if (anyway.length > 0) await session.query(sendAnyway, [anyway])
  if (ended.length > 0) await session.query(supersede, [ended.map(({ id }) => id)])
  return ended.map(({ partition }) => partition)
}

function rowOf(event: Enqueuing['event'], step: NewDelivery, n: number) {
  const name = partitionNameOf(event.id, step)
  const row: Record<string, unknown> & { partition: string } = {
    n,
    size: event.size,
    partition: partitionOf(step, step.entity, name),
  }
  for (const { name: column, read } of NEW_DELIVERY_COLUMNS) {
    const value = read(step, event)
    if (value !== null) row[column] = value
  }
  return { name, row }
}

function bothPartitions({ destination, entity }: NewDelivery): string[] {
  return (['prompt', 'bulk'] as const).map((urgency) => partitionOf({ destination, urgency }, entity, ''))
}

export function partitionNameOf(
  event: number,
  { flow, part, destination }: Pick<NewDelivery, 'flow' | 'part' | 'destination'>,
): string {
  return [event, flow, part, destination].join('\0')
}

const outdate = prepared(`
  update deliveries o set state = 'superseded', settled_at = now_ms(), code = 'superseded', why = 'a newer one came'
    where o.id = any($1::bigint[]) and o.latest_wins and o.state in ('dead', 'skipped') and exists (
      select 1 from deliveries n
        where n.latest_wins and n.state in ('waiting', 'claimed', 'dead', 'skipped') and n.destination = o.destination
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
