import { Router } from 'express'
import { orderEntity } from '../../domain/orders/order-facts.ts'
import { payloadOf } from '../../domain/queue/event.ts'
import type { Flow } from '../../flows/flow.ts'
import type { Clock } from '../../lib/clock.ts'
import { summaryOf } from '../../payloads/event-summary.ts'
import type { DeliveryDetail, OrderHistory } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import { notFound } from '../asking.ts'
import { type Late, readLate, type Thresholds } from './late.ts'
import { type TimelineEntry, timelineOf } from './order-timeline.ts'

interface Options {
  store: Pick<Store, 'order' | 'overdue' | 'events' | 'event'>
  flows: readonly Flow[]
  thresholds: Thresholds
  clock: Clock
}

/** Everything about one order. */
export interface OrderStory {
  number: string
  /** Names that other systems have for it. */
  links: OrderHistory['links']
  /** Steps of it that are late. */
  late: Late[]
  /** Steps of it that are not done, and why. */
  open: Omit<DeliveryDetail, 'attempts' | 'audit'>[]
  timeline: TimelineEntry[]
}

const DONE = ['delivered', 'superseded', 'skipped']

/** `/admin/orders/{number}`: one order, one timeline; `/admin/late`: what customers wait for too long. */
export function createOrdersAdmin({ store, flows, thresholds, clock }: Options): Router {
  const router = Router()

  router.get('/late', async (_, response) => {
    response.json({ late: await readLate(store, flows, thresholds, clock.now()) })
  })

  router.get('/orders/:number', async (request, response) => {
    const number = request.params.number.trim()
    const history = await store.order(number)
    if (history.events.length + history.deliveries.length + history.lookups.length === 0)
      return notFound(
        response,
        `Nothing is known of an order ${number}. "tillbridge find" looks for it as a receipt, an address, an id or anything else.`,
      )
    response.json(await storyOf(number, history))
  })
  return router

  async function storyOf(number: string, history: OrderHistory): Promise<OrderStory> {
    const says = new Map<number, string | null>()
    for (const { id, kind, state } of history.events) {
      const body = state === 'quarantined' ? null : (await store.event(id))?.body
      says.set(id, body ? summaryOf(kind, payloadOf({ body })) : null)
    }
    const late = await readLate(store, flows, thresholds, clock.now())
    const events = new Set(history.events.map(({ id }) => id))
    return {
      number,
      links: history.links,
      late: late.filter((one) => one.entity === orderEntity(number) || events.has(one.event)),
      open: history.deliveries
        .filter(({ state }) => !DONE.includes(state))
        .map(({ attempts: _, audit: __, ...row }) => row),
      timeline: timelineOf(history, says),
    }
  }
}
