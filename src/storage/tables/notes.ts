import { type EndpointUse, type JobRow, leasedUntil, type StoredEndpointUse } from '../../domain/health/health.ts'
import type { Link } from '../../domain/orders/link.ts'
import type { QueueKey } from '../../domain/queue/queue-key.ts'
import { JobLostError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { SubmissionLine } from '../arrival.ts'
import type { ClaimResult } from '../claim.ts'
import type { JobClaim, JobEnd, JobLease, JobStart, LookupRow, Pause, SubmissionEnd } from '../rows.ts'
import { insertOf, query, rowsOf, type Steps, selected, statement } from './statement.ts'

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
    on conflict (destination, urgency) do update set until = excluded.until, why = excluded.why`)
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
  *endpointUses(): Steps<StoredEndpointUse[]> {
    return yield* query(allUses)
  },
  *noteEndpointUse({ operation, address, came }: EndpointUse, now: Instant): Steps<void> {
    yield* query(noteUse, [operation, address, came, now])
  },

  *noteLookup({ at, number, found, missing, ms }: LookupRow): Steps<void> {
    yield* query(addLookup, [at, number, JSON.stringify(found), JSON.stringify(missing), Math.round(ms)])
  },

  *pause({ destination, urgency }: QueueKey, { until, why }: Pause): Steps<void> {
    yield* query(setPause, [destination, urgency, until, why])
  },
  *resume({ destination, urgency }: QueueKey): Steps<void> {
    yield* query(dropPause, [destination, urgency])
  },
  *pauses(): Steps<(Pause & { queueKey: QueueKey })[]> {
    return (yield* query(allPauses)).map(({ until, why, ...queueKey }) => ({ queueKey, until, why }))
  },

  *endSubmission(id: number, end: SubmissionEnd): Steps<void> {
    const [row] = yield* query(setEnd, [JSON.stringify(end), id])
    if (!row) throw new Error(`There is no submission ${id}.`)
  },

  *check(): Steps<void> {
    yield* query(write)
  },
}

export function* submissionOf(system: string, { resource, key }: SubmissionLine, receivedAt: Instant): Steps<number> {
  const [found] = yield* query(findSubmission, [system, resource, key])
  const [row] = found ? [found] : yield* query(addSubmission, [system, resource, key, receivedAt])
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

const MAX_RUNS = 100

const COLUMNS = `name, state, started_at as "lastStartedAt", succeeded_at as "lastSucceededAt", failed_at as "lastFailedAt",
  problem, note, failures, under_way as "underWay", lease_until as "leaseUntil"`

const OWN = 'name = $1 and fence = $2 and under_way'

type Row = Omit<JobRow, 'underWay'> & { underWay: unknown }

/** Also at the first run, without a row to lock. */
const lock = statement<{ now: Instant }>(
  `select now_ms() as now from (select pg_advisory_xact_lock(hashtextextended('job ' || $1, 0))) as locked`,
  null,
)
/** Leases count by the server's clock. */
const clock = statement<{ now: Instant }>('select now_ms() as now', null)
const all = statement<Row>(`select ${COLUMNS} from jobs order by name collate "C"`)
const one = statement<Row>(`select ${COLUMNS} from jobs where name = $1 for update`)
const over = statement<Row>(`select ${COLUMNS} from jobs where name = $1 and fence = $2 and not under_way`)
const begin = statement<Row & { fence: number }>(`
  insert into jobs (name, started_at, failures, under_way, lease_until, fence)
    values ($1, $2, 0, true, $3::bigint, coalesce($4::bigint, 1))
    on conflict (name) do update set started_at = excluded.started_at, under_way = true,
      lease_until = excluded.lease_until, fence = coalesce($4::bigint, coalesce(jobs.fence, 0) + 1)
    returning ${COLUMNS}, fence`)
const renew = statement<Row>(`update jobs set lease_until = $3::bigint where ${OWN} returning ${COLUMNS}`)
/** After a clock change no lease outlasts a new one. */
const endSooner = statement('update jobs set lease_until = $2::bigint where name = $1 and lease_until > $2::bigint')
const save = statement<{ name: string }>(`update jobs set state = $3 where ${OWN} returning name`)
const succeed = statement<Row>(`
  update jobs set under_way = false, lease_until = null, succeeded_at = $3, state = coalesce($4, state), note = $5,
      problem = null, failures = 0
    where ${OWN} returning ${COLUMNS}`)
const fail = statement<Row>(`
  update jobs set under_way = false, lease_until = null, failed_at = $3, problem = $4, failures = failures + 1
    where ${OWN} returning ${COLUMNS}`)
const addRun = statement('insert into job_runs (job, started_at) values ($1, $2)')
const endRun = statement(`
  update job_runs set ended_at = $2, problem = $3, note = $4 where id = (select max(id) from job_runs where job = $1)`)
const dropRuns = statement(`
  delete from job_runs where job = $1 and id <=
    (select id from job_runs where job = $1 order by id desc limit 1 offset ${MAX_RUNS})`)

export const jobReads = {
  *jobs(): Steps<JobRow[]> {
    return (yield* query(all)).map(toRow)
  },
}

export const jobWrites = {
  /** `drawn`: several hubs draw fences first; a run with this one was begun, its answer lost. */
  *beginJob(name: string, start: JobStart, drawn: number | null = null): Steps<JobClaim | null> {
    const [locked] = yield* query(lock, [name])
    const now = locked?.now ?? start.now
    const until = now + start.lease
    const [own] = drawn === null ? [] : yield* query(renew, [name, drawn, until])
    if (own && drawn !== null) return { row: toRow(own), fence: drawn }
    const [before] = yield* query(one, [name])
    if (locked) yield* query(endSooner, [name, until])
    if (!mayBegin(before ? toRow(before) : null, { ...start, now })) return null
    const [begun] = yield* query(begin, [name, start.now, until, drawn])
    if (!begun) throw new Error(`The row of the job ${name} was not written.`)
    yield* query(addRun, [name, start.now])
    yield* query(dropRuns, [name])
    const { fence, ...row } = begun
    return { row: toRow(row), fence }
  },

  *renewJob(name: string, fence: number, { now, lease }: JobLease): Steps<boolean> {
    const [server] = yield* query(clock)
    return (yield* query(renew, [name, fence, (server?.now ?? now) + lease])).length > 0
  },

  *saveJob(name: string, fence: number, state: string): Steps<void> {
    const [saved] = yield* query(save, [name, fence, state])
    if (!saved) throw yield* lost(name)
  },

  *endJob(name: string, fence: number, end: JobEnd): Steps<JobRow> {
    const [row] =
      'problem' in end
        ? yield* query(fail, [name, fence, end.at, end.problem])
        : yield* query(succeed, [name, fence, end.at, end.state ?? null, end.note])
    if (!row) {
      const [before] = yield* query(over, [name, fence])
      if (!before || !endedSo(before, end)) throw yield* lost(name)
      return toRow(before)
    }
    const [problem, note] = 'problem' in end ? [end.problem, null] : [null, end.note]
    yield* query(endRun, [name, end.at, problem, note])
    return toRow(row)
  },
}

function mayBegin(row: JobRow | null, { now, after }: JobStart): boolean {
  if (row !== null && leasedUntil(row, now) !== null) return false
  return after === undefined || after === (row?.lastStartedAt ?? null)
}

function endedSo(row: Row, end: JobEnd): boolean {
  return 'problem' in end
    ? row.lastFailedAt === end.at && row.problem === end.problem
    : row.lastSucceededAt === end.at && row.note === end.note
}

function* lost(name: string): Steps<JobLostError> {
  const [row] = yield* query(one, [name])
  return new JobLostError(
    row?.underWay
      ? `Another hub has taken over the run of the job ${name}.`
      : `No run of the job ${name} is under way.`,
  )
}

function toRow(row: Row): JobRow {
  return { ...row, underWay: Boolean(row.underWay) }
}
