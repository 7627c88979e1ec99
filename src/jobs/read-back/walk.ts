import { z } from 'zod'
import { PLATFORM } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { DeliveryRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import type { ProductsState } from '../products/state.ts'

const DAY = 24 * 3_600_000

export type ReadBackState = z.output<typeof ReadBackState>

export const ReadBackState = z.object({
  /** Deliveries acknowledged before it are not checked. */
  begin: z.number(),
  cursor: z.number(),
  /** Deliveries before the cursor that are still to be checked. */
  pending: z.array(z.number().or(z.tuple([z.number(), z.number()]).transform(([id]) => id))),
})

export function firstState(now: Instant): ReadBackState {
  return { begin: now - DAY, cursor: 0, pending: [] }
}

const FLOWS = ['save-products', 'save-product-text', 'save-prices', 'end-price']

export function isSubmission({ destination, flow }: Pick<DeliveryRow, 'destination' | 'flow'>): boolean {
  return destination === PLATFORM && FLOWS.includes(flow)
}

const MOST_PENDING = 5_000

/** Dead deliveries are not waited for any longer (ms). */
const FORGOTTEN = 7 * DAY

const DELIVERIES_PER_READ = 1_000

function whenDue(
  row: DeliveryRow,
  begin: Instant,
  settles: number,
  { readAt, pricesAt }: ProductsState,
  now: Instant,
): 'now' | 'later' | 'never' {
  const { state, settledAt, flow } = row
  if (state === 'skipped' || state === 'superseded') return 'never'
  if (state === 'dead') return settledAt !== null && now - settledAt > FORGOTTEN ? 'never' : 'later'
  if (state !== 'delivered') return 'later'
  if (settledAt === null || settledAt < begin) return 'never'
  const asOf = flow === 'save-prices' ? pricesAt : readAt
  return asOf !== null && settledAt + settles <= asOf ? 'now' : 'later'
}

interface Walk {
  store: Pick<Store, 'deliveries'>
  state: ReadBackState
  products: ProductsState
  settles: number
  now: Instant
}

export function createWalk({ store, state: { begin, cursor: from, pending }, products, settles, now }: Walk) {
  let cursor = from
  const left = [...pending]
  const later: typeof pending = []

  /** False: no room for it. */
  function take(row: DeliveryRow, due: DeliveryRow[]): boolean {
    const when = whenDue(row, begin, settles, products, now)
    if (when === 'now') due.push(row)
    return when !== 'later' || pend(row.id)
  }

  /** False: no room for it. */
  function pend(id: number): boolean {
    if (later.length + left.length >= MOST_PENDING) return false
    later.push(id)
    return true
  }

  async function takePending(due: DeliveryRow[]): Promise<void> {
    const [row] = await store.deliveries({ id: left.shift() ?? 0 })
    if (row) take(row, due)
  }

  return {
    pend,

    /** None: there are no more. */
    async next(most: number, signal: AbortSignal): Promise<DeliveryRow[]> {
      const due: DeliveryRow[] = []
      while (left.length > 0 && due.length < most) {
        signal.throwIfAborted()
        await takePending(due)
      }
      const newest = await newestOf(store)
      while (due.length < most && cursor < newest) {
        signal.throwIfAborted()
        const end = Math.min(newest, cursor + DELIVERIES_PER_READ)
        for (const row of await rowsBetween(store, cursor, end)) {
          if (isSubmission(row) && !take(row, due)) return due
          cursor = row.id
        }
        cursor = end
      }
      return due
    },

    state: (): ReadBackState => ({ begin, cursor, pending: [...later, ...left] }),
  }
}

export async function* deliveriesAfter(
  store: Pick<Store, 'deliveries'>,
  id: number,
  signal: AbortSignal,
): AsyncGenerator<DeliveryRow> {
  const newest = await newestOf(store)
  for (let from = id; from < newest; from += DELIVERIES_PER_READ) {
    signal.throwIfAborted()
    yield* await rowsBetween(store, from, Math.min(newest, from + DELIVERIES_PER_READ))
  }
}

async function newestOf(store: Pick<Store, 'deliveries'>): Promise<number> {
  const [newest] = await store.deliveries({ limit: 1 })
  return newest?.id ?? 0
}

/** By id, to read no more of the table. */
async function rowsBetween(store: Pick<Store, 'deliveries'>, from: number, to: number): Promise<DeliveryRow[]> {
  const rows = await store.deliveries({ before: to + 1, limit: to - from })
  return rows.filter(({ id }) => id > from).reverse()
}
