import type { Event } from '../../../domain/queue/event.ts'
import { UserError } from '../../../domain/values/errors.ts'
import { notThere } from '../../../domain/values/text.ts'
import type { Arrival } from '../../arrival.ts'
import { type OnceKeys, onceKeysOf } from '../../key.ts'
import { newestOf, OWED_COLUMNS, type Owed, type Undone } from '../../owed.ts'
import { pastSteps, stepName } from '../../tables/past.ts'
import { rowsOf } from '../../tables/statement.ts'
import { addKeys, asUuid, findKeys } from '../keys.ts'
import { perform, prepared, RepeatError, type Session } from '../server/database.ts'
import { lockStrands, refreshStrands, strandOf } from './strands.ts'

export interface Owing {
  event: Omit<Event, 'body' | 'origin' | 'subscription' | 'entity'> & { size: number }
  step: Owed
}

const keep = prepared<Owing['event']>(`
  select id, kind, identity, revision, transport_key as "transportKey", body_hash as "bodyHash", received_at as "receivedAt",
      size
    from events where id = $1 for key share`)

export async function keepEvent(session: Session, id: number): Promise<Owing['event']> {
  const [event] = await session.query(keep, [id])
  if (!event) throw new UserError(notThere('event', id))
  return event
}

export function owingOf(event: Pick<Event, 'id' | 'revision'>, arrival: Arrival): Owing[] {
  const { kind, identity, transportKey, bodyHash, receivedAt, deliveries, body } = arrival
  const { id, revision } = event
  const about = { id, revision, size: body.byteLength, kind, identity, transportKey, bodyHash, receivedAt }
  return deliveries.map((step) => ({ event: about, step }))
}

const COLUMNS = `${OWED_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')}, strand uuid`
const NAMES = `${OWED_COLUMNS.map(({ name }) => name).join(', ')}, strand`

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
 * Locks or makes the strands, and in one statement writes deliveries of new ones, the first as head. Ids are drawn
 * before the locks, which matters for new strands only.
 */
const begin = prepared<AddedRow>(`
  with drawn as materialized (
    select *, nextval('deliveries_id_seq') as id
      from json_to_recordset($1::text::json) as d (n int, size int, ${COLUMNS})
  ), made as (
    insert into strands (id, destination, urgency, head, due_at, batch, size, yields)
      select distinct on (strand) strand, destination, urgency, id, greatest(due_at, now_ms()),
          case when batch is not null then flow || chr(31) || batch end, size,
          bool_and(coalesce(yields, false)) over (partition by strand)
        from drawn order by strand, n
      on conflict (id) do update set head = strands.head where false
      returning id
  )
  insert into deliveries (id, state, ${NAMES})
    select id, 'waiting', ${VALUES} from drawn where strand in (select id from made) order by n
    on conflict (event_id, flow, part, destination) do nothing
    returning ${ADDED}`)
/**
 * Into existing strands: ids are drawn under the locks, in commit order. Before a normal one no head stays low
 * priority.
 */
const add = prepared<AddedRow>(`
  with more as (
    select * from json_to_recordset($1::text::json) as d (n int, ${COLUMNS})
  ), hurried as (
    update strands s set yields = false, due_at = case when s.due_at is not null then greatest(s.due_at, now_ms()) end
      from more where s.id = more.strand and s.yields and more.yields is not true
  )
  insert into deliveries (state, ${NAMES})
    select 'waiting', ${VALUES} from more order by n
    on conflict (event_id, flow, part, destination) do nothing
    returning ${ADDED}`)
