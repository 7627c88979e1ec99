import { factKeyOf } from '../key.ts'
import { rowsOf } from '../tables/statement.ts'
import { readAnew } from './fencing.ts'
import { addKeys, asUuid, findKeys } from './keys.ts'
import { prepared, type Session } from './server/database.ts'

/** Proving, beginning a call in doubt and coming back from one must see each other. */
const lockFacts = prepared(
  `select count(pg_advisory_xact_lock(hashtextextended(fact, 0))) from unnest($1::text[]) as f (fact)`,
)
const uncertainOf = prepared<Uncertain>(`
  select id, effect from deliveries d
    where effect is not null and effect = any($1::text[]) and open and state in ('waiting', 'held')
      and not exists (select 1 from in_flight f where f.delivery_id = d.id)`)
const deliver = prepared(`
  with proven as (
    select * from json_to_recordset($1::text::json) as p (id bigint, note text)
  ), tried as (
    insert into attempts (delivery_id, at, ms, outcome, code, note)
      select id, now_ms(), 0, 'delivered', 'proven', note from proven
  )
  update deliveries d set state = 'delivered', open = false, finds = 0, failing_since = null, settled_at = now_ms(),
      code = 'proven', why = p.note
    from proven p where d.id = p.id`)

interface Uncertain {
  id: number
  effect: string
}

export async function lockTheFacts(session: Session, facts: readonly string[]): Promise<void> {
  if (facts.length > 0) await session.query(lockFacts, [[...new Set(facts)].sort()])
}

export async function provenFacts(session: Session, facts: readonly string[]): Promise<Map<string, number>> {
  const byKey = new Map(facts.map((fact) => [asUuid(factKeyOf(fact)), fact]))
  const known = await findKeys(session, [...byKey.keys()])
  return new Map([...known].map(([key, event]) => [byKey.get(key) ?? '', event]))
}

/** The first to prove a fact is remembered; in-doubt deliveries of it become delivered, but for those in flight. */
export async function prove(session: Session, proofs: readonly { fact: string; event: number }[]): Promise<void> {
  if (proofs.length === 0) return
  const facts = [...new Set(proofs.map(({ fact }) => fact))]
  await lockTheFacts(session, facts)
  const first = new Map<string, number>()
  for (const { fact, event } of proofs) if (!first.has(fact)) first.set(fact, event)
  await addKeys(session, new Map([...first].map(([fact, event]) => [asUuid(factKeyOf(fact)), event])))
  const uncertain = await session.query(uncertainOf, [facts])
  if (uncertain.length > 0) await readAnew(session)
  await deliverProven(
    session,
    uncertain.map(({ id, effect }) => ({ id, event: first.get(effect) ?? 0 })),
  )
}

async function deliverProven(session: Session, proven: readonly { id: number; event: number }[]): Promise<void> {
  if (proven.length === 0) return
  await session.query(deliver, [rowsOf(proven.map(({ id, event }) => ({ id, note: `proven by event ${event}` })))])
}

export const effectsOf = (those: readonly { effect: string | null }[]) => those.flatMap(({ effect }) => effect ?? [])

export async function deliverWhereProven(
  session: Session,
  claims: readonly { delivery: number; effect: string | null }[],
): Promise<Set<number>> {
  const effects = effectsOf(claims)
  const facts = effects.length === 0 ? new Map<string, number>() : await provenFacts(session, effects)
  const proven = claims.flatMap(({ delivery, effect }) => {
    const event = effect === null ? undefined : facts.get(effect)
    return event === undefined ? [] : [{ id: delivery, event }]
  })
  await deliverProven(session, proven)
  return new Set(proven.map(({ id }) => id))
}
