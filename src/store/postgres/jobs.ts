import type { JobRow } from '../../domain/health/job-status.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { endedSo, lostRun, mayBegin } from '../job-claims.ts'
import type { JobClaim, JobEnd, JobLease, JobStart } from '../job-lease.ts'
import { type Database, prepared, type Session } from './server/database.ts'

/** The most runs of a job that are kept, the newest ones. */
const KEPT_RUNS = 100

const COLUMNS = `name, state, started_at as "lastStartedAt", succeeded_at as "lastSucceededAt", failed_at as "lastFailedAt",
  problem, note, failures, under_way as "underWay", lease_until as "leaseUntil"`

/** The run of the job that is under way, and the caller's. */
const OWN = 'name = $1 and fence = $2 and under_way'

/** A caller that begins a job waits for another that is just beginning it, also the first time, when there is no row to lock. */
const lock = prepared<{ now: Instant }>(
  `select now_ms() as now from (select pg_advisory_xact_lock(hashtextextended('job ' || $1, 0))) as locked`,
)
const all = prepared<JobRow>(`select ${COLUMNS} from jobs order by name collate "C"`)
const one = prepared<JobRow>(`select ${COLUMNS} from jobs where name = $1 for update`)
const over = prepared<JobRow>(`select ${COLUMNS} from jobs where name = $1 and fence = $2 and not under_way`)
const draw = prepared<{ fence: number }>(`select nextval('fences') as fence`)
const begin = prepared<JobRow>(`
  insert into jobs (name, started_at, failures, under_way, lease_until, fence)
    values ($1, $2, 0, true, now_ms() + $3::bigint, $4)
    on conflict (name) do update set started_at = excluded.started_at, under_way = true,
      lease_until = excluded.lease_until, fence = excluded.fence
    returning ${COLUMNS}`)
const renew = prepared<JobRow>(`update jobs set lease_until = now_ms() + $3::bigint where ${OWN} returning ${COLUMNS}`)
/** By a clock that was ahead: a lease lasts no longer than one that begins now. */
const endSooner = prepared(`
  update jobs set lease_until = now_ms() + $2::bigint where name = $1 and lease_until > now_ms() + $2::bigint`)
const save = prepared<{ name: string }>(`update jobs set state = $3 where ${OWN} returning name`)
const succeed = prepared<JobRow>(`
  update jobs set under_way = false, lease_until = null, succeeded_at = $3, state = coalesce($4, state), note = $5,
      problem = null, failures = 0
    where ${OWN} returning ${COLUMNS}`)
const fail = prepared<JobRow>(`
  update jobs set under_way = false, lease_until = null, failed_at = $3, problem = $4, failures = failures + 1
    where ${OWN} returning ${COLUMNS}`)
const addRun = prepared('insert into job_runs (job, started_at) values ($1, $2)')
const endRun = prepared(`
  update job_runs set ended_at = $2, problem = $3, note = $4 where id = (select max(id) from job_runs where job = $1)`)
const dropRuns = prepared(`
  delete from job_runs where job = $1 and id <=
    (select id from job_runs where job = $1 order by id desc limit 1 offset ${KEPT_RUNS})`)

/** The memory of jobs. Leases are counted by the server's clock, whatever the callers' say. */
export function createJobs(db: Database) {
  /** Fences of runs that were begun without an answer: such a run may be under way, and is nobody else's. */
  const unanswered = new Map<string, number>()

  async function lost(session: Session, name: string): Promise<Error> {
    const [row] = await session.query(one, [name])
    return lostRun(name, row?.underWay ?? false)
  }

  /** The row of a run that has ended so before. */
  async function endedBefore(session: Session, name: string, fence: number, end: JobEnd): Promise<JobRow> {
    const [row] = await session.query(over, [name, fence])
    if (!row || !endedSo(row, end)) throw await lost(session, name)
    return row
  }

  async function beginAs(session: Session, fence: number, name: string, start: JobStart): Promise<JobClaim | null> {
    const [locked] = await session.query(lock, [name])
    const [own] = await session.query(renew, [name, fence, start.lease])
    if (own) return { row: own, fence }
    const [before = null] = await session.query(one, [name])
    if (!locked) return null
    if ((before?.leaseUntil ?? 0) > locked.now + start.lease) await session.query(endSooner, [name, start.lease])
    if (!mayBegin(before, { ...start, now: locked.now })) return null
    const [row] = await session.query(begin, [name, start.now, start.lease, fence])
    if (!row) throw new Error(`The row of the job ${name} was not written.`)
    await session.query(addRun, [name, start.now])
    await session.query(dropRuns, [name])
    return { row, fence }
  }

  return {
    jobs: (): Promise<JobRow[]> => db.query(all),

    async beginJob(name: string, start: JobStart): Promise<JobClaim | null> {
      const fence = unanswered.get(name) ?? (await db.query(draw))[0]?.fence ?? 0
      // Who asks meanwhile gets a fence of his own.
      unanswered.delete(name)
      try {
        return await db.transaction((session) => beginAs(session, fence, name, start))
      } catch (error) {
        unanswered.set(name, fence)
        throw error
      }
    },

    async renewJob(name: string, fence: number, { lease }: JobLease): Promise<boolean> {
      return (await db.query(renew, [name, fence, lease])).length > 0
    },

    saveJob: (name: string, fence: number, state: string): Promise<void> =>
      db.transaction(async (session) => {
        const [saved] = await session.query(save, [name, fence, state])
        if (!saved) throw await lost(session, name)
      }),

    endJob: (name: string, fence: number, end: JobEnd): Promise<JobRow> =>
      db.transaction(async (session) => {
        const [row] =
          'problem' in end
            ? await session.query(fail, [name, fence, end.at, end.problem])
            : await session.query(succeed, [name, fence, end.at, end.state ?? null, end.note])
        if (!row) return await endedBefore(session, name, fence, end)
        const [problem, note] = 'problem' in end ? [end.problem, null] : [null, end.note]
        await session.query(endRun, [name, end.at, problem, note])
        return row
      }),
  }
}
