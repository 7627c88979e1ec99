import { type DestinationReconciliation, NEVER_RECONCILED } from '../../domain/completeness/reconciled.ts'
import type { StoreIndex } from '../../domain/stores/store-index.ts'
import { type ConfigIssue, messageOf, RetryLaterError, StorageUnavailableError } from '../../domain/values/errors.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { Flow } from '../../flows/flow.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Mappings } from '../../platform/payloads/mapping/mapping.ts'
import { readDestinationsState } from '../../storage/read-completeness.ts'
import type { Storage } from '../../storage/storage.ts'
import { allGaps, lastBefore } from '../../storage/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import {
  createComparison,
  givenSteps,
  isReconcilable,
  type ReconcilableDestination,
  rereadAll,
  type ToReread,
} from './comparison.ts'

export interface DestinationRules {
  days: number
  /** Since the acknowledgement (ms). */
  patience: number
  leave: readonly string[]
}

interface Options {
  storage: Pick<Storage, 'events' | 'nextReceived' | 'bodies' | 'givenPage' | 'links' | 'gaps' | 'saveReconciliation'>
  destinations: readonly ReconcilableDestination[]
  flows: readonly Flow[]
  mappings: Mappings
  rules: DestinationRules
  storeIndex(): StoreIndex
  reached(destination: string): void
}

const DAY = 86_400_000

/** Open gaps are checked for so long (ms). */
const LOOKED_BACK = 30 * DAY

const COMMIT = 100

const OTHER =
  'is it another database, table or shop than before? Then leave it out for as many days as are looked at (completeness.destinations.leave)'

/** Asks each destination by key what it has of what it acknowledged. Differences are gaps; rows may be deleted on purpose. */
export function reconcileDestinationsJob(options: Options): HubJob {
  const { storage, flows, mappings, rules, storeIndex, reached } = options
  const byName = new Map(flows.map((flow) => [flow.name, flow]))
  const cannot = new Map(options.destinations.map((one) => [one.name, whyNotAsked(one)]))

  return {
    name: 'reconcile-destinations',
    async run({ now, signal, state: left, save }) {
      const before = readDestinationsState(left).destinations
      const bound = now - rules.patience
      const window = now - rules.days * DAY
      const newest = (await storage.events({ limit: 1 }))[0]?.id ?? 0
      const gaps = await allGaps(storage, { source: 'destination', state: 'open' })
      const reread = (steps: readonly ToReread[]) => rereadAll(steps, { storage, mappings, storeIndex })
      const comparisons = options.destinations
        .filter(({ name }) => cannot.get(name) === null)
        .map((one) => {
          const open = gaps.filter(({ destination }) => destination === one.name)
          const { openHours, upTo } = before[one.name] ?? NEVER_RECONCILED
          const since = [...open.map(({ at }) => at), ...openHours]
          const from = Math.max(now - LOOKED_BACK, Math.min(window, ...since))
          return createComparison(one, { storage, flows: byName, bound, signal, reread, open, from, upTo })
        })
      const seen: Record<string, DestinationReconciliation> = {}
      for (const [name, why] of cannot) if (why !== null) seen[name] = { ...NEVER_RECONCILED, cannot: why }
      const failed = new Map<string, string>()
      const notes: string[] = []

      await askAll()
      for (const comparison of comparisons) await keep(comparison)
      const note = notes.join('; ') || 'no destination can be asked'
      if (failed.size === 0) return { state: { destinations: seen }, note }
      await save({ destinations: seen })
      const why = [...failed].slice(0, 3).map(([name, problem]) => `${name}: ${problem}`)
      throw new RetryLaterError(`${why.join('; ')}. Done: ${note}`, { code: 'destinations-not-asked' })

      async function askAll(): Promise<void> {
        if (comparisons.length === 0) return
        const first = await lastBefore(storage, Math.min(window, ...comparisons.map(({ from }) => from)))
        const start = Math.min(first, ...comparisons.map(({ upTo }) => upTo ?? first))
        const asked = new Map(comparisons.map((one) => [one.name, one]))
        for await (const step of givenSteps(storage, [...asked.keys()], start, signal)) {
          const comparison = asked.get(step[0].destination)
          if (comparison) await within(comparison.name, () => comparison.take(step))
        }
        for (const { name, end } of comparisons) await within(name, end)
      }

      async function within(name: string, work: () => Promise<void>): Promise<void> {
        if (failed.has(name)) return
        try {
          await work()
        } catch (error) {
          signal.throwIfAborted()
          if (error instanceof StorageUnavailableError) throw error
          failed.set(name, messageOf(error))
        }
      }

      /** Partial answers are saved, but cover nothing. */
      async function keep({ name, from, changes, hasNothing, counts }: (typeof comparisons)[number]): Promise<void> {
        const { asked, open, days, found, unnamed } = counts()
        if (hasNothing()) failed.set(name, `it has nothing of ${pluralize(asked, 'thing')} that it was given: ${OTHER}`)
        else for (const some of chunksOf(changes(), COMMIT)) await storage.saveReconciliation({ gaps: some }, now)
        if (unnamed > 0) failed.set(name, `${found} things differ: the first ${found - unnamed} are named as gaps`)
        notes.push(`${name}: ${pluralize(asked, 'thing')} asked for, ${pluralize(found, 'difference')}, ${open} open`)
        const last = before[name] ?? NEVER_RECONCILED
        const problem = failed.get(name) ?? null
        if (problem !== null) {
          // Of one that has nothing of what it was given, nothing is proven any more.
          seen[name] = { ...last, cannot: null, problem, ...(hasNothing() && { from: null, until: null }) }
          return
        }
        if (asked > 0) reached(name)
        await storage.saveReconciliation(
          { covered: [{ source: 'destination', scope: name, from: window, to: bound }] },
          now,
        )
        const joins = last.from !== null && last.until !== null && last.until >= window
        const begins = joins ? last.from : window
        const openHours = [...last.openHours.filter((hour) => hour < from), ...counts().openHours]
        seen[name] = {
          ...{ cannot: null, problem: null, askedAt: now, from: begins, until: bound },
          ...{ upTo: newest, open, openHours, days },
        }
      }
    },
  }

  function whyNotAsked(one: ReconcilableDestination): string | null {
    const { name, ports, dryRun } = one
    const canTell = [ports.backOffice?.reconcile, ports.orders?.reconcile, ports.orders?.countRefunds].some(Boolean)
    if (rules.leave.includes(name)) return 'config leaves it out (completeness.destinations.leave)'
    if (dryRun) return 'nothing is sent there (dryRun)'
    if (!canTell) return 'its adapter, as config has it, can tell of nothing that it was given'
    return flows.some((flow) => isReconcilable(flow, one)) ? null : 'no flow gives it anything'
  }
}

export function leaveConfigIssues(leave: readonly string[], names: readonly string[]): ConfigIssue[] {
  return leave
    .filter((one) => !names.includes(one))
    .map((one) => ({
      path: ['completeness', 'destinations', 'leave'],
      found: `"${one}", which is no destination`,
      expected: `names of destinations: ${names.join(', ') || 'there are none'}`,
    }))
}