const alike = prepared<AlikeRow>(`
  select d.id, d.event_id as "eventId", d.version, d.state, d.digest, d.force, d.strand, d.destination, d.entity, d.flow, d.part
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
  strand: string
  destination: string
  entity: string
  flow: string
  part: string
}

/**
 * Returns ids in order, 0 where already there or a `once` effect ever owed. `late`: the events are old, so heads may
 * change.
 */
export async function owe(session: Session, owing: readonly Owing[], late = false): Promise<number[]> {
  const wanted = await withoutOwedOnce(session, owing)
  if (wanted.length === 0) return owing.map(() => 0)
  const rows = wanted.map(({ event, step }, n) => rowOf(event, step, n))
  const newest = wanted.filter(({ step }) => step.latestWins && step.entity !== null)
  const alikeStrands = newest.flatMap(({ step }) => bothStrands(step))
  await lockStrands(session, alikeStrands)
  const added = await session.query(begin, [rowsOf(rows.map(({ row }) => row))])
  const begun = new Set(added.map((row) => nameOf(row.eventId, row)))
  const behind = rows.filter(({ name }) => !begun.has(name))
  if (behind.length > 0) added.push(...(await session.query(add, [rowsOf(behind.map(({ row }) => row))])))
  const steps = newest.map(({ step }) => step)
  const touched = steps.length === 0 ? [] : await keepNewest(session, steps)
  if (late || added.length < rows.length) touched.push(...rows.map(({ row }) => row.strand))
  await refreshStrands(session, touched)
  const ids = new Map(added.map((row) => [nameOf(row.eventId, row), row.id]))
  const owed = new Set(wanted)
  return owing.map((one) => {
    const name = nameOf(one.event.id, one.step)
    const id = owed.has(one) ? (ids.get(name) ?? 0) : 0
    ids.delete(name)
    return id
  })
}

async function withoutOwedOnce(session: Session, owing: readonly Owing[]): Promise<Owing[]> {
  const once = owing.flatMap((one) => (one.step.once ? [{ one, keys: onceKeys(one) }] : []))
  if (once.length === 0) return [...owing]
  const isSharing = ({ keys }: Once) => keys.shared !== null
  const first = await take(session, once, ({ own, shared }) => shared ?? own)
  // Owed under the shared name alone: may be of this order.
  const others = once.filter((each) => isSharing(each) && !first.has(each))
  const sharing = [...first].filter(isSharing)
  await addKeys(session, new Map([...keysIn(sharing, ({ told }) => told), ...keysIn(sharing, ({ own }) => own)]))
  const told = await findKeys(session, [...new Set(others.map(({ keys }) => keys.told))])
  const toldApart = others.filter(({ keys }) => told.has(keys.told))
  const second = await take(session, toldApart, ({ own }) => own)
  const owed = new Set([...first, ...second].map(({ one }) => one))
  return owing.filter((one) => !one.step.once || owed.has(one))
}

interface Once {
  one: Owing
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

function onceKeys({ event, step }: Owing): OnceKeys {
  const { own, shared, told } = onceKeysOf(event, step)
  return { own: asUuid(own), shared: shared && asUuid(shared), told: asUuid(told) }
}

/** Of alike pending ones only the newest is made; returns changed strands. */
async function keepNewest(session: Session, steps: readonly Owed[]): Promise<string[]> {
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
  return ended.map(({ strand }) => strand)
}

function rowOf(event: Owing['event'], step: Owed, n: number) {
  const name = nameOf(event.id, step)
  const row: Record<string, unknown> & { strand: string } = {
    n,
    size: event.size,
    strand: strandOf(step, step.entity, name),
  }
  for (const { name: column, read } of OWED_COLUMNS) {
    const value = read(step, event)
    if (value !== null) row[column] = value
  }
  return { name, row }
}

function bothStrands({ destination, entity }: Owed): string[] {
  return (['prompt', 'bulk'] as const).map((urgency) => strandOf({ destination, urgency }, entity, ''))
}

export function nameOf(
  event: number,
  { flow, part, destination }: Pick<Owed, 'flow' | 'part' | 'destination'>,
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
export async function outdateThose(session: Session, deliveries: readonly number[]): Promise<void> {
  if (deliveries.length > 0) await session.query(outdate, [deliveries])
}

export async function owedAgain(session: Session, event: Owing['event'], steps: readonly Owed[]): Promise<Owing[]> {
  const past = await perform(session, pastSteps(event.id))
  return steps.filter((step) => !past.has(stepName(step))).map((step) => ({ event, step }))
}

/** RepeatError where another hub archived a step since `owedAgain`. */
export async function expectNoneInPast(
  session: Session,
  event: Owing['event'],
  owing: readonly Owing[],
): Promise<void> {
  const steps = owing.map(({ step }) => step)
  if ((await owedAgain(session, event, steps)).length < steps.length)
    throw new RepeatError('What an event owes was moved to the past at the same time.')
}
