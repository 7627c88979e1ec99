import type { TillOrder } from '../../../domain/orders/order.ts'
import { knownPlace } from '../../../domain/places/known-place.ts'
import type { StoreIndex } from '../../../domain/places/store-index.ts'
import { partOf } from '../../../domain/queue/sent-again.ts'
import type { Money } from '../../../domain/values/money.ts'
import type { Flow, Known } from '../../../flows/flow.ts'
import { NOTHING_KNOWN } from '../../../flows/nothing-known.ts'
import { evaluate } from '../../../lib/jsonata.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import { type Mappings, mappedEvent } from '../../../payloads/mapping/mapping.ts'
import { amountOf } from '../../../ports/amount-of.ts'
import type { Call } from '../../../ports/ports.ts'
import type { GivenRow } from '../../../store/reading/given-row.ts'
import type { Store } from '../../../store/store.ts'

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
