import type { TillOrder } from '../../../domain/orders/order.ts'
import { knownPlace, type StoreIndex } from '../../../domain/places/store-index.ts'
import { partOf } from '../../../domain/queue/delivery.ts'
import { DRY_RUN } from '../../../domain/queue/outcome.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Money } from '../../../domain/values/money.ts'
import { type Flow, NOTHING_KNOWN } from '../../../flows/flow.ts'
import { evaluate } from '../../../lib/jsonata.ts'
import { eachInSlices } from '../../../lib/semaphore.ts'
import { type Mappings, mappedEvent } from '../../../payloads/mapping/mapping.ts'
import { amountOf } from '../../../ports/perform.ts'
import { isRefundCall, REFUND_METHODS, type RefundCall } from '../../../ports/ports.ts'
import type { GivenRow } from '../../../store/reading/given-pages.ts'
import type { Store } from '../../../store/store.ts'

const PAGE = 500

/** The delivery of a step, and its repetitions. */
export type GivenStep = readonly [GivenRow, ...GivenRow[]]

export async function* givenSteps(
  store: Pick<Store, 'givenPage'>,
  destinations: readonly string[],
  after: number,
  signal: AbortSignal,
): AsyncGenerator<GivenStep> {
  for (let from: number | null = after; from !== null; ) {
    signal.throwIfAborted()
    const { rows, next } = await store.givenPage(destinations, from, PAGE)
    const steps = Map.groupBy(rows, ({ event, destination, flow, part }) =>
      JSON.stringify([event.id, destination, flow, partOf(part)]),
    )
    for (const [first, ...more] of steps.values()) if (first) yield [first, ...more]
    from = next
  }
}

/** `given`: acknowledged before `bound`; `open`: pending, dead or too young; `none`: not to be made. Pure. */
export function standingOf(
  step: GivenStep,
  bound: Instant,
): { is: 'given'; rows: GivenStep } | { is: 'open' | 'none' } {
  const [first, ...more] = step.filter(({ state, code }) => state === 'delivered' && code !== DRY_RUN)
  if (first && (first.settledAt ?? bound) < bound) return { is: 'given', rows: [first, ...more] }
  return { is: first || step.some(({ state }) => OPEN.includes(state)) ? 'open' : 'none' }
}

const OPEN: readonly string[] = ['waiting', 'claimed', 'held', 'dead']

/** What the event says of a step. Null: nothing, or its payload is pruned. */
export interface Reread {
  amount: Money | null
  day: string | null
  storeId: string | null
  order: TillOrder | null
  refund: RefundCall | null
}

export const NOTHING_REREAD: Reread = { amount: null, day: null, storeId: null, order: null, refund: null }

interface Tools {
  store: Pick<Store, 'bodies'>
  mappings: Mappings
  storeIndex(): StoreIndex
}

/** Bytes per read. */
const ROOM = 4_000_000

/** Methods with an amount or order to compare; for the others the key is enough. */
const READ = ['bookSale', 'bookInvoice', 'bookSettlement', 'bookGiftCard', 'bookTerminal', 'create', ...REFUND_METHODS]

export interface ToReread {
  row: GivenRow
  flow: Flow
}

/** Repeats the planning of steps, without any call, to learn what they are about. */
export async function rereadAll(steps: readonly ToReread[], tools: Tools): Promise<Reread[]> {
  const found = new Map<ToReread, Reread>()
  let slice: ToReread[] = []
  let bytes = 0
  for (const step of steps) {
    if (!READ.includes(step.flow.method ?? '')) continue
    const { size } = step.row.event
    if (bytes + size > ROOM) await read()
    slice.push(step)
    bytes += size
  }
  await read()
  return steps.map((step) => found.get(step) ?? NOTHING_REREAD)

  async function read(): Promise<void> {
    const bodies = await tools.store.bodies([...new Set(slice.map(({ row }) => row.event.id))])
    const byId = new Map(bodies.map(({ id, body }) => [id, body]))
    await eachInSlices(slice, (step) => {
      const body = byId.get(step.row.event.id)
      if (body) found.set(step, reread(step, body, tools))
    })
    slice = []
    bytes = 0
  }
}

function reread(
  { row: { event, part }, flow }: ToReread,
  body: Uint8Array,
  { mappings, storeIndex }: Omit<Tools, 'store'>,
): Reread {
  try {
    const read = mappedEvent({ ...event, body }, mappings, evaluate)
    // Without accounts: no journal has to balance here.
    const known = {
      ...NOTHING_KNOWN,
      storeOf: (ref: Parameters<typeof knownPlace>[1]) => knownPlace(storeIndex(), ref),
    }
    const call = flow.call(read, { part: partOf(part) }, known)
    if (call === null) return NOTHING_REREAD
    const amount = amountOf(call)
    if (call.port === 'orders')
      return {
        ...NOTHING_REREAD,
        amount,
        order: call.method === 'create' ? call.argument : null,
        refund: isRefundCall(call) ? call : null,
      }
    if (call.port !== 'backOffice') return { ...NOTHING_REREAD, amount }
    const { day, storeId } = call.argument
    return { ...NOTHING_REREAD, amount, day, storeId }
  } catch {
    // It is still asked for by its key.
    return NOTHING_REREAD
  }
}
