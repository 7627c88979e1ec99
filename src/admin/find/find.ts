import { Router } from 'express'
import { z } from 'zod'
import type { KeptRow } from '../../domain/catalogue/mirror.ts'
import { numberOfLink } from '../../domain/orders/link.ts'
import { orderEntity, orderNumberOf } from '../../domain/orders/order-facts.ts'
import { type CustomerQuery, readCustomerQuery } from '../../domain/people/customer-query.ts'
import type { CustomerRecord } from '../../domain/people/customer-record.ts'
import { type SearchSort, searchTermsOf } from '../../domain/queue/search-keys.ts'
import { maskedAddress, maskedId, maskedName } from '../../domain/values/text.ts'
import type { Flow } from '../../flows/flow.ts'
import type { SearchIndex } from '../../inbox/search-index.ts'
import type { EventRow, SearchReach } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import type { Acts } from '../acts.ts'
import { createRecipients, type ListedDelivery } from '../deliveries/recipients.ts'
import { parse } from '../filters.ts'

interface Options {
  store: Pick<
    Store,
    | 'find'
    | 'searchReach'
    | 'event'
    | 'events'
    | 'delivery'
    | 'deliveries'
    | 'linksTo'
    | 'findCustomers'
    | 'mirrorRows'
    | 'mirrorPage'
  >
  index: Pick<SearchIndex, 'catchUp'>
  flows: readonly Flow[]
  destinations: readonly string[]
  /** Where people dial who do not write the country. */
  countries: readonly string[]
  acts: Acts
}

/** Everything found of what somebody looked for, wherever it is. */
export interface FoundThings {
  query: string
  /** Events that say it, newest first; `by`: as what. */
  events: (EventRow & { by: SearchSort | 'event' | 'delivery' | 'entity' })[]
  /** Numbers of orders that it leads to. */
  orders: string[]
  deliveries: ListedDelivery[]
  customers: FoundCustomer[]
  products: { productId: string; extId: string | null; name: string | null; number: string | null }[]
  /** Some list has more than is shown. */
  more: boolean
  reach: SearchReach
}

interface FoundCustomer extends Pick<CustomerRecord, 'customerId' | 'extId'> {
  name: string | null
  email: string | null
  phone: string | null
}

const Asked = z.strictObject({
  q: z.string().trim().min(2, 'two characters or more').max(200),
  reveal: z.stringbool().default(false),
})

/** The most events that are listed, and the most whose deliveries are. */
const EVENTS = 50
const WITH_DELIVERIES = 20
const DELIVERIES = 500

/** How long the index may catch up before it answers with what it has (milliseconds). */
const PATIENCE = 1_500

/** `/admin/find?q=`: from whatever somebody has in hand to what is kept about it. */
export function createFindAdmin({ store, index, flows, destinations, countries, acts }: Options): Router {
  const router = Router()
  const recipients = createRecipients({ store, flows })

  router.get('/', async (request, response) => {
    const { q, reveal } = parse(Asked, request.query)
    if (reveal) await acts.note(request, { action: 'reveal', selection: { find: maskedQuery(q) } })
    const isCaughtUp = await index.catchUp(PATIENCE)
    const found = await find(q, reveal)
    // Events that came since are not asked about: where webhooks come all the time, something always is behind.
    if (isCaughtUp) found.reach.behind = 0
    response.json(found)
  })
  return router

  async function find(query: string, reveal: boolean): Promise<FoundThings> {
    const found = await store.find(searchTermsOf(query, countries), EVENTS + 1)
    const events = [
      ...(await byId(query)),
      ...found.map(({ key, event }) => ({ ...event, by: key.sort })),
      ...(await store.events({ entity: orderEntity(query), limit: EVENTS })).map((row) => ({
        ...row,
        by: 'entity' as const,
      })),
    ]
    const once = [...new Map(events.map((event) => [event.id, event])).values()].sort((a, b) => b.id - a.id)
    const shown = once.slice(0, EVENTS)
    const links = await store.linksTo([...destinations], 'order', [query])
    const orders = [...shown.flatMap(({ entity }) => orderNumberOf(entity) ?? []), ...links.map(({ id }) => id)].map(
      numberOfLink,
    )
    const newest = shown.slice(0, WITH_DELIVERIES).map(({ id }) => id)
    const owed = newest.length === 0 ? [] : await store.deliveries({ events: newest, limit: DELIVERIES })
    const asked = readCustomerQuery(query, countries)
    return {
      query,
      events: shown,
      orders: [...new Set(orders)],
      deliveries: await recipients.listed(
        owed.sort((a, b) => b.event - a.event || b.id - a.id),
        reveal,
      ),
      customers: asked ? (await store.findCustomers(asked)).map((one) => customerOf(one, reveal)) : [],
      products: await productsOf(query, shown),
      more: once.length > EVENTS,
      reach: await store.searchReach(),
    }
  }

  /** A row's own id is what lists show. */
  async function byId(query: string): Promise<FoundThings['events']> {
    if (!/^\d{1,15}$/.test(query)) return []
    const id = Number(query)
    const delivery = await store.delivery(id)
    const ids = [{ id, by: 'event' as const }, ...(delivery ? [{ id: delivery.event, by: 'delivery' as const }] : [])]
    const rows = await Promise.all(
      ids.map(async (one) => (await store.events({ id: one.id })).map((row) => ({ ...row, by: one.by }))),
    )
    return rows.flat()
  }

  async function productsOf(query: string, events: readonly EventRow[]): Promise<FoundThings['products']> {
    const read = events.flatMap(({ entity }) => (entity?.startsWith(READ) ? [entity.slice(READ.length)] : []))
    const rows = [
      ...(await store.mirrorRows('products', [...new Set([query, ...read.map((part) => decodeURIComponent(part))])])),
      ...(await store.mirrorPage({ set: 'products', article: query }, null, EVENTS)),
    ]
    return [...new Map(rows.map((row) => [row.key, row])).values()].map(productOf)
  }
}

/** The beginning of the entity of an event about a product that was read on the platform. */
const READ = 'product-read:'

function productOf({ key, body }: KeptRow): FoundThings['products'][number] {
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return { productId: key, extId: text(body.extId), name: text(body.name), number: text(body.number) }
}

function customerOf(customer: CustomerRecord, reveal: boolean): FoundCustomer {
  const { customerId, extId, firstName, lastName, companyName, email, phone } = customer
  const names = [firstName, lastName, companyName]
  return {
    customerId,
    extId: extId && (reveal ? extId : maskedId(extId)),
    name: reveal ? names.filter(Boolean).join(' ') || null : maskedName(...names),
    email: email && (reveal ? email : maskedAddress(email)),
    phone: phone && (reveal ? phone : maskedAddress(phone)),
  }
}

/** For the audit, which is no directory of people. */
function maskedQuery(query: string): string {
  const read: CustomerQuery | null = readCustomerQuery(query, [])
  return read ? maskedAddress(query) : query
}
