import { DRY_RUN } from '../../../domain/queue/outcome.ts'
import { partOf } from '../../../domain/queue/sent-again.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { GivenRow } from '../../../store/reading/given-row.ts'
import type { Store } from '../../../store/store.ts'

/** Events looked at at once. */
const PAGE = 500

/** One step of an event for one destination: its delivery, and those that repeat it. */
export type GivenStep = readonly [GivenRow, ...GivenRow[]]

/** Every step that destinations were owed since an event, page by page, in the order of events. */
export async function* givenSteps(
  store: Pick<Store, 'givenPage'>,
  destinations: readonly string[],
  after: number,
  signal: AbortSignal,
): AsyncGenerator<GivenStep[]> {
  for (let from: number | null = after; from !== null; ) {
    signal.throwIfAborted()
    const { rows, next } = await store.givenPage(destinations, from, PAGE)
    const steps = Map.groupBy(rows, ({ event, destination, flow, part }) =>
      JSON.stringify([event.id, destination, flow, partOf(part)]),
    )
    yield [...steps.values()].flatMap(([first, ...more]) => (first ? [[first, ...more] satisfies GivenStep] : []))
    from = next
  }
}

/**
 * Whether a destination has acknowledged a step so long ago that it is asked for it (`given`, with the deliveries that were
 * acknowledged), or it is known to be owed, dead or too young (`open`), or not to be made at all (`none`). Pure.
 */
export function standingOf(
  step: GivenStep,
  bound: Instant,
): { is: 'given'; rows: GivenStep } | { is: 'open' | 'none' } {
  const [first, ...more] = step.filter(({ state, code }) => state === 'delivered' && code !== DRY_RUN)
  if (first && (first.settledAt ?? bound) < bound) return { is: 'given', rows: [first, ...more] }
  const isOpen = first !== undefined || step.some(({ state }) => OPEN.includes(state))
  return { is: isOpen ? 'open' : 'none' }
}

const OPEN: readonly string[] = ['waiting', 'claimed', 'held', 'dead']
