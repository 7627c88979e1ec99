import { JOBS } from '../../../config/jobs.ts'
import { type DestinationSeen, NEVER_ASKED } from '../../../domain/ledger/destination/held-there.ts'
import type { StoreIndex } from '../../../domain/places/store-index.ts'
import { type Misfit, RetryLaterError, StoreUnavailableError } from '../../../domain/values/errors.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { counted } from '../../../domain/values/text.ts'
import type { Flow } from '../../../flows/flow.ts'
import type { Mappings } from '../../../payloads/mapping/mapping.ts'
import { type DestinationsState, readDestinationsState } from '../../../store/read-completeness.ts'
import { lastBefore } from '../../../store/retention/pruning.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'
import type { HubJob, JobResult } from '../../engine/job.ts'
import { type AskedDestination, createComparison, isAskedFor } from './comparison.ts'
import { givenSteps, rereadAll, type ToReread } from './given-steps.ts'

/** How destinations are asked. */
export interface DestinationRules {
  /** Days that are looked at again each time. */
  days: number
  /** How long after a destination has acknowledged something it is asked for it (milliseconds). */
  patience: number
  /** Destinations that are not asked. */
  leave: readonly string[]
}

interface Options {
  store: Pick<Store, 'events' | 'nextReceived' | 'bodies' | 'givenPage' | 'links' | 'gaps' | 'saveLedger'>
  destinations: readonly AskedDestination[]
  flows: readonly Flow[]
  mappings: Mappings
  rules: DestinationRules
  storeIndex(): StoreIndex
  /** Told when a destination has answered. */
  reached(destination: string): void
  /** A cron expression in UTC. */
  schedule?: string
}

const DAY = 86_400_000

/** An open gap is looked at again for so long; then it is for a person alone. */
const LOOKED_BACK = 30 * DAY

/**
 * Asks each destination that can be asked what it has of what it has acknowledged: how often, and with which amount, by its key. What
 * differs is a gap of that destination, which closes by itself once nothing differs any more. Nothing is sent again: a row may be gone on
 * purpose.
 */
export function compareDestinationsJob(options: Options): HubJob {
  const { store, flows, mappings, rules, storeIndex, reached, schedule } = options
  const byName = new Map(flows.map((flow) => [flow.name, flow]))
  const all = options.destinations.map((one) => ({ one, cannot: whyLeft(one, rules) }))
  const asked = all.flatMap(({ one, cannot }) => (cannot === null ? [one] : []))

  return {
    name: 'compare-destinations',
    schedule: schedule ?? JOBS['compare-destinations'].schedule,
    async run({ now, signal, state: left, save }) {
      const state = readDestinationsState(left)
      const bound = now - rules.patience
      const window = now - rules.days * DAY
      const gaps = await allGaps(store, { road: 'destination', state: 'open' })
      const run = createRun({ state, now, window, bound, reached, store })
      const tools = {
        store,
        flows: byName,
        bound,
        signal,
        reread: (steps: readonly ToReread[]) => rereadAll(steps, { store, mappings, storeIndex }),
      }
      const comparisons = new Map(
        asked.map((one) => {
          const open = gaps.filter(({ destination }) => destination === one.name)
          const from = Math.max(now - LOOKED_BACK, Math.min(window, ...open.map(({ at }) => at)))
          return [one.name, { from, it: createComparison(one, { ...tools, open, from }) }]
        }),
      )
      const first = Math.min(window, ...[...comparisons.values()].map(({ from }) => from))
      const start = await lastBefore(store, first)
      const names = [...comparisons.keys()]
      if (names.length > 0)
        for await (const steps of givenSteps(store, names, start, signal)) {
          for (const step of steps) {
            const comparison = comparisons.get(step[0].destination)
            if (comparison) await run.within(comparison.it, signal, () => comparison.it.take(step))
          }
        }
      for (const { it } of comparisons.values()) {
        await run.within(it, signal, () => it.end())
        await run.end(it)
      }
      const cannot = Object.fromEntries(all.flatMap(({ one, cannot: why }) => (why === null ? [] : [[one.name, why]])))
      return await run.result({ cannot, save })
    },
  }

  function whyLeft(one: AskedDestination, { leave }: DestinationRules): string | null {
    if (leave.includes(one.name)) return 'config leaves it out (completeness.destinations.leave)'
    return whyNotAsked(one) ?? (flows.some((flow) => isAskedFor(flow, one)) ? null : 'no flow gives it anything')
  }
}

type Comparison = ReturnType<typeof createComparison>

/** A good guess, and what to do where it is none. */
const OTHER =
  'is it another database, table or shop than before? Then leave it out for as many days as are looked at (completeness.destinations.leave)'

/** Changes kept in one commit. */
const COMMIT = 100

interface RunOptions {
  state: DestinationsState
  now: Instant
  /** Everything is asked for that came from then on. */
  window: Instant
  /** And was acknowledged before. */
  bound: Instant
  store: Pick<Store, 'saveLedger'>
  reached(destination: string): void
}

interface End {
  /** Destinations that cannot be asked, and why. */
  cannot: Readonly<Record<string, string>>
  save(state: DestinationsState): Promise<void>
}

/** One run over all destinations: what one of them fails by holds up none of the others, and covers nothing. */
function createRun({ state, now, window, bound, store, reached }: RunOptions) {
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
    async result({ cannot, save }: End): Promise<JobResult> {
      for (const [name, why] of Object.entries(cannot)) seen[name] = { ...NEVER_ASKED, cannot: why }
      const left = { destinations: seen }
      const note = notes.join('; ') || 'no destination can be asked'
      if (failed.size === 0) return { state: left, note }
      await save(left)
      const why = [...failed].slice(0, 3).map(([name, problem]) => `${name}: ${problem}`)
      throw new RetryLaterError(`${why.join('; ')}. Done: ${note}`, { code: 'destinations-not-asked' })
    },
  }
}

/** Why a destination cannot be asked; null: it can. */
function whyNotAsked({ ports, dryRun }: AskedDestination): string | null {
  if (dryRun) return 'nothing is sent there (dryRun)'
  if (ports.backOffice?.tally !== undefined || ports.orders?.tally !== undefined) return null
  return 'its adapter, as config has it, can tell of nothing that it was given'
}

/** Names that config leaves out, and that no destination has. */
export function leaveMisfits(leave: readonly string[], names: readonly string[]): Misfit[] {
  return leave
    .filter((one) => !names.includes(one))
    .map((one) => ({
      path: ['completeness', 'destinations', 'leave'],
      found: `"${one}", which is no destination`,
      expected: `names of destinations: ${names.join(', ') || 'there are none'}`,
    }))
}
