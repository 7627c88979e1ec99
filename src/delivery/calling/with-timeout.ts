import { UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Table } from '../../lib/table.ts'

/** An adapter that does not stop when told to is left behind after so long (milliseconds). */
const GRACE = 1_000

/** How long a call may take, and who may end it early. */
export interface Limits {
  clock: Clock
  /** Milliseconds. */
  timeout: number
  /** The abort of each call under way, by the fence of a claim in it: a hub that stops ends them all. */
  underWay: Table<AbortController>
}

/**
 * Makes a call with a signal that is aborted when its time is over; ends with it, or a little after it was told to stop.
 * `over` is called at the end if the time was over before: because nobody answered, or because the process stood still.
 */
export async function withTimeout<T>(
  { clock, timeout, underWay }: Limits,
  fence: number,
  call: (signal: AbortSignal) => Promise<T>,
  over = () => {},
): Promise<T> {
  const abort = new AbortController()
  const begun = clock.now()
  let isLate = false
  const cancel = clock.after(timeout, () => {
    isLate = !abort.signal.aborted
    // Made only now: an error takes note of the stack, which is dear, and few calls need one.
    abort.abort(new Error(`no result within ${timeout} ms`))
  })
  const left = Promise.withResolvers<never>()
  let cancelGrace = () => {}
  const onAbort = () => {
    const leave = () => left.reject(new UnknownOutcomeError('The adapter did not stop when told to.'))
    cancelGrace = clock.after(GRACE, leave)
  }
  abort.signal.addEventListener('abort', onAbort)
  underWay.set(fence, abort)
  try {
    return await Promise.race([call(abort.signal), left.promise])
  } finally {
    abort.signal.removeEventListener('abort', onAbort)
    cancelGrace()
    cancel()
    underWay.delete(fence)
    if (abort.signal.aborted ? isLate : clock.now() - begun >= timeout) over()
  }
}
