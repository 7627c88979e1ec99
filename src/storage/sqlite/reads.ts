import type { Database } from 'better-sqlite3'
import { preferCommonJs } from '../../lib/prefer-commonjs.ts'
import { type Operation, oneByOne, type Service, type StartThread, type Thread } from '../../lib/thread.ts'
import { createReading } from '../read-models/reading.ts'
import { directory } from '../tables/directory.ts'
import { type Later, query } from '../tables/statement.ts'
import { openForReading } from './file/connection.ts'
import { ask } from './pipe.ts'
import { createTables } from './tables.ts'

export function createReader(path: string, startThread: StartThread) {
  const thread = createAsking({ path, of: 'read models' }, startThread)
  const reading = createReading((method, ...args) => thread.ask(method, args))
  return { ...reading, [Symbol.asyncDispose]: thread.dispose }
}

/** Customers and API keys on a thread of their own: a POS must not wait behind writes or lists. */
export function createDirectory(path: string, startThread: StartThread) {
  const thread = createAsking({ path, of: 'directory' }, startThread)
  const names = Object.keys(directory)
  const methods = names.map((name) => [name, (...args: unknown[]) => thread.ask(name, args)])
  return { ...(Object.fromEntries(methods) as Later<typeof directory>), [Symbol.asyncDispose]: thread.dispose }
}

function createAsking(data: ReadsData, startThread: StartThread) {
  let thread: Thread | null = null
  return {
    ask<T>(method: string, args: unknown[]): Promise<T> {
      thread ??= startThread(new URL('./reads-thread.ts', import.meta.url), data)
      return ask(thread, data.path, method, args)
    },
    async dispose() {
      await thread?.[Symbol.asyncDispose]()
    },
  }
}

type Methods = Record<string, (...args: unknown[]) => unknown>

interface ReadsData {
  path: string
  of: 'read models' | 'directory'
}

/** What the thread does: read models, or customers and API keys, of the file as it is now. */
export function reading({ path, of }: ReadsData): Service {
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
    const methods = of === 'directory' ? createTables(db).methods(directory) : await readModelsOf(db)
    return { db, methods: methods as unknown as Methods }
  }

  function close(): void {
    open?.db.close()
    open = null
  }
}

async function readModelsOf(db: Database): Promise<object> {
  preferCommonJs('drizzle-orm')
  const { drizzle } = await import('drizzle-orm/better-sqlite3')
  const { createReadModels } = await import('../read-models/read-models.ts')
  const { sqliteDialect } = await import('./schema.ts')
  const { run } = createTables(db)
  return createReadModels(drizzle(db), sqliteDialect, async (asked, values) => run(query(asked, values)))
}
