import { deliveryKey, type Event, POSSIBLE_DUPLICATE } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { digest, type KeyStore } from '../accepting.ts'
import type { NewDelivery } from '../arrival.ts'
import type { RowOf } from '../schema.ts'
import { inSqlite, query, rowsOf, type Steps, statement } from './statement.ts'

/* What both engines keep to when deliveries are enqueued: an effect once for ever, and of alike ones the newest. */

export interface Enqueuing {
  event: Omit<Event, 'body' | 'origin' | 'subscription' | 'entity'>
  step: NewDelivery
}

/** Held until the commit: of one entity, ids are drawn in the order of commits, as a reader sees them. */
const lockThose = statement(
  `select count(pg_advisory_xact_lock(hashtextextended(entity, 1))) from unnest($1::text[]) as e (entity)`,
  null,
)

/** Before ids of events or deliveries are drawn, and before the end of one that a newer one may make outdated. */
export function* lockEntities(those: readonly { entity: string | null }[]): Steps<void> {
  const entities = new Set(those.flatMap(({ entity }) => entity ?? []))
  if (entities.size > 0) yield* query(lockThose, [[...entities].sort()])
}

type Once = ReturnType<typeof asOnce>

/**
 * `shared`: a name shared with effects of other orders (`keyByNumber`). `disambiguated`: present only where the shared name
 * was taken under a more exact own name.
 */
function asOnce(one: Enqueuing) {
  const { flow, part, effect, keyByNumber = null, each, destination } = one.step
  const whose = each ? `${destination}/` : ''
  const own = digest('once', `${whose}${deliveryKey(one.event, flow, part, effect)}`)
  if (keyByNumber === null) return { one, own, shared: null, disambiguated: '' }
  const shared = digest('once', `${whose}${deliveryKey(one.event, flow, part, keyByNumber)}`)
  return { one, own, shared, disambiguated: digest('once-disambiguated', shared) }
}

/**
 * Null in place of those whose `once` effect was ever enqueued. One number may name two facts: what says something else
 * than the first, or than what is kept of it, is for a person.
 */
export function* withoutEnqueuedOnce(
  keys: KeyStore,
  enqueuing: readonly Enqueuing[],
): Steps<readonly (Enqueuing | null)[]> {
  const once = enqueuing.filter(({ step }) => step.once).map(asOnce)
  if (once.length === 0) return enqueuing
  const first = yield* take(keys, once, ({ own, shared }) => shared ?? own)
  const second = once.some(({ shared }) => shared !== null) ? yield* takeShared(keys, once, first) : []
  const pending = new Map([...first, ...second].map(({ one }) => [one, one]))
  const doubted = once.filter(({ one }) => one.step.said != null && !pending.has(one))
  if (doubted.length > 0) for (const [one, other] of yield* contradicting(keys, doubted, first)) pending.set(one, other)
  return enqueuing.map((one) => (one.step.once ? (pending.get(one) ?? null) : one))
}

function* contradicting(
  keys: KeyStore,
  doubted: readonly Once[],
  first: ReadonlySet<Once>,
): Steps<Map<Enqueuing, Enqueuing>> {
  const saying = new Map([...first].map(({ own, one }) => [own, one.step.said]))
  const known = yield* keys.find(doubted.map(({ own }) => own))
  const asked = doubted.map(({ own, one }) => ({ before: known.get(own) ?? 0, ...one.step }))
  const kept = yield* query(saidBefore, [rowsOf(asked.map(({ before, flow, effect }) => ({ before, flow, effect })))])
  const others = new Map<Once, Enqueuing>()
  for (const [nth, { one, own }] of doubted.entries()) {
    const { before, said, ...step } = asked[nth] as (typeof asked)[number]
    const isSame = (row: (typeof kept)[number]) =>
      row.before === before && row.flow === step.flow && row.effect === step.effect
    if ((saying.get(own) ?? kept.find(isSame)?.said) === said) continue
    const part = `${POSSIBLE_DUPLICATE}${before}`
    others.set(asOnce({ ...one, step: { ...step, part, entity: null, effect: `${step.effect}/${said}` } }), one)
  }
  const taken = yield* take(keys, [...others.keys()], ({ own }) => own)
  return new Map([...taken].map((once) => [others.get(once) as Enqueuing, once.one]))
}

function* takeShared(keys: KeyStore, once: readonly Once[], first: ReadonlySet<Once>): Steps<Set<Once>> {
  const sharing = [...first].filter(({ shared }) => shared !== null)
  const more = sharing.flatMap(({ one, own, disambiguated }) => [disambiguated, own].map((key) => [key, one] as const))
  yield* keys.add(new Map(more.map(([key, { event }]) => [key, event.id])))
  // Enqueued under the shared name alone: may be of this order.
  const others = once.filter((each) => each.shared !== null && !first.has(each))
  const known = yield* keys.find(others.map(({ disambiguated }) => disambiguated))
  const free = others.filter(({ disambiguated }) => known.has(disambiguated))
  return yield* take(keys, free, ({ own }) => own)
}

