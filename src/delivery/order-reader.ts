import { payloadOf } from '../domain/event.ts'
import { parseDecimal } from '../domain/money.ts'
import { orderEntity } from '../domain/order-facts.ts'
import { phoneOf } from '../domain/phone.ts'
import type { PlacedOrder } from '../domain/placed-order.ts'
import type { SubmittedOrder } from '../domain/submitted.ts'
import type { Platform } from '../platform/platform.ts'
import type { Store } from '../store/store.ts'
import type { OrderReader } from './known.ts'

const SUBMITTED = ['OrderChangeSubmitted', 'OrderSubmitted']

/** Reads orders where the hub has them: in what own systems submitted, else on the platform, where it may be asked. */
export function createOrderReader(
  store: Pick<Store, 'events' | 'event'>,
  platform: Pick<Platform, 'orders'> | null,
): OrderReader {
  async function submitted(number: string): Promise<PlacedOrder | null> {
    for (const kind of SUBMITTED) {
      const [row] = await store.events({ kind, entity: orderEntity(number), limit: 1 })
      const body = row && (await store.event(row.id))?.body
      if (body) return ofSubmitted(payloadOf({ body }) as SubmittedOrder)
    }
    return null
  }

  return {
    async placed(number, signal) {
      const found = await submitted(number)
      if (found || !platform) return found
      const order = await platform.orders.read(number, { signal })
      if (order?.orderNo !== number) return null
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

    async status(number, signal) {
      const order = await platform?.orders.read(number, { signal })
      return order?.orderNo === number ? order.status : null
    },
  }
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
