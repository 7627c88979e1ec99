import { z } from 'zod'
import { JOBS } from '../../config/jobs.ts'
import type { KeptRow } from '../../domain/catalogue/mirror.ts'
import { counted } from '../../domain/values/counted.ts'
import { digestOf } from '../../domain/values/digest.ts'
import type { Clock } from '../../lib/clock.ts'
import { partsOf } from '../../lib/parts.ts'
import type { DeliveryOrder } from '../../platform/areas/stock/deliveries.ts'
import type { Platform } from '../../platform/platform.ts'
import type { KeptStore } from '../../store/kept.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import { beginOf, type LookBack } from './days.ts'
import { deliveryPayload, newsIn, type StockPlace, saysMore } from './delivery-payload.ts'
import type { Handover } from './handover.ts'
import { asideNote } from './held.ts'
import { goOn, inTurn, NO_ROUND, Round, throwIfFailed } from './in-turn.ts'
import { presentStocks, todaysOf } from './store-days.ts'

interface Options {
  platform: Pick<Platform, 'deliveries'>
  store: Pick<Store, 'stores' | 'mirrorRows'>
  handover: Pick<Handover, 'take'>
  back: LookBack
  clock: Pick<Clock, 'now'>
  /** A cron expression in UTC. */
  schedule?: string
}

const State = z.object({
  /** The first day: deliveries that were completed before, and that nobody told the hub of, are left to the past. */
  begin: z.iso.date(),
  round: Round,
  /** The news told last of deliveries that the mirror does not show yet, by order id. */
  told: z.record(z.string(), z.string()),
  /** When those were read that ended in quarantine, by order id: read at the same time, one that says the same is the same again. */
  unread: z.record(z.string(), z.number()).default({}),
})

/** The most deliveries that are looked up in the mirror at once. */
const ORDERS_PER_READ = 500

/**
 * Reads the deliveries to the stock of each store (spec, GetOrdersV3), and tells of those that say what the mirror does not:
 * one that it has not, one that is completed now, one of which more has come.
 */
export function deliveriesJob({
  platform,
  store,
  handover,
  back,
  clock,
  schedule = JOBS.deliveries.schedule,
}: Options): HubJob {
  return {
    name: 'deliveries',
    schedule,
    async run({ now, signal, state: left, save }) {
      const stores = await store.stores()
      const before = State.safeParse(left).data ?? null
      const begin = beginOf(before?.begin ?? null, todaysOf(stores, now).last, back)
      const round = goOn(before?.round ?? NO_ROUND, now)
      const told = before?.told ?? {}
      const unread = before?.unread ?? {}
      const counts = { stocks: 0, deliveries: 0, news: 0, aside: 0 }
      const stocks = presentStocks(stores).filter((stockId) => !round.done.includes(stockId))

      const failed = await inTurn(stocks, signal, async (stockId) => {
        const readAt = clock.now()
        // Orders that are aside are read again with all the others, in the next round.
        const { rows: orders, aside } = await platform.deliveries.list(stockId, signal)
        counts.aside += aside.length
        const place = placeOf(stockId, stores)
        for (const some of partsOf(orders, ORDERS_PER_READ)) {
          const rows = await store.mirrorRows(
            'deliveries',
            some.map(({ orderId }) => orderId),
          )
          const known = new Map(rows.map((row) => [row.key, row]))
          const news = some.flatMap((order) => newsOf(order, place, known.get(order.orderId) ?? null, readAt))
          const taken = await handover.take(
            'DeliveryUpdated',
            news.map(({ payload }) => payload),
          )
          const isAside = new Set(taken.aside.map(({ row }) => row))
          for (const [index, { orderId, digest, at }] of news.entries())
            if (isAside.has(index + 1)) unread[orderId] = at
            else {
              told[orderId] = digest
              delete unread[orderId]
            }
          counts.news += news.length - isAside.size
          counts.aside += isAside.size
        }
        counts.stocks += 1
        counts.deliveries += orders.length
        round.done.push(stockId)
        await save({ begin, round, told, unread })
      })

      const deliveries = counted(counts.deliveries, 'delivery')
      const note = `${counted(counts.stocks, 'stock')}: ${deliveries}, ${counts.news} with news${asideNote(counts.aside)}`
      throwIfFailed(failed, (stockId) => `stock ${stockId}`, note)
      return { state: { begin, round: NO_ROUND, told, unread }, note }

      function newsOf(order: DeliveryOrder, place: StockPlace, known: KeptRow | null, readAt: number) {
        const { orderId, completed, orderDate } = order
        if (known === null && completed === true && orderDate !== null && orderDate.slice(0, 10) < begin) return []
        const at = unread[orderId] ?? readAt
        const payload = deliveryPayload(order, place, known, at)
        if (!saysMore(payload, known)) {
          delete told[orderId]
          delete unread[orderId]
          return []
        }
        // The mirror may be behind: the same is not told every hour.
        const digest = digestOf(newsIn(payload))
        if (told[orderId] === digest) return []
        return [{ orderId, digest, at, payload }]
      }
    },
  }
}

/** The place that the stores of a stock have in common. */
function placeOf(stockId: string, stores: readonly KeptStore[]): StockPlace {
  const own = stores.filter((store) => store.stockId === stockId)
  const common = (what: 'zone' | 'currency') => {
    const all = new Set(own.map((store) => store[what]))
    return all.size === 1 ? (own[0]?.[what] ?? null) : null
  }
  return { stockId, zone: common('zone') ?? 'UTC', currency: common('currency') }
}
