import type { Database } from 'better-sqlite3'
import type { JobRow } from '../../domain/health/job-status.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { endedSo, lostRun, mayBegin } from '../job-claims.ts'
import type { JobClaim, JobEnd, JobLease, JobStart } from '../job-lease.ts'

/** The most runs of a job that are kept, the newest ones. */
const KEPT_RUNS = 100

const COLUMNS = `name, state, started_at as lastStartedAt, succeeded_at as lastSucceededAt, failed_at as lastFailedAt,
  problem, note, failures, under_way as underWay, lease_until as leaseUntil`

/** The run of the job that is under way, and the caller's. */
const OWN = 'name = ? and fence = ? and under_way = 1'

type Row = Omit<JobRow, 'underWay'> & { underWay: number }

/** The memory of jobs. It runs inside a transaction of the caller. */
export function createJobs(db: Database) {
  const all = db.prepare<[], Row>(`select ${COLUMNS} from jobs order by name`)
  const one = db.prepare<[string], Row>(`select ${COLUMNS} from jobs where name = ?`)
  const begin = db.prepare<[string, Instant, Instant], Row & { fence: number }>(
    `insert into jobs (name, started_at, failures, under_way, lease_until, fence) values (?, ?, 0, 1, ?, 1)
       on conflict (name) do update set started_at = excluded.started_at, under_way = 1,
         lease_until = excluded.lease_until, fence = coalesce(fence, 0) + 1 returning ${COLUMNS}, fence`,
  )
  const renew = db.prepare(`update jobs set lease_until = ? where ${OWN}`)
  const save = db.prepare(`update jobs set state = ? where ${OWN}`)
  const succeed = db.prepare<[Instant, string | null, string, string, number], Row>(
    `update jobs set under_way = 0, lease_until = null, succeeded_at = ?, state = coalesce(?, state), note = ?,
       problem = null, failures = 0 where ${OWN} returning ${COLUMNS}`,
  )
  const fail = db.prepare<[Instant, string, string, number], Row>(
    `update jobs set under_way = 0, lease_until = null, failed_at = ?, problem = ?, failures = failures + 1
       where ${OWN} returning ${COLUMNS}`,
  )
  const over = db.prepare<[string, number], Row>(
    `select ${COLUMNS} from jobs where name = ? and fence = ? and under_way = 0`,
  )
  const addRun = db.prepare('insert into job_runs (job, started_at) values (?, ?)')
  const endRun = db.prepare(
    `update job_runs set ended_at = ?, problem = ?, note = ?
       where id = (select max(id) from job_runs where job = ?)`,
  )
  const dropRuns = db.prepare(
    `delete from job_runs where job = ? and id <=
       (select id from job_runs where job = ? order by id desc limit 1 offset ${KEPT_RUNS})`,
  )
  const freeAll = db.prepare('update jobs set lease_until = null where lease_until is not null')

  function rowOf(name: string): JobRow | null {
    const row = one.get(name)
    return row ? toRow(row) : null
  }

  function lost(name: string): Error {
    return lostRun(name, rowOf(name)?.underWay ?? false)
  }

  return {
    jobs: (): JobRow[] => all.all().map(toRow),

    beginJob(name: string, start: JobStart): JobClaim | null {
      const { now, lease } = start
      if (!mayBegin(rowOf(name), start)) return null
      const begun = begin.get(name, now, now + lease)
      if (!begun) throw new Error(`The row of the job ${name} was not written.`)
      addRun.run(name, now)
      dropRuns.run(name, name)
      const { fence, ...row } = begun
      return { row: toRow(row), fence }
    },

    renewJob: (name: string, fence: number, { now, lease }: JobLease): boolean =>
      renew.run(now + lease, name, fence).changes > 0,

    saveJob(name: string, fence: number, state: string): void {
      if (save.run(state, name, fence).changes === 0) throw lost(name)
    },

    endJob(name: string, fence: number, end: JobEnd): JobRow {
      const row =
        'problem' in end
          ? fail.get(end.at, end.problem, name, fence)
          : succeed.get(end.at, end.state ?? null, end.note, name, fence)
      if (!row) {
        const before = over.get(name, fence)
        if (!before || !endedSo(toRow(before), end)) throw lost(name)
        return toRow(before)
      }
      const [problem, note] = 'problem' in end ? [end.problem, null] : [null, end.note]
      endRun.run(end.at, problem, note, name)
      return toRow(row)
    },

    /** The leases all end: this process has the file alone, so whoever was running a job is gone. */
    endLeases(): void {
      freeAll.run()
    },
  }
}

function toRow(row: Row): JobRow {
  return { ...row, underWay: row.underWay === 1 }
}
