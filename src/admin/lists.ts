import { Router } from 'express'
import { z } from 'zod'
import type { Flow } from '../flows/flow.ts'
import type { EventRow, EventFilter as Filter, Looked } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import type { Acts } from './acts.ts'
import { createRecipients, type ListedDelivery } from './deliveries/recipients.ts'
import { DeliveryFilter, EventFilter, inOrder, meantBy, parse } from './filters.ts'
import type { Hinted, Hints } from './hints.ts'

interface Options {
  store: Pick<Store, 'events' | 'event' | 'lookForEvents' | 'lookForDeliveries' | 'delivery'>
  flows: readonly Flow[]
  hints: Hints
  acts: Pick<Acts, 'note'>
}

/** A list of events; `own` as asked for. */
export interface EventList extends Hinted {
  events: EventRow[]
  /** How many of the hub's own levels were left out on the way. */
  hidden: number
  /** The event before which the list goes on, or may, since no more were looked at; null: it does not. */
  before: number | null
}

export interface DeliveryList extends Hinted {
  deliveries: ListedDelivery[]
  /** The delivery before which the list goes on, or may, since no more were looked at; null: it does not. */
  before: number | null
}

/** Kinds that the hub tells itself, of levels: tens of thousands, among which a sale is not found. */
const OWN = new Set(['StockChanged', 'StockLevelRead'])

const PAGE = 500

/** How many rows a list has, where nobody says. */
const SHOWN = 50

/** A list that leaves something out looks at so many rows at most: about half a second. */
const MOST_LOOKED = 100_000

/** The same where what it leaves out is the hub's own. */
const MOST_OF_OWN = 20_000

const Events = inOrder(
  EventFilter.extend({
    own: z.enum(['show', 'hide']).default('show'),
    /** Only what the platform itself sent. */
    webhooks: z.literal('true', 'expected true, or nothing').optional(),
  }),
)
const Deliveries = inOrder(DeliveryFilter.extend({ reveal: z.stringbool().default(false) }))

/** `/admin/events` and `/admin/deliveries`: lists, and a hint where a name is not known. */
export function createListsAdmin({ store, flows, hints, acts }: Options): Router {
  const router = Router()
  const recipients = createRecipients({ store, flows })

  router.get('/events', async (request, response) => {
    const { own, webhooks, ...asked } = parse(Events, request.query)
    const filter: Filter = { ...meantBy(asked), ...(webhooks && { webhooks: true }) }
    const isAsked = filter.kind !== undefined || filter.id !== undefined || filter.entity !== undefined
    const found = own === 'show' || isAsked ? await all(filter) : await withoutOwn(filter)
    response.json({ ...found, hint: found.events.length === 0 ? hints.of(filter) : null } satisfies EventList)
  })

  router.get('/deliveries', async (request, response) => {
    const { reveal, ...filter } = parse(Deliveries, request.query)
    const { limit = SHOWN } = filter
    if (reveal) await acts.note(request, { action: 'reveal', selection: { deliveries: filter } })
    const found = await store.lookForDeliveries({ ...filter, limit: limit + 1 }, MOST_LOOKED)
    const { rows, next } = pageOf(found, limit)
    const deliveries = await recipients.listed(rows, reveal)
    const hint = deliveries.length === 0 ? hints.of(filter) : null
    response.json({ deliveries, before: next, hint } satisfies DeliveryList)
  })
  return router

  async function all({ limit = SHOWN, ...filter }: Filter) {
    const { rows, next } = pageOf(await store.lookForEvents({ ...filter, limit: limit + 1 }, MOST_LOOKED), limit)
    return { events: rows, hidden: 0, before: next }
  }

  async function withoutOwn({ limit = SHOWN, ...filter }: Filter): Promise<Omit<EventList, 'hint'>> {
    const events: EventRow[] = []
    let { before } = filter
    let hidden = 0
    for (let looked = 0; looked < MOST_OF_OWN; ) {
      const asked = { ...filter, ...(before !== undefined && { before }), limit: PAGE }
      const { rows: page, next } = await store.lookForEvents(asked, MOST_LOOKED)
      for (const row of page) {
        if (events.length === limit) return { events, hidden, before: before ?? null }
        if (OWN.has(row.kind)) hidden += 1
        else events.push(row)
        before = row.id
      }
      looked += page.length
      if (page.length < PAGE) return { events, hidden, before: next }
    }
    return { events, hidden, before: before ?? null }
  }
}

/** A page of a list of which one row more was read: where that is there, it goes on. */
function pageOf<Row extends { id: number }>({ rows, next }: Looked<Row>, limit: number): Looked<Row> {
  if (rows.length <= limit) return { rows, next }
  const shown = rows.slice(0, limit)
  return { rows: shown, next: shown.at(-1)?.id ?? null }
}
