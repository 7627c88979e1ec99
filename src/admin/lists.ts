import { z } from 'zod'
import { isAgain } from '../domain/queue/delivery.ts'
import { payloadOrNull } from '../domain/queue/event.ts'
import { maskedAddress, notThere } from '../domain/values/text.ts'
import type { Flow } from '../flows/flow.ts'
import { customerIn, recipientIn } from '../platform/payloads/customer.ts'
import type { DeliveryDetail, DeliveryRow, EventRow, EventFilter as EventRows, Looked } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { ActFilter, DeliveryFilter, EventFilter, type Hinted, hintOf, idIn, inOrder, meantBy } from './asked.ts'
import type { AdminContext } from './context.ts'
import { get, NOTHING, notFound, type Route } from './routes.ts'

export interface EventList extends Hinted {
  events: EventRow[]
  hidden: number
  /** Where the list continues, or may; null: at its end. */
  before: number | null
}

export interface DeliveryList extends Hinted {
  deliveries: ListedDelivery[]
  /** Where the list continues, or may; null: at its end. */
  before: number | null
}

export interface ListedDelivery extends DeliveryRow {
  /** Recipient of a message, masked unless `reveal`; null: no message, or not known. */
  recipient: string | null
}

/** Too many to list by default. */
const OWN = new Set(['StockChanged', 'StockLevelRead'])

const PAGE = 500
const DEFAULT_LIMIT = 50

/** Rows scanned for a filter: about half a second. */
const MAX_LOOKED = 100_000

const MAX_LOOKED_OWN = 20_000

const Events = inOrder(
  EventFilter.extend({
    own: z.enum(['show', 'hide']).default('show'),
    webhooks: z.literal('true', 'expected true, or nothing').optional(),
  }),
)
const Deliveries = inOrder(DeliveryFilter.extend({ reveal: z.stringbool().default(false) }))

export function listRoutes(context: AdminContext): Route[] {
  const { storage, flows } = context
  const recipients = createRecipients({ storage, flows })

  async function all({ limit = DEFAULT_LIMIT, ...filter }: EventRows): Promise<Omit<EventList, 'hint'>> {
    const { rows, next } = pageOf(await storage.lookForEvents({ ...filter, limit: limit + 1 }, MAX_LOOKED), limit)
    return { events: rows, hidden: 0, before: next }
  }

  async function withoutOwn({ limit = DEFAULT_LIMIT, ...filter }: EventRows): Promise<Omit<EventList, 'hint'>> {
    const events: EventRow[] = []
    let { before } = filter
    let hidden = 0
    for (let looked = 0; looked < MAX_LOOKED_OWN; ) {
      const asked = { ...filter, ...(before !== undefined && { before }), limit: PAGE }
      const { rows: page, next } = await storage.lookForEvents(asked, MAX_LOOKED)
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

  return [
    get('/events', Events, async ({ asked: { own, webhooks, ...asked } }): Promise<EventList> => {
      const filter: EventRows = { ...meantBy(asked), ...(webhooks && { webhooks: true }) }
      const isAsked = filter.kind !== undefined || filter.id !== undefined || filter.entity !== undefined
      const found = own === 'show' || isAsked ? await all(filter) : await withoutOwn(filter)
      return { ...found, hint: found.events.length === 0 ? hintOf(filter, context) : null }
    }),

    get('/deliveries', Deliveries, async ({ asked: { reveal, ...filter }, note }): Promise<DeliveryList> => {
      const { limit = DEFAULT_LIMIT } = filter
      if (reveal) await note({ action: 'reveal', selection: { deliveries: filter } })
      const found = await storage.lookForDeliveries({ ...filter, limit: limit + 1 }, MAX_LOOKED)
      const { rows, next } = pageOf(found, limit)
      const deliveries = await recipients.listed(rows, reveal)
      return { deliveries, before: next, hint: deliveries.length === 0 ? hintOf(filter, context) : null }
    }),

    get('/audit', ActFilter, async ({ asked }) => ({ acts: await storage.acts(asked) })),

    get('/audit/:id', NOTHING, async ({ params: { id } }) => {
      const act = await storage.act(idIn(id, 'an act', 'audit list'))
      if (!act) throw notFound(notThere('act', String(id)))
      return act
    }),
  ]
}

/** `limit` + 1 rows were read. */
function pageOf<Row extends { id: number }>({ rows, next }: Looked<Row>, limit: number): Looked<Row> {
  if (rows.length <= limit) return { rows, next }
  const shown = rows.slice(0, limit)
  return { rows: shown, next: shown.at(-1)?.id ?? null }
}

interface Recipients {
  storage: Pick<Storage, 'delivery' | 'event' | 'events'>
  flows: readonly Flow[]
}

export function createRecipients({ storage, flows }: Recipients) {
  function portOf({ flow }: Pick<DeliveryRow, 'flow'>): 'email' | 'texts' | null {
    const port = flows.find(({ name }) => name === flow)?.port
    return port === 'email' || port === 'texts' ? port : null
  }

  async function of(delivery: DeliveryRow & Partial<Pick<DeliveryDetail, 'released'>>): Promise<string | null> {
    const port = portOf(delivery)
    if (port === null) return null
    if (delivery.released?.to !== undefined) return delivery.released.to
    const event = await storage.event(delivery.event)
    const named = recipientIn(payloadOrNull(event?.body ?? null))
    if (named !== null || event?.entity == null) return named
    const [submitted] = await storage.events({ entity: event.entity, kind: 'OrderSubmitted', limit: 1 })
    return submitted ? customerIn(payloadOrNull((await storage.event(submitted.id))?.body ?? null), port) : null
  }

  /** One after the other: a body each is read. */
  async function listed(rows: readonly DeliveryRow[], reveal: boolean): Promise<ListedDelivery[]> {
    const known: ListedDelivery[] = []
    for (const row of rows) {
      const detail = portOf(row) !== null && isAgain(row.part) ? await storage.delivery(row.id) : null
      known.push({ ...row, recipient: shownAddress(await of(detail ?? row), reveal) })
    }
    return known
  }

  return { portOf, of, listed }
}

export function shownAddress(address: string | null, reveal: boolean): string | null {
  return address === null || reveal ? address : maskedAddress(address)
}
