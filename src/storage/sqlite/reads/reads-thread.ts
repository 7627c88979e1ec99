import type { Database } from 'better-sqlite3'
import { preferCommonJs } from '../../../lib/prefer-commonjs.ts'
import { type Operation, oneByOne, serve } from '../../../lib/thread.ts'
import { openForReading } from '../file/connection.ts'

type Methods = Record<string, (...args: unknown[]) => unknown>

export interface ReadsData {
  path: string
  of: 'read models' | 'directory'
}

serve(({ path, of }: ReadsData) => {
  let open: { db: Database; methods: Methods } | null = null
  return { run: oneByOne(answer), end: close }

  async function answer({ method, args }: Operation): Promise<unknown> {
    open ??= await openNow()
    const { db, methods } = open
    const call = methods[method]
    if (!call) throw new Error(`There is no question ${method}.`)
    // One snapshot: else a row and its attempts could be of two moments.
    db.exec('begin')
    try {
      return await call(...args)
    } catch (error) {
      throw error instanceof Error && error.cause instanceof Error ? error.cause : error
    } finally {
      if (db.inTransaction) db.exec('rollback')
    }
  }

  async function openNow() {
    const db = openForReading(path)
    if (!db) throw Object.assign(new Error(`There is no file ${path}.`), { code: 'SQLITE_CANTOPEN' })
    return { db, methods: (await (of === 'directory' ? directoryOf(db) : readModelsOf(db))) as Methods }
  }

  function close(): void {
    open?.db.close()
    open = null
  }
})

async function directoryOf(db: Database): Promise<object> {
  const { createTables } = await import('../tables.ts')
  const { directory } = await import('../../tables/directory.ts')
  return createTables(db).methods(directory)
}

async function readModelsOf(db: Database): Promise<object> {
  preferCommonJs('drizzle-orm')
  const { drizzle } = await import('drizzle-orm/better-sqlite3')
  const { createReadModels } = await import('../../read-models/read-models.ts')
  const { sqliteDialect } = await import('../schema.ts')
  return createReadModels(drizzle(db), sqliteDialect)
}
