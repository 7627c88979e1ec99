import { z } from 'zod'
import type { StoredMirrorRow } from '../domain/catalogue/mirror.ts'
import { readCustomerQuery } from '../domain/customers/customer-query.ts'
import type { CustomerRecord } from '../domain/customers/customer-record.ts'
import { numberOfLink } from '../domain/orders/link.ts'
import { orderEntity, orderNumberOf } from '../domain/orders/order-facts.ts'
import { type SearchSort, searchTermsOf } from '../domain/queue/search-keys.ts'
import { maskedAddress, maskedId, maskedName } from '../domain/values/text.ts'
import type { EventRow, SearchReach } from '../storage/rows.ts'
import type { AdminContext } from './context.ts'
import { createRecipients, type ListedDelivery } from './deliveries.ts'
import { get, type Route } from './routes.ts'

export interface FoundThings {
  query: string
  /** Newest first. */
  events: (EventRow & { by: SearchSort | 'event' | 'delivery' | 'entity' })[]
  orders: string[]
  deliveries: ListedDelivery[]
  customers: FoundCustomer[]
  products: { productId: string; extId: string | null; name: string | null; number: string | null }[]
  more: boolean
  reach: SearchReach
}

type FoundCustomer = Pick<CustomerRecord, 'customerId' | 'extId' | 'email' | 'phone'> & { name: string | null }

const Asked = z.strictObject({
  q: z.string().trim().min(2, 'two characters or more').max(200),
  reveal: z.stringbool().default(false),
})

const MAX_EVENTS = 50
const WITH_DELIVERIES = 20
const MAX_DELIVERIES = 500

/** Wait for the search index (ms). */
const CATCH_UP_MS = 1_500

export function findRoutes({ storage, flows, destinations, searchIndex, config }: AdminContext): Route[] {
  const countries = config.lookups.customers?.countries ?? []
  const recipients = createRecipients({ storage, flows })

  async function find(query: string, reveal: boolean): Promise<FoundThings> {
    const byKey = await storage.find(searchTermsOf(query, countries), MAX_EVENTS + 1)
    const byEntity = await storage.events({ entity: orderEntity(query), limit: MAX_EVENTS })
    const all: FoundThings['events'] = [
      ...(await byId(query)),
      ...byKey.map(({ key, event }) => ({ ...event, by: key.sort })),
      ...byEntity.map((row) => ({ ...row, by: 'entity' as const })),
    ]
    const found = [...new Map(all.map((event) => [event.id, event])).values()].sort((a, b) => b.id - a.id)
    const events = found.slice(0, MAX_EVENTS)
    const links = await storage.linksTo([...destinations], 'order', [query])
    const orders = [...events.flatMap(({ entity }) => orderNumberOf(entity) ?? []), ...links.map(({ id }) => id)]
    const newest = events.slice(0, WITH_DELIVERIES).map(({ id }) => id)
    const deliveries = newest.length === 0 ? [] : await storage.deliveries({ events: newest, limit: MAX_DELIVERIES })
    deliveries.sort((a, b) => b.event - a.event || b.id - a.id)
    const customer = readCustomerQuery(query, countries)
    const customers = customer === null ? [] : await storage.findCustomers(customer)
    return {
      query,
      events,
      orders: [...new Set(orders.map(numberOfLink))],
      deliveries: await recipients.listed(deliveries, reveal),
      customers: customers.map((one) => customerOf(one, reveal)),
      products: await productsOf(query, events),
      more: found.length > MAX_EVENTS,
      reach: await storage.searchReach(),
    }
  }

  async function byId(query: string): Promise<FoundThings['events']> {
    if (!/^\d{1,15}$/.test(query)) return []
    const id = Number(query)
    const delivery = await storage.delivery(id)
    const ofDelivery = delivery ? await storage.events({ id: delivery.event }) : []
    return [
      ...(await storage.events({ id })).map((row) => ({ ...row, by: 'event' as const })),
      ...ofDelivery.map((row) => ({ ...row, by: 'delivery' as const })),
    ]
  }

  async function productsOf(query: string, events: readonly EventRow[]): Promise<FoundThings['products']> {
    const read = events.flatMap(({ entity }) => (entity?.startsWith(PRODUCT_READ) ? [entity] : []))
    const ids = read.map((entity) => decodeURIComponent(entity.slice(PRODUCT_READ.length)))
    const rows = [
      ...(await storage.mirrorRows('products', [...new Set([query, ...ids])])),
      ...(await storage.mirrorPage({ set: 'products', article: query }, null, MAX_EVENTS)),
    ]
    return [...new Map(rows.map((row) => [row.key, row])).values()].map(productOf)
  }

  return [
    get('/find', Asked, async ({ asked: { q, reveal }, note }) => {
      const masked = readCustomerQuery(q, []) ? maskedAddress(q) : q
      if (reveal) await note({ action: 'reveal', selection: { find: masked } })
      const isCaughtUp = await searchIndex.catchUp(CATCH_UP_MS)
      const found = await find(q, reveal)
      // Events that came since always are behind.
      if (isCaughtUp) found.reach.behind = 0
      return found
    }),
  ]
}

const PRODUCT_READ = 'product-read:'

function productOf({ key, body }: StoredMirrorRow): FoundThings['products'][number] {
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return { productId: key, extId: text(body.extId), name: text(body.name), number: text(body.number) }
}

function customerOf(customer: CustomerRecord, reveal: boolean): FoundCustomer {
  const { customerId, extId, firstName, lastName, companyName, email, phone } = customer
  const names = [firstName, lastName, companyName]
  if (reveal) return { customerId, extId, name: names.filter(Boolean).join(' ') || null, email, phone }
  return {
    customerId,
    extId: extId && maskedId(extId),
    name: maskedName(...names),
    email: email && maskedAddress(email),
    phone: phone && maskedAddress(phone),
  }
}
