import type { z } from 'zod'
import type { Examined, Question } from '../ports/attempt.ts'
import type { Intake } from '../ports/intake.ts'
import type { OwnNotice, Ports } from '../ports/ports.ts'

/** @public for adapters of the operator's own */
export interface AdapterContext {
  /** The operator's name of the destination. */
  destination: string
  /** Milliseconds for one call: what the adapter sets on its sockets. */
  timeout: number
  /** Calls at once: connections worth keeping. */
  concurrency: number
}

/** Disposing it closes every socket. */
export interface AdapterInstance extends AsyncDisposable {
  ports: Ports
  intake?: Intake
  /** Records of the books wait a moment for each other, to come in one call. */
  gathers?: true
  /**
   * How long after an unanswered call its effect may still appear (milliseconds); default five minutes. Until then no second call is made.
   * 0: nothing comes late, or a repeat is the same.
   */
  inDoubtFor?: number
  /**
   * For `doctor` and `check --online`: reachable, authenticated, permitted, laid out as config says. Changes nothing. Rejects as a call
   * does; callers use `lookAt` (examine.ts).
   */
  examine?(question: Question): Promise<Examined[]>
  /** Searches files that wait or were read. Changes nothing. */
  search?(texts: readonly string[], signal: AbortSignal): Promise<FoundFiles>
  /** Sends an alarm. Rejects as a call does; the same key may come again. */
  notify?(notice: OwnNotice, question: Question): Promise<void>
}

/** Files by path: those with a searched text, and those that could not be searched. */
export interface FoundFiles {
  saying: string[]
  unread: string[]
}

export interface Adapter<Options extends z.ZodObject = z.ZodObject> {
  name: string
  /** Keys under the destination. Secrets are marked with `secret()`. */
  options: Options
  /** Default timeout of a call (milliseconds); not given: 20 s. */
  patience?: number
  create(options: z.output<Options>, context: AdapterContext): AdapterInstance
}

/** Types an adapter; the adapter's file exports the result as its default. */
export function defineAdapter<Options extends z.ZodObject>(adapter: Adapter<Options>): Adapter<Options> {
  return adapter
}
