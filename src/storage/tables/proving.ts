import type { Instant } from '../../domain/values/instant.ts'
import { factKeyOf, type KeyStore } from '../accepting.ts'
import type { EndedDelivery, OutcomeOf } from '../queue/queues.ts'
import { acknowledge } from './acknowledging.ts'
import { supersedeOutdated } from './enqueuing.ts'
import { writeAttempts, writeLinks } from './notes.ts'
import { inSqlite, query, readAnew, rowsOf, type Steps, statement } from './statement.ts'

/** Proving, beginning a call in doubt and coming back from one must see each other. */
const lockFacts = statement(
  `select count(pg_advisory_xact_lock(hashtextextended(fact, 0))) from unnest($1::text[]) as f (fact)`,
  null,
)
const UNCERTAIN = `
  select id, effect, destination, entity, once from deliveries d
    where effect is not null and effect = any($1::text[]) and open and state in ('waiting', 'held')`
const uncertainOf = statement<EndedDelivery & { effect: string; once: unknown }>(
  `${UNCERTAIN} and not exists (select 1 from in_flight f where f.delivery_id = d.id)`,
  inSqlite(UNCERTAIN),
)
const deliver = statement(`
  update deliveries as d set state = 'delivered', open = false, finds = 0, failing_since = null,
      settled_at = coalesce($2::bigint, now_ms()), code = 'proven', why = p.note
    from json_to_recordset($1::text::json) as p (id bigint, note text) where d.id = p.id`)
const noteDelivered = statement(`
  insert into attempts (delivery_id, at, ms, outcome, code, note)
    select id, settled_at, 0, 'delivered', 'proven', why from deliveries where id = any($1::bigint[])`)

export interface Doubtful {
  delivery: number
  effect: string | null
}

export function* lockTheFacts(facts: readonly string[]): Steps<void> {
  if (facts.length > 0) yield* query(lockFacts, [[...new Set(facts)].sort()])
}

/** The events that have proven facts. */
export function* provenFacts(keys: KeyStore, facts: readonly string[]): Steps<ReadonlyMap<string, number>> {
  const byKey = new Map(facts.map((fact) => [factKeyOf(fact), fact]))
  const known = yield* keys.find([...byKey.keys()])
  return new Map([...known].map(([key, event]) => [byKey.get(key) ?? '', event]))
}

/**
 * The first to prove a fact is remembered; in-doubt deliveries of it become delivered, but for those in flight. `out`:
 * claimed in this process (claimed `once` ones are not `waiting` in the file). `now` null: the server's.
 */
export function* prove(
  keys: KeyStore,
  proofs: readonly { fact: string; event: number }[],
  now: Instant | null = null,
  out: ReadonlySet<number> = new Set(),
): Steps<EndedDelivery[]> {
  if (proofs.length === 0) return []
  const first = new Map<string, number>()
  for (const { fact, event } of proofs) if (!first.has(fact)) first.set(fact, event)
  const facts = [...first.keys()]
  yield* lockTheFacts(facts)
  yield* keys.add(new Map([...first].map(([fact, event]) => [factKeyOf(fact), event])))
  const found = yield* query(uncertainOf, [facts])
  const ended = found.filter(({ id, once }) => once || !out.has(id))
  if (ended.length > 0) yield* readAnew()
  const proven = ended.map(({ id, effect }) => ({ id, event: first.get(effect) ?? 0 }))
  yield* deliverProven(proven, now)
  return ended.map(({ id, destination, entity }) => ({ id, destination, entity }))
}

function* deliverProven(proven: readonly { id: number; event: number }[], now: Instant | null): Steps<void> {
  if (proven.length === 0) return
  yield* query(deliver, [rowsOf(proven.map(({ id, event }) => ({ id, note: `proven by event ${event}` }))), now])
  yield* query(noteDelivered, [proven.map(({ id }) => id)])
}

export const effectsOf = (those: readonly { effect: string | null }[]) => those.flatMap(({ effect }) => effect ?? [])

/** Those in doubt of which an event has proven the effect become delivered; returns them. */
export function* deliverWhereProven(
  keys: KeyStore,
  doubtful: readonly Doubtful[],
  now: Instant | null = null,
): Steps<ReadonlySet<number>> {
  const effects = effectsOf(doubtful)
  const facts = effects.length === 0 ? new Map<string, number>() : yield* provenFacts(keys, effects)
  const proven = doubtful.flatMap(({ delivery, effect }) => {
    const event = facts.get(effect ?? '')
    return event === undefined ? [] : [{ id: delivery, event }]
  })
  yield* deliverProven(proven, now)
  return new Set(proven.map(({ id }) => id))
}

/** What follows from outcomes besides their own rows; returns those in doubt that are proven. `now` null: the server's. */
export function* followOutcomes(
  keys: KeyStore,
  outcomes: readonly OutcomeOf[],
  isApplied: (one: OutcomeOf) => boolean,
  now: Instant | null = null,
): Steps<ReadonlySet<number>> {
  const dead = outcomes.filter(({ next }) => next.state === 'dead').map(({ delivery }) => delivery)
  yield* supersedeOutdated(dead, now)
  yield* acknowledge(outcomes.filter(({ comparedAt }) => comparedAt !== undefined))
  yield* writeAttempts(outcomes.filter((one) => !one.atOnce || !isApplied(one)))
  yield* writeLinks(outcomes.flatMap(({ links }) => links))
  const doubtful = outcomes.filter((one) => one.next.open && isApplied(one))
  return yield* deliverWhereProven(keys, doubtful, now)
}