function* take(keys: KeyStore, those: readonly Once[], keyOf: (once: Once) => string): Steps<Set<Once>> {
  const firsts = new Map<string, Once>()
  for (const one of those) if (!firsts.has(keyOf(one))) firsts.set(keyOf(one), one)
  const added = yield* keys.add(new Map([...firsts].map(([key, { one }]) => [key, one.event.id])))
  return new Set([...firsts].flatMap(([key, one]) => (added.has(key) ? [one] : [])))
}

const saidBefore = statement<{ before: number; flow: string; effect: string; said: string | null }>(`
  select d.event_id as before, d.flow, d.effect, d.said
    from json_to_recordset($1::text::json) as w (before bigint, flow text, effect text)
      join deliveries d on d.event_id = w.before and d.flow = w.flow and d.effect = w.effect`)

const ALIKE = `
  select d.id, d.event_id as "eventId", d.version, d.state, d.digest, d.force, d.destination, d.entity, d.flow, d.part`
const OF_STEPS = `
    from json_to_recordset($1::text::json) as w (destination text, entity text, flow text, part text)
      join deliveries d on d.destination = w.destination and d.entity = w.entity and d.flow = w.flow and d.part = w.part
    where d.latest_wins and d.state in ('waiting', 'dead', 'skipped')`
// One hub in one process knows in memory what is in flight.
const alike = statement<AlikeRow>(
  `${ALIKE}, exists (select 1 from in_flight f where f.delivery_id = d.id) as "inFlight" ${OF_STEPS}`,
  inSqlite(`${ALIKE}, false as "inFlight" ${OF_STEPS}`),
)
const END = `state = 'superseded', settled_at = coalesce($2::bigint, now_ms()), code = 'superseded', why = 'a newer one came'`
const supersede = statement(`
  update deliveries set ${END} where id = any($1::bigint[]) and state in ('waiting', 'dead', 'skipped')`)
const sendAnyway = statement('update deliveries set force = true where id = any($1::bigint[])')
const outdate = statement(`
  update deliveries as o set ${END}
    where o.id = any($1::bigint[]) and o.latest_wins and o.state in ('dead', 'skipped') and exists (
      select 1 from deliveries n
        where n.latest_wins and n.state in ('waiting', 'dead', 'skipped') and n.destination = o.destination
          and n.entity = o.entity and n.flow = o.flow and n.part = o.part and n.id <> o.id
          and case when n.version <> o.version then n.version > o.version else n.event_id > o.event_id end)`)

interface AlikeRow extends Undone, Pick<RowOf<'deliveries'>, 'state' | 'digest' | 'destination' | 'flow' | 'part'> {
  entity: string
  force: unknown
  inFlight: unknown
}

const NONE: ReadonlySet<number> = new Set()

/**
 * Of alike pending ones only the newest is made; dead and skipped ones end too, as retrying would bring back an old level
 * or price. In flight (`out`: in this process) is left alone: its outcome decides. `now` null: the server's.
 */
export function* keepNewest(
  added: readonly NewDelivery[],
  now: Instant | null,
  out: ReadonlySet<number> = NONE,
): Steps<AlikeRow[]> {
  const steps = added.filter(({ latestWins, entity }) => latestWins && entity !== null)
  if (steps.length === 0) return []
  const wanted = steps.map(({ destination, entity, flow, part }) => ({ destination, entity, flow, part }))
  const each = new Map(wanted.map((one) => [nameOf(one), one]))
  const groups = Map.groupBy(yield* query(alike, [rowsOf([...each.values()])]), nameOf)
  const ended: AlikeRow[] = []
  const anyway: number[] = []
  for (const group of groups.values()) {
    const newest = newestOf(group)
    const isOut = ({ id, state, inFlight }: AlikeRow) => Boolean(inFlight) || (state === 'waiting' && out.has(id))
    const others = group.filter((one) => one.id !== newest.id && !isOut(one))
    ended.push(...others)
    const waited = others.filter(({ state }) => state === 'waiting')
    if (newest.digest !== null && waited.some((other) => other.force || other.digest !== newest.digest))
      anyway.push(newest.id)
  }
  if (anyway.length > 0) yield* query(sendAnyway, [anyway])
  if (ended.length > 0) yield* query(supersede, [ended.map(({ id }) => id), now])
  return ended
}

function nameOf({ destination, entity, flow, part }: Pick<NewDelivery, 'destination' | 'entity' | 'flow' | 'part'>) {
  return JSON.stringify([destination, entity, flow, part])
}

/** Supersedes dead or skipped ones that were in flight when a newer one came. `now` null: the server's. */
export function* supersedeOutdated(deliveries: readonly number[], now: Instant | null): Steps<void> {
  if (deliveries.length > 0) yield* query(outdate, [deliveries, now])
}

type Undone = Pick<RowOf<'deliveries'>, 'id' | 'eventId' | 'version'>

function isNewer(a: Undone, b: Undone): boolean {
  const versioned = a.version !== null && b.version !== null && a.version !== b.version
  return versioned ? Number(a.version) > Number(b.version) : a.eventId > b.eventId
}

function newestOf<One extends Undone>(alike: readonly One[]): One {
  return alike.reduce((a, b) => (isNewer(b, a) ? b : a))
}
