import type { TillOrder } from '../../../domain/orders/order.ts'
import { knownPlace } from '../../../domain/places/known-place.ts'
import type { StoreIndex } from '../../../domain/places/store-index.ts'
import { partOf } from '../../../domain/queue/sent-again.ts'
import { type Money, parseDecimal } from '../../../domain/values/money.ts'
import type { Flow, Known } from '../../../flows/flow.ts'
import { evaluate } from '../../../lib/jsonata.ts'
import { type Mappings, mappedEvent } from '../../../payloads/mapping/mapping.ts'
import { amountOf } from '../../../ports/amount-of.ts'
import type { Call } from '../../../ports/ports.ts'
import type { GivenRow } from '../../../store/screens.ts'
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
  store: Pick<Store, 'event'>
  mappings: Mappings
  storeIndex(): StoreIndex
}

/** Makes the call of a step once more, without anybody being asked, and reads what it is about. */
export async function reread({ event, part }: GivenRow, flow: Flow, tools: Tools): Promise<Reread> {
  const kept = await tools.store.event(event.id)
  if (!kept?.body) return NOTHING_REREAD
  try {
    const read = mappedEvent({ ...kept, body: kept.body }, tools.mappings, evaluate)
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
    ...{ told: parseDecimal(0), paid: false, prior: [], order: null, articleName: null, settlement: null },
    ...{ channels: {}, accounts: null, released: null },
    storeOf: (ref) => knownPlace(storeIndex(), ref),
  }
}
