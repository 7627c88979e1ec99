import { createDayCounts } from '../../../domain/ledger/destination/day-counts.ts'
import type { KeptGap } from '../../../domain/ledger/gap.ts'
import { deliveryKey } from '../../../domain/queue/event.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Flow } from '../../../flows/flow.ts'
import type { GivenRow } from '../../../store/reading/given-row.ts'
import type { Store } from '../../../store/store.ts'
import { type AskedStep, askSteps } from './ask-steps.ts'
import { type AskedDestination, isAskedFor } from './asked-destination.ts'
import { createDifferences } from './differences.ts'
import { type GivenStep, standingOf } from './given-steps.ts'
import { createPaced } from './paced.ts'
import { NOTHING_REREAD, type Reread, type ToReread } from './reread.ts'

/** Steps asked for in one question. */
const AT_ONCE = { backOffice: 500, orders: 100 } as const

/** The most facts of one destination that are named as being there several times. */
const MOST_TWINS = 100

/** Fewer than that may well be lost together. */
const GOOD_DEAL = 20

interface Tools {
  store: Pick<Store, 'links'>
  flows: ReadonlyMap<string, Flow>
  open: readonly KeptGap[]
  /** Only what came since then is asked for. */
  from: Instant
  /** Only what was acknowledged before is asked for. */
  bound: Instant
  reread(steps: readonly ToReread[]): Promise<Reread[]>
  signal: AbortSignal
}

/** A step that waits for others to be asked for with it. */
type WaitingStep = Omit<AskedStep, 'reread'>

/** One destination, asked for what it was given as the steps come; its memory is that of one question. */
export function createComparison(destination: AskedDestination, tools: Tools) {
  const { store, flows, open: gaps, from, bound, signal } = tools
  const differences = createDifferences(destination.name, gaps)
  const days = createDayCounts()
  const paced = createPaced(destination.timeout, signal)
  const waiting: Record<keyof typeof AT_ONCE, WaitingStep[]> = { backOffice: [], orders: [] }
  let asked = 0
  let open = 0
  let lacking = 0
  let told = 0

  async function ask(port: keyof typeof AT_ONCE): Promise<void> {
    const taken = waiting[port]
    if (taken.length === 0) return
    waiting[port] = []
    const read = await tools.reread(taken.map(({ rows: [row], flow }) => ({ row, flow })))
    const steps = taken.map((step, index): AskedStep => ({ ...step, reread: read[index] ?? NOTHING_REREAD }))
    const answers = await paced((within) => askSteps(destination, steps, store, { signal: within }))
    for (const [index, { rows, flow, keys, reread }] of steps.entries()) {
      const tallied = answers[index]
      if (!tallied) continue
      asked += 1
      if (tallied.is !== 'unknown') told += 1
      if (tallied.is === 'lacking') lacking += 1
      differences.judge(rows[0], keys[0], reread, tallied)
      const day = reread.day ?? new Date(rows[0].event.receivedAt).toISOString().slice(0, 10)
      days.add({ day, flow: flow.name, amount: reread.amount, tallied })
    }
  }

  return {
    name: destination.name,
    differences,

    /** Takes one of its steps, and asks once there are enough. Rejects as a call does where the destination cannot be reached. */
    async take(step: GivenStep): Promise<void> {
      const [{ event, flow: name }] = step
      const flow = flows.get(name)
      if (!flow || event.receivedAt < from || !isAskedFor(flow, destination)) return
      const standing = standingOf(step, bound)
      if (standing.is === 'open') open += 1
      if (standing.is !== 'given') return
      const port = flow.port === 'orders' ? 'orders' : 'backOffice'
      const { rows } = standing
      const [first, ...more] = rows
      const keys = [keyOf(first), ...more.map(keyOf)] as const
      waiting[port].push({ rows, flow, keys: [...keys] })
      if (waiting[port].length >= AT_ONCE[port]) await ask(port)
    },

    /** Asks for the rest, and, if wanted, for what is there several times. */
    async end(wantsTwins: boolean): Promise<void> {
      await ask('backOffice')
      await ask('orders')
      const twins = destination.ports.backOffice?.twins
      if (!wantsTwins || !twins) return
      const since = new Date(from).toISOString().slice(0, 10)
      differences.judgeTwins(await paced((within) => twins(since, MOST_TWINS, { signal: within })), since)
    },

    /** A destination that has nothing at all of a good deal that it was given: that is not a loss of each, but one trouble. */
    hasNothing: () => told >= GOOD_DEAL && lacking === told,

    counts: () => ({ asked, open, days: days.all(), ...differences.counts() }),
  }
}

function keyOf({ event, flow, part, effect }: GivenRow): string {
  return deliveryKey(event, flow, part, effect)
}
