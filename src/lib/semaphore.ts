/** Queue full. */
export class BusyError extends Error {
  override name = 'BusyError'
  readonly code = 'busy'
}

/** Rejects with the work's error, a BusyError, or the signal's reason while queued. */
export type Semaphore = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** `atOnce` run, `waiting` more queue, FIFO. Failures do not block; work that never ends keeps its slot. */
export function createSemaphore(atOnce: number, waiting = Number.POSITIVE_INFINITY): Semaphore {
  const queue = new Set<() => void>()
  let underWay = 0

  async function turn(signal: AbortSignal | undefined): Promise<void> {
    if (underWay < atOnce) {
      underWay += 1
      return
    }
    if (queue.size >= waiting) throw new BusyError('so many are under way and waiting that no other one is taken')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      queue.delete(enter)
      reject(signal?.reason)
    }
    const enter = () => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    queue.add(enter)
    signal?.addEventListener('abort', leave, { once: true })
    await promise
  }

  function next(): void {
    const [first] = queue
    if (first === undefined) {
      underWay -= 1
      return
    }
    queue.delete(first)
    first()
  }

  return async (work, signal) => {
    signal?.throwIfAborted()
    await turn(signal)
    try {
      signal?.throwIfAborted()
      return await work()
    } finally {
      next()
    }
  }
}

/** Sequential per key. */
export function createSequentialByKey(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, { run: Semaphore; asked: number }>()
  return async (key, work) => {
    const line = lines.get(key) ?? { run: createSemaphore(1), asked: 0 }
    lines.set(key, line)
    line.asked += 1
    try {
      return await line.run(work)
    } finally {
      line.asked -= 1
      if (line.asked === 0) lines.delete(key)
    }
  }
}
