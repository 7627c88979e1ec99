import { type JobRow, leasedUntil } from '../../domain/health/health.ts'
import { JobLostError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { JobClaim, JobEnd, JobLease, JobStart } from '../rows.ts'
import { first, isAny, query, type Steps, statement } from './statement.ts'

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
    const locked = yield* first(lock, [name])
    const now = locked?.now ?? start.now
    const until = now + start.lease
    const own = drawn === null ? null : yield* first(renew, [name, drawn, until])
    if (own && drawn !== null) return { row: toRow(own), fence: drawn }
    const before = yield* first(one, [name])
    if (locked) yield* query(endSooner, [name, until])
    if (!mayBegin(before ? toRow(before) : null, { ...start, now })) return null
    const begun = yield* first(begin, [name, start.now, until, drawn])
    if (!begun) throw new Error(`The row of the job ${name} was not written.`)
    yield* query(addRun, [name, start.now])
    yield* query(dropRuns, [name])
    const { fence, ...row } = begun
    return { row: toRow(row), fence }
  },

  *renewJob(name: string, fence: number, { now, lease }: JobLease): Steps<boolean> {
    const server = yield* first(clock)
    return yield* isAny(renew, [name, fence, (server?.now ?? now) + lease])
  },

  *saveJob(name: string, fence: number, state: string): Steps<void> {
    if (!(yield* isAny(save, [name, fence, state]))) throw yield* lost(name)
  },

  *endJob(name: string, fence: number, end: JobEnd): Steps<JobRow> {
    const row =
      'problem' in end
        ? yield* first(fail, [name, fence, end.at, end.problem])
        : yield* first(succeed, [name, fence, end.at, end.state ?? null, end.note])
    if (!row) {
      const before = yield* first(over, [name, fence])
      if (!before || !endedSo(before, end)) throw yield* lost(name)
      return toRow(before)
    }
    yield* query(endRun, [name, end.at, row.problem, 'problem' in end ? null : row.note])
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
  const row = yield* first(one, [name])
  return new JobLostError(
    row?.underWay
      ? `Another hub has taken over the run of the job ${name}.`
      : `No run of the job ${name} is under way.`,
  )
}

function toRow(row: Row): JobRow {
  return { ...row, underWay: Boolean(row.underWay) }
}
