import type { z } from 'zod'
import type { HealthFinding, Intake, OwnNotice, Ports, Question } from '../ports/ports.ts'

/** @public for adapters of the operator's own */
export interface AdapterContext {
  destination: string
  /** Milliseconds for one call. */
  timeout: number
  /** Calls at once. */
  concurrency: number
  /** Names of config may lead to private addresses: for `createHttpClient` and `createLookup`. */
  allowPrivate?: boolean
}

/** Disposing it closes every socket. */
export interface AdapterInstance extends AsyncDisposable {
  ports: Ports
  intake?: Intake
  /** Records are batched for a moment. */
  gathers?: true
  /** How long an unanswered call may still take effect (milliseconds; default five minutes): no second call until then. 0: repeatable. */
  inDoubtFor?: number
  /** For `doctor` and `check --online`. Changes nothing. Rejects as a call does. */
  healthCheck?(question: Question): Promise<HealthFinding[]>
  /** Searches written and read files. Changes nothing. */
  search?(texts: readonly string[], signal: AbortSignal): Promise<FoundFiles>
  notify?(notice: OwnNotice, question: Question): Promise<void>
}

export interface FoundFiles {
  saying: string[]
  unread: string[]
}

export interface Adapter<Options extends z.ZodObject = z.ZodObject> {
  name: string
  options: Options
  /** Default timeout of a call (milliseconds; else 20 s). */
  patience?: number
  create(options: z.output<Options>, context: AdapterContext): AdapterInstance
}

/** The adapter's file exports the result as its default. */
export function defineAdapter<Options extends z.ZodObject>(adapter: Adapter<Options>): Adapter<Options> {
  return adapter
}
