import { JobLostError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import { at } from './at.ts'

/**
 * How long the run of a hub that died stands in the way (milliseconds). Long enough that a store which is away for a
 * moment, or a process that is busy, costs no run; short enough that no schedule waits for the dead.
 */
export const LEASE = 60_000

/** How long after a renewal the next one is due (milliseconds). */
const RENEWAL = LEASE / 3

/** How long after one that failed (milliseconds). */
const AGAIN = 5_000

interface Options {
  clock: Clock
  /** When the caller asked for the lease: the store counts from then on, or from later. */
  from: Instant
  /** Renews it in the store. False: it is another's by now. */
  renew(now: Instant): Promise<boolean>
  /** Called once, when the run is the caller's no longer: at the end of the lease at the latest. */
  lost(why: JobLostError): void
  /** Aborted when the hub stops: it asks for no more time, so that what it leaves behind is soon another's. */
  stopping: AbortSignal
}

/** Renews the lease of a run, every third of it, until disposed of or lost. */
export function holdLease({ clock, from, renew, lost, stopping }: Options): Disposable {
  let over = false
  let problem: string | null = null
  let cancelEnd = () => {}
  let cancelRenewal = () => {}

  function lasts(since: Instant) {
    cancelEnd()
    cancelEnd = at(clock, since + LEASE, () => {
      lose(`Its lease could not be renewed: ${problem ?? 'the store did not answer'}`)
    })
  }

  function renewAt(instant: Instant) {
    cancelRenewal = at(clock, instant, () => void renewNow())
  }

  async function renewNow(): Promise<void> {
    const now = clock.now()
    try {
      const renewed = await renew(now)
      if (over) return
      if (!renewed) return lose('Another hub has taken this run over.')
      problem = null
      lasts(now)
      renewAt(now + RENEWAL)
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error)
      // The store may be back before the lease is over.
      if (!over) renewAt(now + AGAIN)
    }
  }

  function lose(why: string) {
    end()
    lost(new JobLostError(why))
  }

  function end() {
    over = true
    cancelEnd()
    cancelRenewal()
    stopping.removeEventListener('abort', end)
  }

  stopping.addEventListener('abort', end)
  lasts(from)
  renewAt(from + RENEWAL)
  if (stopping.aborted) end()
  return { [Symbol.dispose]: end }
}
