import type { Order, Status } from '../orders/order.ts'
import type { Orders } from '../orders/orders.ts'
import { OrderInput } from '../orders/parameters.ts'
import { readParameters } from '../parameters.ts'
import type { Catalogue } from '../products/catalogue.ts'

/** An order as a customer of the shop places one. */
export interface PlacedOrder {
  /** The customer's account in the shop; a guest's order if left out. */
  customerId?: number
  email?: string
  firstName?: string
  lastName?: string
  phone?: string
  address?: { address1: string; city: string; postcode: string; country: string }
  lines: { sku: string; quantity?: number }[]
  /** `cod` is paid when the customer has the goods; `bacs` waits for a bank transfer. A card, paid at once, if left out. */
  payment?: 'sandbox_card' | 'cod' | 'bacs'
  /** How it reaches the customer; by mail for nothing if left out. */
  shipping?:
    | { method: 'flat_rate'; cost?: string }
    | { method: 'local_pickup'; instanceId: string }
    | { method: 'pickup_location'; location: string }
  /** Meta data of the order, as a plugin adds them. */
  meta?: Record<string, string>
}

const NO_FAULT = { saved: async () => {} }

const TITLES = {
  sandbox_card: 'Card',
  cod: 'Cash on delivery',
  bacs: 'Direct bank transfer',
}

/** The deeds of customers and staff of the shop on its pages. */
export function createPeople({ orders, catalogue }: { orders: Orders; catalogue: Catalogue }) {
  return {
    /** As the checkout does it: the order is saved as pending, then its payment decides. */
    async place(placed: PlacedOrder): Promise<Order> {
      const { payment = 'sandbox_card' } = placed
      const order = await orders.create(inputOf(placed, catalogue), NO_FAULT)
      const paid = { set_paid: true, transaction_id: `txn_${order.id}` }
      const next = { sandbox_card: paid, cod: { status: 'processing' }, bacs: { status: 'on-hold' } }[payment]
      await orders.update(order, readParameters(next, OrderInput), NO_FAULT)
      return order
    },
    async setStatus(id: number, status: Status): Promise<void> {
      await orders.update(orderOf(id), readParameters({ status }, OrderInput), NO_FAULT)
    },
    orderOf,
  }

  function orderOf(id: number): Order {
    const order = orders.get(id)
    if (!order) throw new Error(`The shop has no order ${id}.`)
    return order
  }
}

function inputOf(placed: PlacedOrder, catalogue: Catalogue): OrderInput {
  const {
    payment = 'sandbox_card',
    email = 'kari@example.com',
    firstName = 'Kari',
    lastName = 'Nordmann',
    phone,
  } = placed
  const { address1: address_1, ...place } = placed.address ?? {
    address1: 'Storgata 1',
    city: 'Oslo',
    postcode: '0155',
    country: 'NO',
  }
  const address = { first_name: firstName, last_name: lastName, address_1, ...place, ...(phone && { phone }) }
  const asked = {
    created_via: 'checkout',
    customer_id: placed.customerId ?? 0,
    payment_method: payment,
    payment_method_title: TITLES[payment],
    billing: { ...address, email },
    shipping: address,
    line_items: placed.lines.map(({ sku, quantity = 1 }) => {
      const product = catalogue.bySku(sku)
      if (!product) throw new Error(`The shop has no product ${sku}.`)
      const own = product.type === 'variation' ? { variation_id: product.id } : { product_id: product.id }
      return { ...own, quantity }
    }),
    shipping_lines: [shippingLine(placed.shipping ?? { method: 'flat_rate' })],
    meta_data: Object.entries(placed.meta ?? {}).map(([key, value]) => ({ key, value })),
  }
  return readParameters(asked, OrderInput)
}

/** As the checkout writes it. The block checkout's pickup has its place as meta data, the older one only its instance. */
function shippingLine(shipping: NonNullable<PlacedOrder['shipping']>): object {
  const { method } = shipping
  if (method === 'flat_rate')
    return { method_id: method, method_title: 'Mail', instance_id: '1', total: shipping.cost ?? '0' }
  if (method === 'local_pickup')
    return { method_id: method, method_title: 'Local pickup', instance_id: shipping.instanceId, total: '0' }
  const { location } = shipping
  return {
    method_id: method,
    method_title: `Local pickup (${location})`,
    instance_id: '0',
    total: '0',
    meta_data: [
      { key: 'pickup_location', value: location },
      { key: 'pickup_address', value: '' },
      { key: 'pickup_details', value: '' },
    ],
  }
}
