import type { z } from 'zod'
import type { Examined, Question } from '../ports/attempt.ts'
import type { Intake } from '../ports/intake.ts'
import type { OwnNotice } from '../ports/messages.ts'
import type { Ports } from '../ports/ports.ts'

/**
 * The things that the hub lends an adapter.
 * @public for adapters of the operator's own
 */
export interface AdapterContext {
  /** The operator's name of the destination. */
  destination: string
  /** The lane's timeout in milliseconds: what the adapter sets on its sockets. */
  timeout: number
  /** How many calls the lane makes at once: how many connections are worth keeping. */
  concurrency: number
}

/** A destination's adapter at work. Disposing it closes every socket it opened. */
export interface AdapterInstance extends AsyncDisposable {
  ports: Ports
  intake?: Intake
  /** The adapter takes many records of the books in one call gladly: they wait a moment for each other. */
  gathers?: true
  /**
   * How long after a call that went unanswered its effect may still appear (milliseconds), where config does not say; not given: five
   * minutes. Until then no second call is made, whatever `find` says. 0: nothing that was sent comes late, or the same again is the same.
   */
  inDoubtFor?: number
  /**
   * Looks at the system for `doctor` and `check --online`: whether it is reached, knows our key, grants what the ports need, and
   * is laid out as config says. Changes nothing there, sends nobody anything, and ends when the signal is aborted. Rejects as a
   * call does where it gets no further; whoever asks uses `lookAt` (examine.ts), which makes a finding of that.
   */
  examine?(question: Question): Promise<Examined[]>
  /** Looks through files that wait in the system's folder, or were read from it, for any of these texts. Changes nothing there. */
  search?(texts: readonly string[], signal: AbortSignal): Promise<FoundFiles>
  /**
   * Tells people something of the hub itself: an alarm. Rejects as a call does where they may not have got it; the same key may come
   * again then.
   */
  notify?(notice: OwnNotice, question: Question): Promise<void>
}

/** Files, each with where it lies: those that say what was searched for, and those that could not be searched. */
export interface FoundFiles {
  saying: string[]
  unread: string[]
}

/** One kind of outside system. */
export interface Adapter<Options extends z.ZodObject = z.ZodObject> {
  name: string
  /** Keys that an operator writes under the destination. Secrets are marked with `secret()` of lib/secret.ts. */
  options: Options
  /** How long one of its calls may take where config does not say (milliseconds); not given: 20 s. */
  patience?: number
  create(options: z.output<Options>, context: AdapterContext): AdapterInstance
}

/** Gives an adapter its types; the adapter's file exports the result as its default. */
export function defineAdapter<Options extends z.ZodObject>(adapter: Adapter<Options>): Adapter<Options> {
  return adapter
}
