import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { UserError } from '../../domain/values/errors.ts'
import type { StartThread } from '../../lib/thread.ts'
import { lockOut, missingMigrations } from '../sqlite/file/connection.ts'
import { codeOf, describeUnavailable, isUnavailable } from '../sqlite/file/unavailable.ts'
import { openSqliteStore } from '../sqlite/store.ts'
import { type CopiedTable, strandBytes } from './tables.ts'

export interface Source extends Disposable {
  count(table: string): number
  rows(table: CopiedTable): Iterable<unknown[]>
}

/** UserError where it is missing, in use or of another version. */
export function checkSource(path: string): void {
  if (!existsSync(path)) throw new UserError(`There is no ${path}.`)
  using _lock = lockFile(path)
  using opened = openFile(path)
  const missing = plainly(path, () => missingMigrations(opened.db))
  if (missing < 0) throw new UserError(`${path} was written by a newer Tillbridge. Copy it with that version.`)
  if (missing > 0)
    throw new UserError(
      `${path} is no store of this version of Tillbridge. Start the hub on it, which brings it up to date, stop it, and copy then.`,
    )
}

/** Opens it as a hub once, to take over what the last hub left (claims, keys, facts, leases), then locks hubs out. */
export async function openSource(path: string, startThread?: StartThread): Promise<Source> {
  const problems: (string | null)[] = []
  const onOpening = (problem: string | null) => problems.push(problem)
  const store = await openSqliteStore({
    ...{ path, sameBytesWindow: 0, allKeys: true, onOpening },
    ...(startThread && { startThread }),
  })
  await store[Symbol.asyncDispose]()
  if (problems[0]) throw new UserError(problems[0])
  using opening = new DisposableStack()
  opening.use(lockFile(path))
  const { db } = opening.use(openFile(path))
  db.function('strand_of', strandBytes)
  db.exec('begin')
  const opened = opening.move()
  return {
    count: (table) => db.prepare<[], { n: number }>(`select count(*) as n from ${table}`).get()?.n ?? 0,
    rows({ name, columns, key }) {
      const order = key.length === 0 ? '' : ` order by ${key.map(({ expression }) => expression).join(', ')}`
      const values = columns.map(({ expression }) => expression).join(', ')
      const select = db.prepare<[], unknown[]>(`select ${values} from ${name}${order}`).raw()
      return { [Symbol.iterator]: () => select.iterate() }
    },
    [Symbol.dispose]: () => opened.dispose(),
  }
}

/** Opened for writing, but never written: a read-only connection leaves files behind. */
function openFile(path: string): Disposable & { db: Database.Database } {
  return plainly(path, () => {
    const db = new Database(path, { fileMustExist: true })
    try {
      db.pragma('query_only = on')
    } catch (error) {
      db.close()
      throw error
    }
    return { db, [Symbol.dispose]: () => void db.close() }
  })
}

function lockFile(path: string): Disposable {
  try {
    const lock = lockOut(path)
    return { [Symbol.dispose]: () => void lock.close() }
  } catch (error) {
    if (codeOf(error) !== 'SQLITE_BUSY') throw asUserError(error, path)
    throw new UserError(`A hub works on ${path}: stop it first, and start none on it before the copy is made.`)
  }
}

function plainly<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asUserError(error, path)
  }
}

function asUserError(error: unknown, path: string): unknown {
  if (!isUnavailable(error)) return error
  return new UserError(`There is nothing to copy: ${describeUnavailable(codeOf(error), path)}.`, { cause: error })
}
