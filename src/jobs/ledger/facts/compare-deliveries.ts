import { coveredUntil, type Range } from '../../../domain/ledger/covered.ts'
import { untoldGap } from '../../../domain/ledger/facts/fact.ts'
import { type GapChange, hasStood, type KeptGap } from '../../../domain/ledger/gap.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { over } from '../../../domain/values/still-to-come.ts'
import { toStoreLocal } from '../../../domain/values/store-time.ts'
import { partsOf } from '../../../lib/parts.ts'
import type { DeliveryOrder } from '../../../platform/areas/stock/deliveries.ts'
import { asideText } from '../../../platform/http/listed.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { KeptStore } from '../../../store/kept.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'
import { placeOf } from '../../pulls/deliveries.ts'
import { deliveryPayload, saysMore } from '../../pulls/delivery-payload.ts'
import { inTurn } from '../../pulls/in-turn.ts'
import { presentStocks } from '../../pulls/store-days.ts'
import { type AcceptFact, acceptOrKeep, TOLD } from './accept.ts'
import type { Compared } from './compare-kind.ts'
import type { FactsState } from './facts-state.ts'

/** The kind that is made of what the list of deliveries says. */
export const DELIVERY_KIND = 'DeliveryUpdated'

const LIST = 'GetOrdersV3'

interface Options {
  platform: Pick<Platform, 'deliveries'>
  store: Pick<Store, 'mirrorRows' | 'gaps' | 'covered' | 'saveLedger'>
  stores: readonly KeptStore[]
  state: FactsState
  /** From where events could tell to the frozen bound. */
  span: Range
  lag: number
  now: number
  watched(storeId: string | null): boolean
  accept: AcceptFact
  turn(): Promise<void>
  signal: AbortSignal
}

/** A delivery of which the list says more than the hub has. */
interface Ahead {
  orderId: string
  storeId: string | null
  payload: object
}

/** An empty list of a stock that had deliveries is believed after so long (milliseconds). */
const DOUBTED = 24 * 3_600_000

/** The most deliveries that are looked up in the mirror at once. */
const AT_ONCE = 500

/**
 * Holds the deliveries of each stock against the mirror. The list says how they stand, not what happened when: all of it is proven
 * up to the bound where it says no more than the hub has. What it says more may be on its way, and is a gap once it has been so for a
 * lag; it arose at the earliest where the proof ended.
 */
export async function compareDeliveries(options: Options): Promise<Compared> {
  const { platform, store, stores, state, span, lag, now, watched, accept, turn, signal } = options
  const result: Compared = { kind: DELIVERY_KIND, facts: 0, untold: 0, accepted: 0, unproven: [] }
  const ahead: Ahead[] = []
  const failed = await inTurn(presentStocks(stores), signal, async (stockId) => {
    await turn()
    const { rows, aside } = await platform.deliveries.list(stockId, signal)
    result.facts += rows.length
    const why = asideText(aside) ?? whyEmpty(stockId, rows.length, state, now)
    if (why !== null) result.unproven.push(`${DELIVERY_KIND} of stock ${stockId}: ${why}`)
    for (const some of partsOf(rows, AT_ONCE)) ahead.push(...(await aheadOf(stockId, some)))
  })
  for (const { item, error } of failed) result.unproven.push(`${DELIVERY_KIND} of stock ${item}: ${error.message}`)
  const isWhole = result.unproven.length === 0
  const until = coveredUntil(await store.covered('facts', DELIVERY_KIND), span.from)
  const open = await allGaps(store, { road: 'facts', kind: DELIVERY_KIND, state: 'open' })
  const changes: GapChange[] = []
  const since: Record<string, number> = {}
  for (const one of ahead) {
    since[one.orderId] = over(state.ahead[one.orderId] ?? null, now) ?? now
    changes.push(...(await judge(one, open.find(({ subject }) => subject === one.orderId) ?? null)))
  }
  const behind = new Set(ahead.map(({ orderId }) => orderId))
  if (isWhole)
    for (const { key, subject } of open) if (!behind.has(subject)) changes.push({ type: 'mend', key, reason: TOLD })
  state.ahead = since
  const isProven = isWhole && ahead.length === 0
  const covered = isProven ? [{ road: 'facts' as const, scope: DELIVERY_KIND, ...span }] : []
  await store.saveLedger({ gaps: changes, covered }, now)
  return result

  async function aheadOf(stockId: string, orders: readonly DeliveryOrder[]): Promise<Ahead[]> {
    const place = placeOf(stockId, stores)
    const own = stores.filter((one) => one.stockId === stockId)
    const storeId = own.length === 1 ? (own[0]?.storeId ?? null) : null
    // Stores share a stock: events of it come where those of each do.
    if (!watched(storeId) && !isEachWatched(own, watched)) return []
    const ids = orders.map(({ orderId }) => orderId)
    const known = new Map((await store.mirrorRows('deliveries', ids)).map((row) => [row.key, row]))
    const begin = toStoreLocal(span.from, place.zone).slice(0, 10)
    return orders.flatMap((order) => {
      const { orderId, orderDate } = order
      const row = known.get(orderId) ?? null
      // One that nobody told the hub of, of before it was told anything.
      if (row === null && orderDate !== null && orderDate.slice(0, 10) < begin) return []
      const payload = deliveryPayload(order, place, row, now)
      return saysMore(payload, row) ? [{ orderId, storeId, payload }] : []
    })
  }

  async function judge({ orderId, storeId, payload }: Ahead, gap: KeptGap | null): Promise<GapChange[]> {
    const seenSince = since[orderId] ?? now
    const hasWaited = seenSince <= now - lag
    if (!hasWaited) return []
    const at = Math.min(gap?.at ?? until, until)
    const says = { orderId, since: new Date(seenSince).toISOString() }
    const fact = {
      subject: orderId,
      storeId,
      day: toStoreLocal(at, placeZone(storeId)).slice(0, 10),
      lacks: null,
      says,
    }
    const seen = untoldGap(DELIVERY_KIND, LIST, { ...fact, earliest: at, latest: at })
    if (gap === null || !hasStood(gap, lag, now)) {
      result.untold += 1
      return [{ type: 'see', gap: seen }]
    }
    const change = await acceptOrKeep(gap, seen, payload, accept)
    if (change.type === 'mend') result.accepted += 1
    else result.untold += 1
    return [change]
  }

  function placeZone(storeId: string | null): string {
    return stores.find((one) => one.storeId === storeId)?.zone ?? 'UTC'
  }
}

/** Why a list without deliveries is not believed, and changes the state: these endpoints answer trouble so, too. */
function whyEmpty(
  stockId: string,
  rows: number,
  { emptied }: Pick<FactsState, 'emptied'>,
  now: Instant,
): string | null {
  const before = emptied[stockId]
  if (rows > 0) emptied[stockId] = null
  if (rows > 0 || before === undefined) return null
  const since = over(before, now) ?? now
  if (now - since >= DOUBTED) delete emptied[stockId]
  else emptied[stockId] = since
  return now - since >= DOUBTED ? null : 'the list has no deliveries, and had some'
}

function isEachWatched(stores: readonly KeptStore[], watched: Options['watched']): boolean {
  return stores.length > 0 && stores.every(({ storeId }) => watched(storeId))
}
