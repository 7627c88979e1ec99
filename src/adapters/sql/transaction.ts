import type { Pool } from '../../lib/pool.ts'
import type { Connection, Dialect } from './dialect.ts'
import { type Fault, SqlFailure } from './outcome.ts'

export type Transaction = <T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>) => Promise<T>

const HARMLESS: readonly Fault['kind'][] = ['conflict', 'data', 'missing', 'rights', 'size', 'statement']

export function createTransaction(pool: Pool<Connection>, { faultOf }: Pick<Dialect, 'faultOf'>): Transaction {
  return async (signal, work) => {
    let stage: SqlFailure['stage'] = 'before'
    /** Null: the server had closed it; try another. */
    async function on(connection: Connection, isReused: boolean) {
      try {
        await connection.query('begin')
      } catch (error) {
        if (!isReused || signal.aborted) throw error
        connection.destroy()
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
      if (HARMLESS.includes(faultOf(error).kind)) await connection.query('rollback').catch(() => connection.destroy())
      else connection.destroy()
    }

    try {
      for (;;) {
        const done = await pool.use(signal, on)
        if (done) return done.result
      }
    } catch (error) {
      throw new SqlFailure(stage, signal.aborted, faultOf(error))
    }
  }
}
