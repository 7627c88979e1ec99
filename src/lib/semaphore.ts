/** So many are under way and waiting that another one cannot be taken now. */
export class BusyError extends Error {
  override name = 'BusyError'
  readonly code = 'busy'
}

/** Runs work when it is its turn. Rejects with what the work rejects with, with a BusyError, or, while it waits, with the signal's reason. */
export type Semaphore = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * Lets `atOnce` pieces of work run at a time, in the order they were asked for; `waiting` more may wait. One that fails keeps nobody waiting;
 * one that does not end, even when it is told to, keeps its place.
 */
export function createSemaphore(atOnce: number, waiting = Number.POSITIVE_INFINITY): Semaphore {
  const queue = new Set<() => void>()
  let underWay = 0

  /** Resolves when it is this one's turn; until `next` it counts as under way. */
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

/** Runs work of the same key one after the other, in the order it was asked for; other keys do not wait. */
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
