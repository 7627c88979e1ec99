import type { Connection, Dialect } from './dialect.ts'
import { SqlFailure } from './failure.ts'
import { NotLentError, type Pool } from './pool.ts'
import type { Trouble } from './trouble.ts'
import { unanswered } from './trouble.ts'

/** Does several things in one transaction, or none of them. Throws an SqlFailure. */
export type Transaction = <T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>) => Promise<T>

/** After these the connection is as good as before, once the transaction is undone. */
const HARMLESS: readonly Trouble['kind'][] = ['conflict', 'data', 'missing', 'rights', 'size', 'statement']

export function createTransaction(pool: Pool, { troubleOf }: Pick<Dialect, 'troubleOf'>): Transaction {
  return async (signal, work) => {
    let stage: SqlFailure['stage'] = 'before'
    /** Null: the other end was gone; another connection may do. */
    async function on(connection: Connection, reused: boolean) {
      try {
        await connection.query('begin')
      } catch (error) {
        if (!reused || signal.aborted) throw error
        await connection.cancel()
        return null
      }
      stage = 'work'
      try {
        const result = await work(connection)
        stage = 'commit'
        await connection.query('commit')
        return { result }
      } catch (error) {
        await undo(connection, error)
        throw error
      }
    }

    async function undo(connection: Connection, error: unknown): Promise<void> {
      if (!connection.isOpen) return
      if (HARMLESS.includes(troubleOf(error).kind)) await connection.query('rollback').catch(() => connection.cancel())
      else await connection.cancel()
    }

    try {
      for (;;) {
        const done = await pool.use(signal, on)
        if (done) return done.result
      }
    } catch (error) {
      const trouble = error instanceof NotLentError ? unanswered(error) : troubleOf(error)
      throw new SqlFailure(stage, signal.aborted, trouble)
    }
  }
}
