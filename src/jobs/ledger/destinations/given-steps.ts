import type { TillOrder } from '../../../domain/orders/order.ts'
import { knownPlace, type StoreIndex } from '../../../domain/places/store-index.ts'
import { partOf } from '../../../domain/queue/delivery.ts'
import { DRY_RUN } from '../../../domain/queue/outcome.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Money } from '../../../domain/values/money.ts'
import { type Flow, type Known, NOTHING_KNOWN } from '../../../flows/flow.ts'
import { evaluate } from '../../../lib/jsonata.ts'
import { eachInSlices } from '../../../lib/semaphore.ts'
import { type Mappings, mappedEvent } from '../../../payloads/mapping/mapping.ts'
import { amountOf } from '../../../ports/perform.ts'
import type { Call } from '../../../ports/ports.ts'
import type { GivenRow } from '../../../store/reading/given-pages.ts'
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

/** The part of a step that its event alone tells. Null: it does not say, or its payload is not kept any more. */
export interface Reread {
  amount: Money | null
  /** The business day, `yyyy-mm-dd`. */
  day: string | null
  storeId: string | null
  /** The order that was to be made. */
  order: TillOrder | null
}

export const NOTHING_REREAD: Reread = { amount: null, day: null, storeId: null, order: null }

interface Tools {
  store: Pick<Store, 'bodies'>
  mappings: Mappings
  storeIndex(): StoreIndex
}

/** Bodies read at once, in bytes; one goes alone whatever its size. */
const ROOM = 4_000_000

/** Flows whose events say an amount, or the order that is asked for; of the others the key is enough. */
const READ = ['bookSale', 'bookInvoice', 'bookSettlement', 'bookGiftCard', 'bookTerminal', 'create']

/** A step that is read again, by its first delivery. */
export interface ToReread {
  row: GivenRow
  flow: Flow
}

/** Makes the calls of steps once more, without anybody being asked, and reads what they are about; in their order. */
export async function rereadAll(steps: readonly ToReread[], tools: Tools): Promise<Reread[]> {
  const found = new Map<ToReread, Reread>()
  const wanted = steps.filter(({ flow }) => READ.includes(flow.method ?? ''))
  for (const some of slicesOf(wanted)) {
    const bodies = await tools.store.bodies([...new Set(some.map(({ row }) => row.event.id))])
    const byId = new Map(bodies.map(({ id, body }) => [id, body]))
    await eachInSlices(some, (step) => {
      const body = byId.get(step.row.event.id)
      if (body) found.set(step, reread(step, body, tools))
    })
  }
  return steps.map((step) => found.get(step) ?? NOTHING_REREAD)
}

function slicesOf(steps: readonly ToReread[]): ToReread[][] {
  const slices: ToReread[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const step of steps) {
    bytes += step.row.event.size
    if (bytes > ROOM) {
      slices.push([])
      bytes = step.row.event.size
    }
    slices.at(-1)?.push(step)
  }
  return slices
}

function reread({ row: { event, part }, flow }: ToReread, body: Uint8Array, tools: Tools): Reread {
  try {
    const read = mappedEvent({ ...event, body }, tools.mappings, evaluate)
    const call = flow.call(read, { part: partOf(part) }, knownBy(tools))
    return call === null ? NOTHING_REREAD : readCall(call)
  } catch {
    // What it takes more to know of is asked for by its key all the same.
    return NOTHING_REREAD
  }
}

function readCall(call: Call): Reread {
  const amount = amountOf(call)
  if (call.port === 'backOffice') {
    const { day, storeId } = call.argument
    return { amount, day, storeId, order: null }
  }
  return { ...NOTHING_REREAD, amount, order: call.port === 'orders' && call.method === 'create' ? call.argument : null }
}

/** The inputs of a call that are known without asking anybody. Without accounts: no journal has to balance here. */
function knownBy({ storeIndex }: Pick<Tools, 'storeIndex'>): Known {
  return {
    ...NOTHING_KNOWN,
    storeOf: (ref) => knownPlace(storeIndex(), ref),
  }
}
