import { RestError } from './rest-error.ts'

/**
 * The fault that one request meets:
 * - `drop-before`: the connection breaks, nothing was done
 * - `error-500-before`: 500, nothing was done
 * - `error-503`: what stands before the shop answers 503 in HTML, nothing was done
 * - `error-500-after-save`: PHP dies between the save and the payment; 500, the order stays unpaid
 * - `drop-after-save`: the same, and the connection breaks
 * - `drop-answer`: all is done, and the connection breaks instead of an answer
 * - `half-answer`: all is done, and the connection breaks within the answer
 */
export type Fault =
  | 'drop-before'
  | 'error-500-before'
  | 'error-503'
  | 'error-500-after-save'
  | 'drop-after-save'
  | 'drop-answer'
  | 'half-answer'

/** Where a request that writes is held: before anything is done, after the save and before the payment, or all done. */
export type HoldPoint = 'start' | 'saved' | 'answer'

export interface Faults {
  /** Takes no connections any more and breaks those that are open (`true`), or takes them again on the same port. */
  down(on: boolean): Promise<void>
  /**
   * Plays a fault on the next request; several queue up, each for requests that fit. Without a method, faults around the
   * save wait for a request that writes, the others take any.
   */
  next(fault: Fault, options?: { method?: string; times?: number }): void
  /**
   * Holds requests that write at a point from now on, so that a client can be killed while the shop works: the shop goes
   * on after `release`, whether anybody still listens or not. Reading goes on meanwhile.
   */
  hold(at?: HoldPoint): void
  /** Lets go what is held, and holds no more. */
  release(): void
  /** How many requests are held now. */
  readonly held: number
}

/** The shop broke the connection; there is nothing to answer any more. */
export class HungUp extends Error {
  override name = 'HungUp' as const
}

/** The server before the shop could not reach it: 503 in HTML, as such servers answer. */
export class Unavailable extends Error {
  override name = 'Unavailable' as const
}

/** One request on its way through the shop. */
export interface Turn {
  start(): Promise<void>
  saved(): Promise<void>
  /** Whether to break off within the answer. */
  answer(): Promise<'whole' | 'half'>
}

/** The part of the faults that the routes ask. */
export function createScript() {
  const queue: { fault: Fault; method: string | undefined }[] = []
  const waiting = new Map<() => void, (error: Error) => void>()
  let holdAt: HoldPoint | null = null

  function take(method: string): Fault | null {
    const at = queue.findIndex((one) => (one.method ?? usualMethod(one.fault, method)) === method)
    return at === -1 ? null : (queue.splice(at, 1)[0]?.fault ?? null)
  }

  async function pass(point: HoldPoint, method: string): Promise<void> {
    if (holdAt !== point || method === 'GET') return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.set(resolve, reject)
    await promise
  }

  return {
    /** Begins a request; takes the fault that is meant for it. */
    begin(method: string): Turn {
      const fault = take(method)
      return {
        async start() {
          await pass('start', method)
          if (fault === 'drop-before') throw new HungUp()
          if (fault === 'error-500-before') throw criticalError()
          if (fault === 'error-503') throw new Unavailable()
        },
        async saved() {
          await pass('saved', method)
          if (fault === 'drop-after-save') throw new HungUp()
          if (fault === 'error-500-after-save') throw criticalError()
        },
        async answer() {
          await pass('answer', method)
          if (fault === 'drop-answer') throw new HungUp()
          return fault === 'half-answer' ? 'half' : 'whole'
        },
      }
    },
    next(fault: Fault, { method, times = 1 }: { method?: string; times?: number } = {}) {
      for (let count = 0; count < times; count++) queue.push({ fault, method })
    },
    hold(at: HoldPoint = 'start') {
      holdAt = at
    },
    release() {
      holdAt = null
      for (const resolve of waiting.keys()) resolve()
      waiting.clear()
    },
    /** Ends what is held without doing more of it. */
    abandon() {
      for (const reject of waiting.values()) reject(new HungUp())
      waiting.clear()
    },
    get held() {
      return waiting.size
    },
  }
}

export type Script = ReturnType<typeof createScript>

function usualMethod(fault: Fault, method: string): string {
  const aroundSave = fault === 'error-500-after-save' || fault === 'drop-after-save'
  return aroundSave && method === 'GET' ? 'a write' : method
}

/** The answer of WordPress when PHP dies. */
function criticalError(): RestError {
  const message = '<p>There has been a critical error on this website.</p>'
  return new RestError(500, 'internal_server_error', message)
}
