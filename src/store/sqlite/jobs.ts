import type { Database } from 'better-sqlite3'
import type { Instant } from '../../domain/instant.ts'
import type { JobRow } from '../../domain/job-status.ts'
import type { JobEnd } from '../store.ts'

/** So many runs of a job are kept, the newest ones. */
const KEPT_RUNS = 100

const COLUMNS = `name, state, started_at as lastStartedAt, succeeded_at as lastSucceededAt, failed_at as lastFailedAt,
  problem, note, failures, under_way as underWay`

type Row = Omit<JobRow, 'underWay'> & { underWay: number }

/** What is remembered of jobs. It runs inside a transaction of the caller. */
export function createJobs(db: Database) {
  const all = db.prepare<[], Row>(`select ${COLUMNS} from jobs order by name`)
  const begin = db.prepare<[string, Instant], Row>(
    `insert into jobs (name, started_at, failures, under_way) values (?, ?, 0, 1)
       on conflict (name) do update set started_at = excluded.started_at, under_way = 1 returning ${COLUMNS}`,
  )
  const save = db.prepare('update jobs set state = ? where name = ? and under_way = 1')
  const succeed = db.prepare<[Instant, string | null, string, string], Row>(
    `update jobs set under_way = 0, succeeded_at = ?, state = coalesce(?, state), note = ?, problem = null, failures = 0
       where name = ? and under_way = 1 returning ${COLUMNS}`,
  )
  const fail = db.prepare<[Instant, string, string], Row>(
    `update jobs set under_way = 0, failed_at = ?, problem = ?, failures = failures + 1
       where name = ? and under_way = 1 returning ${COLUMNS}`,
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

  return {
    jobs: (): JobRow[] => all.all().map(toRow),

    beginJob(name: string, now: Instant): JobRow {
      addRun.run(name, now)
      dropRuns.run(name, name)
      return only(name, begin.get(name, now))
    },

    saveJob(name: string, state: string): void {
      if (save.run(state, name).changes === 0) throw noRun(name)
    },

    endJob(name: string, end: JobEnd): JobRow {
      const [problem, note] = 'problem' in end ? [end.problem, null] : [null, end.note]
      const row =
        'problem' in end ? fail.get(end.at, end.problem, name) : succeed.get(end.at, end.state ?? null, end.note, name)
      endRun.run(end.at, problem, note, name)
      return only(name, row)
    },
  }
}

function only(name: string, row: Row | undefined): JobRow {
  if (row) return toRow(row)
  throw noRun(name)
}

function noRun(name: string): Error {
  return new Error(`No run of the job ${name} is under way.`)
}

function toRow(row: Row): JobRow {
  return { ...row, underWay: row.underWay === 1 }
}
