import type { Database } from 'better-sqlite3'
import type { Instant } from '../../domain/values/instant.ts'
import type { SubmissionLine } from '../arrival.ts'
import type { SubmissionEnd } from '../screens.ts'

/** The requests of own systems. It runs inside a transaction of the caller. */
export function createSubmissions(db: Database) {
  const find = db.prepare<[string, string, string], { id: number }>(
    'select id from submissions where system = ? and resource = ? and key = ?',
  )
  const add = db.prepare('insert into submissions (system, resource, key, received_at) values (?,?,?,?)')
  const setEnd = db.prepare('update submissions set end = ? where id = ?')

  return {
    /** The id of the request that a line is of; made with its first line. */
    idOf(system: string, { resource, key }: SubmissionLine, receivedAt: Instant): number {
      const found = find.get(system, resource, key)
      return found?.id ?? Number(add.run(system, resource, key, receivedAt).lastInsertRowid)
    },

    end(id: number, end: SubmissionEnd): void {
      if (setEnd.run(JSON.stringify(end), id).changes === 0) throw new Error(`There is no submission ${id}.`)
    },
  }
}

export type Submissions = ReturnType<typeof createSubmissions>
