import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'

/**
 * Calls back at an instant, unless the returned function was called before. A timer may go off too early: where the
 * instant is further away than a timer can wait, or the machine's clock was put back.
 */
export function at(clock: Clock, instant: Instant, callback: () => void): () => void {
  let cancel = arm()
  return () => cancel()

  function arm(): () => void {
    return clock.after(instant - clock.now(), () => {
      if (clock.now() >= instant) callback()
      else cancel = arm()
    })
  }
}
