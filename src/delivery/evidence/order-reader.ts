import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { POS_ORDER_CREATED } from '../../domain/orders/order.ts'
import { orderEntity } from '../../domain/orders/order-entity.ts'
import type { OrderSeen } from '../../domain/orders/order-evidence.ts'
import type { PlacedOrder } from '../../domain/orders/placed-order.ts'
import { phoneOf } from '../../domain/people/phone.ts'
import { payloadOf } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { parseDecimal } from '../../domain/values/money.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Mappings } from '../../payloads/mapping/mapping.ts'
import type { PlatformOrder } from '../../platform/areas/orders/order-record.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { OrderReader } from '../calling/inputs.ts'
import { createFreshReads } from '../fresh-reads.ts'
import { requireWebOrder } from './till-order.ts'
import { createSentLog, type Witness } from './witness.ts'

interface Options {
  clock: Clock
  /** Config believes webhooks (`platform.trustWebhooks`). */
  trusts: boolean
  /** Where config says that fields of payloads stand. */
  mappings?: Mappings
  /** The kind by which a subscription with this address comes here; null: not ours. */
  kindAt?: (url: string) => string | null
  /** Subscriptions whose ids are known without a list of them. */
  knownSubscriptions?: () => Promise<readonly { webhookId: string; kind: string }[]>
  /** The name of the platform's store with this id; null: not known. */
  storeName(storeId: string): string | null
}

const SUBMITTED = ['OrderChangeSubmitted', 'OrderSubmitted']

/** Reads orders where the hub has them: in what own systems submitted, else on the platform, where it may be asked. */
export function createOrderReader(
  store: Pick<Store, 'events' | 'event'>,
  platform: Pick<Platform, 'orders' | 'products' | 'webhooks' | 'events' | 'operations'> | null,
  { clock, trusts, mappings, kindAt, knownSubscriptions, storeName }: Options,
): OrderReader {
  const read = createFreshReads<PlatformOrder | null>(clock)

  async function ofPlatform(number: string, since: Instant, signal: AbortSignal): Promise<PlatformOrder | null> {
    if (!platform) return null
    const order = await read(number, since, () => platform.orders.read(number), signal)
    return order?.orderNo === number ? order : null
  }

  function witnessOf(): Witness {
    if (trusts) return 'operator'
    if (!platform) return 'nobody'
    return {
      order: async (...asked) => seenOf(await ofPlatform(...asked)),
      knowsOrders: () => platform.operations.isProven('orders.read'),
      sent: createSentLog(platform, { clock, mappings, kindAt, known: knownSubscriptions }),
    }
  }

  async function submitted(number: string): Promise<SubmittedOrder | null> {
    for (const kind of SUBMITTED) {
      const [row] = await store.events({ kind, entity: orderEntity(number), limit: 1 })
      const body = row && (await store.event(row.id))?.body
      if (body) return payloadOf({ body }) as SubmittedOrder
    }
    return null
  }

  /** The store is called what its submitter calls it, else what the platform does. */
  function placedOf(order: SubmittedOrder): PlacedOrder {
    const placed = ofSubmitted(order)
    return { ...placed, storeName: placed.storeName ?? storeName(order.storeId) }
  }

  const witness = witnessOf()

  return {
    async placed({ number, lines: named }, since, signal) {
      const order = await submitted(number)
      if (order) {
        const found = placedOf(order)
        await requireWebOrder({ number, lines: named }, found, store)
        return found
      }
      const seen = await ofPlatform(number, since, signal)
      if (!seen) return null
      const { customer, store: place, fulfillment, lines, status } = seen
      return {
        number,
        status,
        storeName: place?.name ?? fulfillment?.stockName ?? null,
        customer: customer && {
          name: nameOf(customer.firstName, customer.lastName),
          email: customer.email,
          phone: phoneOf(customer.phoneCountryPrefix, customer.phone),
        },
        lines: lines.map(({ gtin, quantity }) => ({ gtin, name: null, quantity: quantity ?? parseDecimal(1) })),
      }
    },

    async isSubmittedToShip(number) {
      const order = await submitted(number)
      return order && order.shippingAddress !== undefined
    },

    async untakenCreation(number, since, signal) {
      if (typeof witness === 'string') return null
      const [taken] = await store.events({ kind: POS_ORDER_CREATED, entity: orderEntity(number), limit: 1 })
      if (taken) return null
      for (const span of ['lately', 'long'] as const) {
        const sent = await witness.sent(POS_ORDER_CREATED, since, span, signal)
        const found = sent.find(({ creation }) => creation?.orderNo === number)
        if (found?.creation) return found.creation
      }
      return null
    },

    isSentByRecord: async (...asked) => isSent(await ofPlatform(...asked)),

    articleName: async (gtin, signal) => (await platform?.products.byGtin(gtin, signal))?.name ?? null,

    status: async (number, since, signal) => (await ofPlatform(number, since, signal))?.status ?? null,

    witness,
  }
}

function seenOf(order: PlatformOrder | null): OrderSeen | null {
  if (!order) return null
  const { status, lines, fulfillment } = order
  const parcels = fulfillment?.shipments?.flatMap(({ id }) => id ?? []) ?? null
  return { status, lines, parcels, isSent: isSent(order) }
}

/** A type that is none of these says nothing: of BOSS the public facts do not tell whose shop it is sent to. */
const FETCHED = ['BOPIS', 'ROPIS']

/** A record without an address may be of a platform that does not tell it: it proves nothing. */
function isSent(order: PlatformOrder | null): boolean | null {
  if (order === null) return null
  const { type, shippingAddress, fulfillment } = order
  if ((fulfillment?.shipments ?? []).length > 0) return true
  if (FETCHED.includes(type?.toUpperCase() ?? '')) return false
  return shippingAddress === null ? null : true
}

function ofSubmitted({ orderNo, storeName, customer, lines }: SubmittedOrder): PlacedOrder {
  return {
    number: orderNo,
    status: null,
    storeName: storeName ?? null,
    customer: {
      name: nameOf(customer.firstName, customer.lastName),
      email: customer.email || null,
      phone: phoneOf(customer.phoneCountryCode || null, customer.phone || null),
    },
    // Freight is nothing that a store has, or has not.
    lines: lines
      .filter(({ gtin }) => gtin !== '')
      .map(({ gtin, name = null, quantity }) => ({ gtin, name, quantity: parseDecimal(quantity) })),
  }
}

function nameOf(first: string | null, last: string | null): string | null {
  return [first, last].filter(Boolean).join(' ') || null
}
