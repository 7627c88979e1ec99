import { JOBS } from '../../../config/jobs.ts'
import { markBefore, withMark } from '../../../domain/ledger/destination/marks.ts'
import type { StoreIndex } from '../../../domain/places/store-index.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Flow } from '../../../flows/flow.ts'
import type { Mappings } from '../../../payloads/mapping/mapping.ts'
import { readDestinationsState } from '../../../store/reading/destinations-state.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'
import type { HubJob } from '../../engine/job.ts'
import { type AskedDestination, isAskedFor, whyNotAsked } from './asked-destination.ts'
import { createComparison } from './comparison.ts'
import { givenSteps } from './given-steps.ts'
import { rereadAll, type ToReread } from './reread.ts'
import { createRun } from './run.ts'

/** How destinations are asked. */
export interface DestinationRules {
  /** Days that are looked at again each time. */
  days: number
  /** How long after a destination has acknowledged something it is asked for it (milliseconds). */
  patience: number
  /** Destinations that are not asked. */
  leave: readonly string[]
  /** Whether it is looked for facts that are there several times. */
  twins: boolean
}

interface Options {
  store: Pick<Store, 'events' | 'bodies' | 'givenPage' | 'links' | 'gaps' | 'saveLedger'>
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
      const [newest] = await store.events({ limit: 1 })
      const newestId = newest?.id ?? 0
      const first = Math.min(window, ...[...comparisons.values()].map(({ from }) => from))
      const start = await startOf(first)
      const names = [...comparisons.keys()]
      if (names.length > 0)
        for await (const steps of givenSteps(store, names, start, signal)) {
          for (const step of steps) {
            const comparison = comparisons.get(step[0].destination)
            if (comparison) await run.within(comparison.it, signal, () => comparison.it.take(step))
          }
        }
      for (const { it } of comparisons.values()) {
        await run.within(it, signal, () => it.end(rules.twins))
        await run.end(it)
      }
      // The first start is searched for among all events; the next run has it for a mark.
      const known = markBefore(state, first) === null ? withMark(state, { at: first, id: start }, 0) : state.marks
      const marks = withMark({ marks: known }, { at: now, id: newestId }, now - LOOKED_BACK)
      const cannot = Object.fromEntries(all.flatMap(({ one, cannot: why }) => (why === null ? [] : [[one.name, why]])))
      return await run.result({ marks, cannot, save })

      /** The event behind which everything is that came since an instant. */
      async function startOf(since: Instant): Promise<number> {
        const mark = markBefore(state, since)
        if (mark !== null) return mark
        const [oldest] = await store.events({ since, after: 0, limit: 1 })
        return oldest ? oldest.id - 1 : newestId
      }
    },
  }

  function whyLeft(one: AskedDestination, { leave }: DestinationRules): string | null {
    if (leave.includes(one.name)) return 'config leaves it out (completeness.destinations.leave)'
    return whyNotAsked(one) ?? (flows.some((flow) => isAskedFor(flow, one)) ? null : 'no flow gives it anything')
  }
}
