import { payloadOf } from '../domain/event.ts'
import type { Instant } from '../domain/instant.ts'
import { parseDecimal } from '../domain/money.ts'
import type { OrderSeen } from '../domain/order-evidence.ts'
import { orderEntity } from '../domain/order-facts.ts'
import { phoneOf } from '../domain/phone.ts'
import type { PlacedOrder } from '../domain/placed-order.ts'
import type { SubmittedOrder } from '../domain/submitted.ts'
import type { Clock } from '../lib/clock.ts'
import type { PlatformOrder } from '../platform/order-record.ts'
import type { Platform } from '../platform/platform.ts'
import type { Store } from '../store/store.ts'
import { createFreshReads } from './fresh-reads.ts'
import type { OrderReader } from './known.ts'
import { createRefundLog, type Witness } from './witness.ts'

interface Options {
  clock: Clock
  /** Config believes webhooks (`platform.trustWebhooks`). */
  trusts: boolean
  /** The platform is known to tell of single orders: its documentation says so, or config says how. */
  documented: boolean
}

const SUBMITTED = ['OrderChangeSubmitted', 'OrderSubmitted']

/** Reads orders where the hub has them: in what own systems submitted, else on the platform, where it may be asked. */
export function createOrderReader(
  store: Pick<Store, 'events' | 'event'>,
  platform: Pick<Platform, 'orders' | 'webhooks' | 'events'> | null,
  { clock, trusts, documented }: Options,
): OrderReader {
  const read = createFreshReads<PlatformOrder | null>(clock)
  /** It has told of an order: its word that there is none means something. */
  let hasTold = documented

  async function ofPlatform(number: string, since: Instant, signal: AbortSignal): Promise<PlatformOrder | null> {
    if (!platform) return null
    const order = await read(number, since, () => platform.orders.read(number), signal)
    hasTold ||= order !== null
    return order?.orderNo === number ? order : null
  }

  function witnessOf(): Witness {
    if (trusts) return 'operator'
    if (!platform) return 'nobody'
    return {
      order: async (...asked) => seenOf(await ofPlatform(...asked)),
      knowsOrders: () => hasTold,
      refunds: createRefundLog(platform, clock),
    }
  }

  async function submitted(number: string): Promise<PlacedOrder | null> {
    for (const kind of SUBMITTED) {
      const [row] = await store.events({ kind, entity: orderEntity(number), limit: 1 })
      const body = row && (await store.event(row.id))?.body
      if (body) return ofSubmitted(payloadOf({ body }) as SubmittedOrder)
    }
    return null
  }

  return {
    async placed(number, since, signal) {
      const found = await submitted(number)
      if (found) return found
      const order = await ofPlatform(number, since, signal)
      if (!order) return null
      const { customer, store: place, lines, status } = order
      return {
        number,
        status,
        storeName: place?.name ?? null,
        customer: customer && {
          name: nameOf(customer.firstName, customer.lastName),
          email: customer.email,
          phone: phoneOf(customer.phoneCountryPrefix, customer.phone),
        },
        lines: lines.map(({ gtin, quantity }) => ({ gtin, name: null, quantity: quantity ?? parseDecimal(1) })),
      }
    },

    status: async (number, since, signal) => (await ofPlatform(number, since, signal))?.status ?? null,

    witness: witnessOf(),
  }
}

function seenOf(order: PlatformOrder | null): OrderSeen | null {
  if (!order) return null
  const { status, lines, fulfillment } = order
  return { status, lines, parcels: fulfillment?.shipments?.flatMap(({ id }) => id ?? []) ?? null }
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
    lines: lines.map(({ gtin, quantity }) => ({ gtin, name: null, quantity: parseDecimal(quantity) })),
  }
}

function nameOf(first: string | null, last: string | null): string | null {
  return [first, last].filter(Boolean).join(' ') || null
}
