import type { Event } from '../../../domain/queue/event.ts'
import { UserError } from '../../../domain/values/errors.ts'
import { notThere } from '../../../domain/values/text.ts'
import type { Arrival } from '../../arrival.ts'
import { type OnceKeys, onceKeysOf } from '../../key.ts'
import { newestOf, type Undone } from '../../newest.ts'
import { OWED_COLUMNS, type Owed } from '../../owed.ts'
import { addKeys, asUuid, findKeys } from '../keys.ts'
import { prepared, rowsOf, type Session } from '../server/database.ts'
import { lockStrands, refreshStrands, strandOf } from './strands.ts'

/** An event that owes a step. */
export interface Owing {
  event: Omit<Event, 'body' | 'origin' | 'subscription' | 'entity'> & { size: number }
  step: Owed
}

const keep = prepared<Owing['event']>(`
  select id, kind, identity, revision, transport_key as "transportKey", body_hash as "bodyHash", received_at as "receivedAt",
      size
    from events where id = $1 for key share`)

/** An event that is to owe more, which is not dropped before the transaction is over. Throws a UserError where it is not there. */
export async function keepEvent(session: Session, id: number): Promise<Owing['event']> {
  const [event] = await session.query(keep, [id])
  if (!event) throw new UserError(notThere('event', id))
  return event
}

/** The deliveries that an arrival owes by an event that is, or will be, there. */
export function owingOf(event: Pick<Event, 'id' | 'revision'>, arrival: Arrival): Owing[] {
  const { kind, identity, transportKey, bodyHash, receivedAt, deliveries, body } = arrival
  const { id, revision } = event
  const about = { id, revision, size: body.byteLength, kind, identity, transportKey, bodyHash, receivedAt }
  return deliveries.map((step) => ({ event: about, step }))
}

/** Besides what every store writes: the strand that it is of. */
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
 * Locks the strands of deliveries, and writes those of strands that it makes, the first of each as its head: most of all,
 * in one statement. Ids are drawn before the locks, in the order of the list: they count for strands that are made here,
 * of which nobody else has any.
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
 * Deliveries of strands that were there already: their ids are drawn under the locks, and follow the commits of their strands.
 * Behind one that does not yield, no head yields any more.
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

/** Alike deliveries, those that are out among them: which of all is the newest must be known. */
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
 * Writes what events owe, whose rows are there. The ids of the new deliveries, in the order asked for; 0 where the event
 * has it already, or a `once` effect was ever owed (store.ts). `late`: the events were there before, so what they owe may
 * have its place before what is there.
 */
export async function owe(session: Session, owing: readonly Owing[], late = false): Promise<number[]> {
  const wanted = await withoutOwedOnce(session, owing)
  if (wanted.length === 0) return owing.map(() => 0)
  const rows = wanted.map(({ event, step }, n) => rowOf(event, step, n))
  const newest = wanted.filter(({ step }) => step.latestWins && step.entity !== null)
  // Alike deliveries may stand in the destination's other lane: it is locked if it is there.
  await lockStrands(
    session,
    newest.flatMap(({ step }) => bothStrands(step)),
  )
  const added = await session.query(begin, [rowsOf(rows.map(({ row }) => row))])
  const begun = new Set(added.map((row) => nameOf(row.eventId, row)))
  const behind = rows.filter(({ name }) => !begun.has(name))
  if (behind.length > 0) added.push(...(await session.query(add, [rowsOf(behind.map(({ row }) => row))])))
  const touched =
    newest.length === 0
      ? []
      : await keepNewest(
          session,
          newest.map(({ step }) => step),
        )
  // A delivery that was there already may have made an empty strand.
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

/** A `once` effect is owed at most once, to whomever or to each: by its key, the first that comes has it. */
async function withoutOwedOnce(session: Session, owing: readonly Owing[]): Promise<Owing[]> {
  const once = owing.flatMap((one) => (one.step.once ? [{ one, keys: onceKeys(one) }] : []))
  if (once.length === 0) return [...owing]
  const isSharing = ({ keys }: Once) => keys.shared !== null
  const first = await take(session, once, ({ own, shared }) => shared ?? own)
  // An effect owed under the shared name alone did not say which order it is of: it may be this one.
  const others = once.filter((each) => isSharing(each) && !first.has(each))
  const sharing = [...first].filter(isSharing)
  await addKeys(session, new Map([...keysIn(sharing, ({ told }) => told), ...keysIn(sharing, ({ own }) => own)]))
  const told = await findKeys(session, [...new Set(others.map(({ keys }) => keys.told))])
  const second = await take(
    session,
    others.filter(({ keys }) => told.has(keys.told)),
    ({ own }) => own,
  )
  const owed = new Set([...first, ...second].map(({ one }) => one))
  return owing.filter((one) => !one.step.once || owed.has(one))
}

interface Once {
  one: Owing
  keys: OnceKeys
}

/** Adds a key of each; gives those whose key was not there. Of several of one key, the first. */
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

/**
 * Alike deliveries: only the newest is made (by its version, else by its event), and those that are out. Dead and skipped ones
 * end too: nobody may make the old level or price by trying them again. The strands that it changed.
 */
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
    // A delivery that waits may have been on the wire when a hub died: what was acknowledged before it says nothing any more.
    const waited = others.filter(({ state }) => state === 'waiting')
    if (newest.digest !== null && waited.some((other) => other.force || other.digest !== newest.digest))
      anyway.push(newest.id)
  }
  if (anyway.length > 0) await session.query(sendAnyway, [anyway])
  if (ended.length > 0) await session.query(supersede, [ended.map(({ id }) => id)])
  return ended.map(({ strand }) => strand)
}

/** A delivery's name and its columns: nothing instead of null, which the server makes of it again, as most of them are. */
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

/** A delivery by what no other has alike; one without entity has a strand of this name. */
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

/**
 * Deliveries that ended dead or skipped while a newer one of their kind stands behind them are superseded: they were out when
 * that one came, and nobody may make them after it.
 */
export async function outdateThose(session: Session, deliveries: readonly number[]): Promise<void> {
  if (deliveries.length > 0) await session.query(outdate, [deliveries])
}
