import type { EndpointUse, StoredEndpointUse } from '../../domain/health/health.ts'
import type { Link } from '../../domain/orders/link.ts'
import { HELD_AT } from '../../domain/queue/delivery.ts'
import type { QueueKey } from '../../domain/queue/queue-key.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { SubmissionLine } from '../arrival.ts'
import type { ClaimResult } from '../claim.ts'
import type { LookupRow, Pause, SubmissionEnd } from '../rows.ts'
import { execute, first, insertOf, isAny, query, rowsOf, type Steps, selected, setAll, statement } from './statement.ts'

const USE = selected('operation', 'address', 'firstAt', 'first', 'came', 'since')
const allUses = statement<StoredEndpointUse>(`select ${USE} from endpoint_uses order by operation collate "C"`)
const noteUse = statement(`
  insert into endpoint_uses as kept (operation, address, first_at, first, came, since)
    values ($1, $2, $4, $3, $3, $4)
    on conflict (operation) do update set address = excluded.address, came = excluded.came, since = excluded.since,
      first_at = case when kept.address = excluded.address then kept.first_at else excluded.first_at end,
      first = case when kept.address = excluded.address then kept.first else excluded.first end
    where kept.address <> excluded.address or kept.came not in ('worked', excluded.came)`)
const addLookup = statement('insert into lookups (at, number, found, missing, ms) values ($1, $2, $3, $4, $5)')
const setPause = statement(`
  insert into pauses (destination, urgency, until, why) values ($1, $2, $3, $4)
    on conflict (destination, urgency) ${setAll('until', 'why')}`)
const dropPause = statement('delete from pauses where destination = $1 and urgency = $2')
/** In SQLite also expired ones: the clock is the hub's. */
const allPauses = statement<Pause & QueueKey>(
  `select destination, urgency, until, why from pauses where until is null or until > now_ms() order by destination, urgency`,
  'select destination, urgency, until, why from pauses order by destination, urgency',
)
const findSubmission = statement<{ id: number }>(
  'select id from submissions where system = $1 and resource = $2 and key = $3',
)
const addSubmission = statement<{ id: number }>(`
  insert into submissions as s (system, resource, key, received_at) values ($1, $2, $3, $4)
    on conflict (system, resource, key) do update set received_at = s.received_at returning id`)
const setEnd = statement<{ id: number }>('update submissions set "end" = $1 where id = $2 returning id')
const countOpen = statement<{ destination: string; open: number }>(`
  select destination, count(*) as open from deliveries
    where state in ('waiting', 'claimed', 'held', 'dead') and state <> 'dead' group by destination`)
const markIsolated = statement(`
  update deliveries set crashes = crashes + case when id = $1::bigint then 1 else -1 end
    where id = any($2::bigint[]) and (id = $1::bigint or crashes = ${HELD_AT})`)
const write = statement('update customer_count set n = n')
const addLinks = insertOf(
  'links',
  { destination: 'text', kind: 'text', id: 'text', theirId: 'text', isLevel: 'boolean' },
  'order by 1, 2, 3, 4 on conflict do nothing',
)
const addAttempts = insertOf('attempts', {
  ...{ deliveryId: 'bigint', at: 'bigint', ms: 'int', outcome: 'text', code: 'text', note: 'text' },
})

export const notes = {
  endpointUses: () => query(allUses),
  noteEndpointUse: ({ operation, address, came }: EndpointUse, now: Instant) =>
    execute(noteUse, [operation, address, came, now]),

  noteLookup: ({ at, number, found, missing, ms }: LookupRow) =>
    execute(addLookup, [at, number, JSON.stringify(found), JSON.stringify(missing), Math.round(ms)]),

  pause: ({ destination, urgency }: QueueKey, { until, why }: Pause) =>
    execute(setPause, [destination, urgency, until, why]),
  resume: ({ destination, urgency }: QueueKey) => execute(dropPause, [destination, urgency]),
  *pauses(): Steps<(Pause & { queueKey: QueueKey })[]> {
    return (yield* query(allPauses)).map(({ until, why, ...queueKey }) => ({ queueKey, until, why }))
  },

  *endSubmission(id: number, end: SubmissionEnd): Steps<void> {
    if (!(yield* isAny(setEnd, [JSON.stringify(end), id]))) throw new Error(`There is no submission ${id}.`)
  },

  /** Deliveries that are not settled, by destination. */
  pending: () => query(countOpen),
  /**
   * Counts a crash in advance for a delivery run isolated; taken back by its outcome, or by the next mark's
   * `harmlessBefore`.
   */
  markIsolated: (delivery: number, harmlessBefore: number | null) =>
    execute(markIsolated, [delivery, [delivery, harmlessBefore ?? delivery]]),

  check: () => execute(write),
}

export function* submissionOf(system: string, { resource, key }: SubmissionLine, receivedAt: Instant): Steps<number> {
  const found = yield* first(findSubmission, [system, resource, key])
  const row = found ?? (yield* first(addSubmission, [system, resource, key, receivedAt]))
  if (!row) throw new Error(`The submission ${key} could not be made.`)
  return row.id
}

export function* writeLinks(links: readonly Link[]): Steps<void> {
  const rows = links.map((link) => ({ ...link, isLevel: link.isLevel === true }))
  if (rows.length > 0) yield* query(addLinks, [rowsOf(rows)])
}

export function* writeAttempts(results: readonly Pick<ClaimResult, 'delivery' | 'attempt'>[]): Steps<void> {
  const rows = results.map(({ delivery, attempt }) => ({
    deliveryId: delivery,
    ...attempt,
    ms: Math.round(attempt.ms),
  }))
  if (rows.length > 0) yield* query(addAttempts, [rowsOf(rows)])
}
