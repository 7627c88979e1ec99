import { listenForInterrupt } from '../../lib/interrupt.ts'
import { EndedError } from './ended.ts'

/**
 * Waits for an answer until a person does so no longer. Throws an EndedError with `says` then, so that what was made for the answer is
 * put away: what was asked for may go on in the hub.
 */
export async function awaited<T>(says: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  using interrupt = listenForInterrupt()
  try {
    return await ask(interrupt.signal)
  } catch (error) {
    if (interrupt.signal.aborted) throw new EndedError(says, interrupt.exitCode)
    throw error
  }
}
