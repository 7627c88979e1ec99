/** The most questions that one source works on at a time: a till waits for each. */
const AT_ONCE = 8
/** The most further questions that wait their turn; what comes beyond them is not asked. */
const WAITING = 16

/** So many are under way and waiting that another one cannot be taken now. */
export class BusyError extends Error {
  override name = 'BusyError'
  readonly code = 'busy'
}

/**
 * Lets a few at a time through to a source, and a few more wait. One that does not even end when it is told to keeps its
 * place: a dead source fills its own limiter, and costs the hub and the other sources nothing more.
 */
export function createConcurrencyLimiter(
  atOnce = AT_ONCE,
  most = WAITING,
): <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T> {
  const queue = new Set<() => void>()
  let underWay = 0

  /** Resolves when it is this one's turn; until `next` it counts as under way. */
  async function turn(signal: AbortSignal): Promise<void> {
    if (underWay < atOnce) {
      underWay += 1
      return
    }
    if (queue.size >= most) throw new BusyError('the source has its hands full')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      queue.delete(enter)
      reject(signal.reason)
    }
    const enter = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    queue.add(enter)
    signal.addEventListener('abort', leave, { once: true })
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
    await turn(signal)
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      next()
    }
  }
}
