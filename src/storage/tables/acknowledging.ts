import type { Arrival } from '../arrival.ts'
import { type Claim, leavesNothing } from '../claim.ts'
import type { OutcomeOf } from '../queue/queues.ts'
import { insertOf, query, rowsOf, type Steps, setAll, statement } from './statement.ts'

const compare = statement<{ id: number; unchanged: unknown; stale: unknown; unacknowledged: unknown }>(`
  select d.id, not d.force and a.digest = d.digest as unchanged, a.version > d.version or e.version > d.version as stale,
      not d.force and a.flow is null and e.flow is null as unacknowledged
    from deliveries d
      left join acknowledged a
        on a.destination = d.destination and a.flow = d.flow and a.subject = coalesce(d.subject, d.entity)
      left join acknowledged e on e.destination = d.destination and e.flow = d.flow and e.subject = d.entity and d.subject <> d.entity
    where d.id = any($1::bigint[])`)

const SENT = 'json_to_recordset($1::text::json) as p (id bigint, destination text)'
/** A subject may get another name (a customer of the platform becomes one of an own system): its entity keeps the version. */
const SUBJECTS = `(
  select p.destination, d.flow, coalesce(d.subject, d.entity) as subject, d.digest, d.version, d.id
    from ${SENT} join deliveries d on d.id = p.id where d.digest is not null or d.version is not null
  union all
  select p.destination, d.flow, d.entity, null, d.version, d.id
    from ${SENT} join deliveries d on d.id = p.id where d.version is not null and d.subject <> d.entity) as sent`
// Older states change nothing; of two of one subject the last counts.
const put = statement(`
  insert into acknowledged as a (destination, flow, subject, digest, version)
    select destination, flow, subject, digest, version from (
      select *, row_number() over (partition by destination, flow, subject order by version desc nulls last, id desc) as nth
        from ${SUBJECTS}) as sent
      where nth = 1 order by destination, flow, subject
    on conflict (destination, flow, subject) do update
      set digest = excluded.digest, version = coalesce(excluded.version, a.version)
      where a.version is null or excluded.version is null or excluded.version >= a.version`)
const pass = statement(`
  insert into acknowledged as a (destination, flow, subject, version)
    select destination, flow, subject, max(version) from ${SUBJECTS} where version is not null and subject is not null
      group by destination, flow, subject order by destination, flow, subject
    on conflict (destination, flow, subject) do update set version = excluded.version
      where a.version is null or excluded.version > a.version`)
const tell = insertOf(
  'acknowledged',
  { destination: 'text', flow: 'text', subject: 'text', digest: 'text' },
  `order by destination, flow, subject on conflict (destination, flow, subject) ${setAll('digest')}`,
)
// A destination that had the same state before still has it.
const clearDigest = statement(`
  update acknowledged as a set digest = null
    from ${SENT} join deliveries d on d.id = p.id
    where a.destination = p.destination and a.flow = d.flow and a.subject = coalesce(d.subject, d.entity)
      and (d.digest is not null or d.version is not null) and a.digest is distinct from d.digest`)

interface Sent {
  id: number
  destination: string
}

export type Compared = Pick<Claim, 'unchanged' | 'stale' | 'unacknowledged'>

export function* compareWithAcknowledged(deliveries: readonly number[]): Steps<Map<number, Compared>> {
  if (deliveries.length === 0) return new Map()
  const rows = yield* query(compare, [deliveries])
  return new Map(
    rows.map(({ id, unchanged, stale, unacknowledged }) => [
      id,
      {
        unchanged: Boolean(unchanged),
        stale: Boolean(stale),
        ...(unacknowledged ? { unacknowledged: true as const } : {}),
      },
    ]),
  )
}

/** Of deliveries with a digest or version. One that may or may not have landed makes the state unknown. */
export function* acknowledge(outcomes: readonly OutcomeOf[]): Steps<void> {
  const delivered: Sent[] = []
  const passed: Sent[] = []
  const unsure: Sent[] = []
  for (const { delivery, next, attempt, isPartial, comparedAt } of outcomes) {
    if (isPartial || comparedAt === undefined) continue
    const sent = { id: delivery, destination: comparedAt }
    if (next.state === 'delivered') delivered.push(sent)
    // What is older is not for the destination any more.
    else if (leavesNothing(attempt)) passed.push(sent)
    else if (next.open || attempt.outcome === 'unknown') unsure.push(sent)
  }
  if (delivered.length > 0) yield* query(put, [rowsOf(delivered)])
  if (passed.length > 0) yield* query(pass, [rowsOf(passed)])
  yield* forgetAcknowledged(unsure)
}

export function* tellAcknowledged(reported: readonly NonNullable<Arrival['acknowledges']>[number][]): Steps<void> {
  const last = new Map(reported.map((one) => [JSON.stringify([one.destination, one.flow, one.subject]), one]))
  if (last.size > 0) yield* query(tell, [rowsOf([...last.values()])])
}

/** Perhaps on the wire or landed; also given ones that have no digest. */
export function* forgetAcknowledged(sent: readonly Sent[]): Steps<void> {
  const rows = sent.map(({ id, destination }) => ({ id, destination }))
  if (rows.length > 0) yield* query(clearDigest, [rowsOf(rows)])
}
