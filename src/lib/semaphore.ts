import { setImmediate as tick } from 'node:timers/promises'

export class BusyError extends Error {
  override name = 'BusyError'
  readonly code = 'busy'
}

/** Rejects with the work's error, a BusyError, or the signal's reason. */
export type Semaphore = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** `waiting` more queue, FIFO. */
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

/** Slice length (ms): a webhook waits for three or four. */
const SLICE = 5

/** Items between clock reads. */
const BETWEEN_LOOKS = 8

/** Yields between slices. `together`: items per clock read. */
export async function eachInSlices<T>(
  all: Iterable<T>,
  work: (one: T) => void,
  together = BETWEEN_LOOKS,
): Promise<void> {
  let began = performance.now()
  let done = 0
  for (const one of all) {
    work(one)
    done += 1
    if (done % together > 0 || performance.now() - began < SLICE) continue
    await tick()
    began = performance.now()
  }
}

/** Slice length (ms). */
const SLICE_MS = 3

export interface SlicedWork {
  /** True: await `next`. */
  isDue(): boolean
  next(): Promise<void>
}

export interface TimeSlices {
  begin(): SlicedWork
}

/** Round-robin among long tasks. */
export function createTimeSlices(): TimeSlices {
  const waiting: (() => void)[] = []
  let isScheduled = false

  function runNext(): void {
    waiting.shift()?.()
    isScheduled = waiting.length > 0
    if (isScheduled) setImmediate(runNext)
  }

  return {
    begin() {
      let since = performance.now()
      return {
        isDue: () => performance.now() - since > SLICE_MS,
        async next() {
          await new Promise<void>((resolve) => {
            waiting.push(resolve)
            if (isScheduled) return
            isScheduled = true
            setImmediate(runNext)
          })
          since = performance.now()
        },
      }
    },
  }
}

export async function orLeave<T>(
  awaited: Promise<T>,
  signal: AbortSignal,
  why: () => unknown = () => signal.reason,
): Promise<T> {
  const left = Promise.withResolvers<never>()
  const leave = () => left.reject(why())
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave)
  try {
    return await Promise.race([left.promise, awaited])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
