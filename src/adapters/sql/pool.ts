import { createSemaphore } from '../../lib/semaphore.ts'
import type { Connect, Connection, Dialect } from './dialect.ts'
import { SqlFailure, type Trouble, unanswered } from './outcome.ts'

interface Pool extends AsyncDisposable {
  /** Lends a connection, cut off when the signal is aborted. `reused`: its other end may be gone. */
  use<T>(signal: AbortSignal, work: (connection: Connection, reused: boolean) => Promise<T>): Promise<T>
}

class NotLentError extends Error {
  override name = 'NotLentError'
}

/** Milliseconds; nearly all servers wait longer. */
const IDLE = 30_000

interface Idle {
  connection: Connection
  timer: NodeJS.Timeout
}

export function createPool(connect: Connect, most: number): Pool {
  const idle: Idle[] = []
  const turns = createSemaphore(most)
  const underWay = new Set<Promise<unknown>>()
  const disposal = new AbortController()

  function follow<T>(promise: Promise<T>): Promise<T> {
    const followed = promise.finally(() => underWay.delete(followed))
    underWay.add(followed)
    followed.catch(() => undefined)
    return followed
  }

  function fromIdle(): Connection | null {
    for (let last = idle.pop(); last; last = idle.pop()) {
      clearTimeout(last.timer)
      if (last.connection.isOpen) return last.connection
    }
    return null
  }

  function keep(connection: Connection): void {
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((one) => one.timer === timer),
        1,
      )
      void follow(connection.close())
    }, IDLE)
    idle.push({ connection, timer })
  }

  return {
    async use(given, work) {
      const signal = AbortSignal.any([given, disposal.signal])
      let isLent = false
      return await turns(async () => {
        isLent = true
        const old = fromIdle()
        const connection = old ?? (await follow(connect(signal)))
        const abort = () => void follow(connection.cancel())
        if (signal.aborted) abort()
        else signal.addEventListener('abort', abort, { once: true })
        try {
          return await work(connection, old !== null)
        } finally {
          signal.removeEventListener('abort', abort)
          if (connection.isOpen) keep(connection)
        }
      }, signal).catch((error: unknown) => {
        throw isLent ? error : new NotLentError('no connection was free in time')
      })
    },
    async [Symbol.asyncDispose]() {
      disposal.abort(new Error('the destination is closed'))
      for (const { connection, timer } of idle.splice(0)) {
        clearTimeout(timer)
        void follow(connection.close())
      }
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}

export type Transaction = <T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>) => Promise<T>

/** The connection is reusable once the transaction is undone. */
const HARMLESS: readonly Trouble['kind'][] = ['conflict', 'data', 'missing', 'rights', 'size', 'statement']

export function createTransaction(pool: Pool, { troubleOf }: Pick<Dialect, 'troubleOf'>): Transaction {
  return async (signal, work) => {
    let stage: SqlFailure['stage'] = 'before'
    /** Null: the other end was gone; try another. */
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
