import { type DestinationSeen, NEVER_ASKED } from '../../../domain/ledger/destination/destination-seen.ts'
import { counted } from '../../../domain/values/counted.ts'
import { RetryLaterError, StoreUnavailableError } from '../../../domain/values/errors.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { DestinationsState } from '../../../store/reading/destinations-state.ts'
import type { Store } from '../../../store/store.ts'
import type { JobResult } from '../../engine/job.ts'
import type { createComparison } from './comparison.ts'

type Comparison = ReturnType<typeof createComparison>

/** A good guess, and what to do where it is none. */
const OTHER =
  'is it another database, table or shop than before? Then leave it out for as many days as are looked at (completeness.destinations.leave)'

/** Changes kept in one commit. */
const COMMIT = 100

interface Options {
  state: DestinationsState
  now: Instant
  /** Everything is asked for that came from then on. */
  window: Instant
  /** And was acknowledged before. */
  bound: Instant
  store: Pick<Store, 'saveLedger'>
  reached(destination: string): void
}

interface End extends Pick<DestinationsState, 'marks'> {
  /** Destinations that cannot be asked, and why. */
  cannot: Readonly<Record<string, string>>
  save(state: DestinationsState): Promise<void>
}

/** One run over all destinations: what one of them fails by holds up none of the others, and covers nothing. */
export function createRun({ state, now, window, bound, store, reached }: Options) {
  const failed = new Map<string, string>()
  const seen: Record<string, DestinationSeen> = {}
  const notes: string[] = []

  async function keep({ differences }: Comparison): Promise<void> {
    const gaps = differences.take()
    for (let start = 0; start < gaps.length; start += COMMIT)
      await store.saveLedger({ gaps: gaps.slice(start, start + COMMIT) }, now)
  }

  return {
    /** Does a part of a destination's work, unless it has failed before. */
    async within({ name }: Comparison, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
      if (failed.has(name)) return
      try {
        await work()
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof StoreUnavailableError) throw error
        failed.set(name, error instanceof Error ? error.message : String(error))
      }
    },

    /** What a destination has told is kept, also where it did not tell all: its time is covered only where it did. */
    async end(comparison: Comparison): Promise<void> {
      const { name } = comparison
      const { asked, open, days, found, unnamed } = comparison.counts()
      if (comparison.hasNothing())
        failed.set(name, `it has nothing of ${counted(asked, 'thing')} that it was given: ${OTHER}`)
      else await keep(comparison)
      if (unnamed > 0) failed.set(name, `${found} things differ: the first ${found - unnamed} are named as gaps`)
      const before = state.destinations[name] ?? NEVER_ASKED
      const problem = failed.get(name) ?? null
      notes.push(`${name}: ${counted(asked, 'thing')} asked for, ${counted(found, 'difference')}, ${open} open`)
      if (problem !== null) {
        seen[name] = { ...before, cannot: null, problem }
        return
      }
      if (asked > 0) reached(name)
      await store.saveLedger({ covered: [{ road: 'destination', scope: name, from: window, to: bound }] }, now)
      const joins = before.from !== null && before.until !== null && before.until >= window
      const from = joins ? before.from : window
      seen[name] = { cannot: null, problem: null, askedAt: now, from, until: bound, open, days }
    },

    /** The run's account. Throws a RetryLaterError where a destination could not be asked to the end. */
    async result({ marks, cannot, save }: End): Promise<JobResult> {
      for (const [name, why] of Object.entries(cannot)) seen[name] = { ...NEVER_ASKED, cannot: why }
      const left = { marks, destinations: seen }
      const note = notes.join('; ') || 'no destination can be asked'
      if (failed.size === 0) return { state: left, note }
      await save(left)
      const why = [...failed].slice(0, 3).map(([name, problem]) => `${name}: ${problem}`)
      throw new RetryLaterError(`${why.join('; ')}. Done: ${note}`, { code: 'destinations-not-asked' })
    },
  }
}
