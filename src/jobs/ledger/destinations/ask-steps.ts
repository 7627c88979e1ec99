import { BOOKING_NAMES } from '../../../domain/books/bookings.ts'
import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import { idOfTillOrder } from '../../../domain/orders/order-link.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Flow } from '../../../flows/flow.ts'
import type { Question } from '../../../ports/attempt.ts'
import type { GivenOrder, GivenRecord } from '../../../ports/tally.ts'
import type { Store } from '../../../store/store.ts'
import type { AskedDestination } from './asked-destination.ts'
import type { GivenStep } from './given-steps.ts'
import type { Reread } from './reread.ts'

/** A step that a destination is asked for. */
export interface AskedStep {
  rows: GivenStep
  flow: Flow
  keys: readonly [string, ...string[]]
  reread: Reread
}

/** Asks a destination for several steps of one port at once; the answers in their order. */
export async function askSteps(
  { name, ports }: AskedDestination,
  steps: readonly AskedStep[],
  store: Pick<Store, 'links'>,
  question: Question,
): Promise<Tallied[]> {
  const records = steps.flatMap((step) => recordOf(step) ?? [])
  if (records.length === steps.length && ports.backOffice?.tally)
    return checked(steps, await ports.backOffice.tally(records, question))
  const orders: GivenOrder[] = []
  for (const step of steps) {
    const order = await orderOf(step, name, store)
    if (order) orders.push(order)
  }
  const tallied = ports.orders?.tally && orders.length > 0 ? await ports.orders.tally(orders, question) : []
  const answers = new Map(checked(orders, tallied).map((one, index) => [orders[index]?.keys[0], one]))
  return steps.map(({ keys: [key] }) => answers.get(key) ?? UNREADABLE)
}

const UNREADABLE: Tallied = { is: 'unknown', why: 'its payload is not kept any more, or cannot be read' }

/** An answer for each; an adapter that gives another number of them has a fault. */
function checked(asked: readonly unknown[], answers: Tallied[]): Tallied[] {
  if (asked.length === answers.length) return answers
  throw new TypeError(`the adapter gave ${answers.length} answers for ${asked.length} that were asked for`)
}

function recordOf({ rows, flow, keys }: AskedStep): GivenRecord | null {
  const method = BOOKING_NAMES.find((name) => name === flow.method)
  return flow.port === 'backOffice' && method !== undefined ? { keys, method, givenAt: givenAt(rows) } : null
}

async function orderOf({ rows, keys, reread: { order } }: AskedStep, destination: string, store: Pick<Store, 'links'>) {
  if (order === null) return null
  const links = await store.links(destination, 'order', [idOfTillOrder(order)])
  return { keys, order, links, givenAt: givenAt(rows) } satisfies GivenOrder
}

/** When it was acknowledged first. */
function givenAt([first]: GivenStep): Instant {
  return first.settledAt ?? first.event.receivedAt
}
