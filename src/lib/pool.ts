import { createSemaphore } from './semaphore.ts'

export interface PooledConnection {
  readonly isOpen: boolean
  /** Takes leave of the server first. */
  close(): Promise<void>
  /** Cuts it: whatever waits for an answer rejects. */
  destroy(): void
}

export interface Pool<Connection> extends AsyncDisposable {
  /** Lends a connection, cut when the signal is aborted. `isReused`: the server may have closed it meanwhile. */
  use<T>(signal: AbortSignal, work: (connection: Connection, isReused: boolean) => Promise<T>): Promise<T>
}

export class PoolClosedError extends Error {
  override name = 'PoolClosedError'
}

export function createPool<Connection extends PooledConnection>({
  connect,
  connections,
  idleMs,
}: {
  connect(signal: AbortSignal): Promise<Connection>
  connections: number
  idleMs: number
}): Pool<Connection> {
  const idle = new Map<Connection, NodeJS.Timeout>()
  const turns = createSemaphore(connections)
  const pending = new Set<Promise<unknown>>()
  const disposal = new AbortController()

  /** Disposing waits for it. */
  function track<T>(promise: Promise<T>): Promise<T> {
    const tracked = promise.finally(() => pending.delete(tracked))
    pending.add(tracked)
    tracked.catch(() => undefined)
    return tracked
  }

  function takeIdle(): Connection | null {
    for (const [connection, timer] of [...idle].reverse()) {
      clearTimeout(timer)
      idle.delete(connection)
      if (connection.isOpen) return connection
    }
    return null
  }

  function release(connection: Connection): void {
    if (connection.isOpen) idle.set(connection, setTimeout(closeIdle, idleMs, connection))
  }

  function closeIdle(connection: Connection): void {
    clearTimeout(idle.get(connection))
    idle.delete(connection)
    void track(connection.close())
  }

  return {
    async use(given, work) {
      const signal = AbortSignal.any([given, disposal.signal])
      return await turns(async () => {
        const old = takeIdle()
        const connection = old ?? (await track(connect(signal)))
        const cut = () => connection.destroy()
        if (signal.aborted) cut()
        else signal.addEventListener('abort', cut, { once: true })
        try {
          return await work(connection, old !== null)
        } finally {
          signal.removeEventListener('abort', cut)
          release(connection)
        }
      }, signal)
    },
    async [Symbol.asyncDispose]() {
      disposal.abort(new PoolClosedError('the connections are closed'))
      for (const connection of idle.keys()) closeIdle(connection)
      while (pending.size > 0) await Promise.allSettled(pending)
    },
  }
}
