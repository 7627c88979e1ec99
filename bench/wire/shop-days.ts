import { hash } from 'node:crypto'
import { kindOf } from '../../src/platform/payloads/kinds.ts'
import type { Arrival, NewDelivery } from '../../src/storage/arrival.ts'

/*
 * Events of a chain as they are kept: sales, movements, customers and orders, with the numbers, names and prices of real ones,
 * drawn so that nothing of them repeats more than it would in shops. The same numbers make the same events.
 */

const STORES = 60
const ARTICLES = 8_000
const CUSTOMERS = 90_000
const EVENTS_A_DAY = 20_000
const DAY = 86_400_000

const FIRST = ['Kari', 'Ola', 'Ingrid', 'Per', 'Anne', 'Lars', 'Eva', 'Nils', 'Marit', 'Jan', 'Liv', 'Erik', 'Astrid']
const LAST = ['Nordmann', 'Hansen', 'Olsen', 'Larsen', 'Berg', 'Haugen', 'Lund', 'Moen', 'Dahl', 'Partition', 'Eide']
const GOODS = ['Tee', 'Jeans', 'Jacket', 'Dress', 'Skirt', 'Cap', 'Belt', 'Boots', 'Scarf', 'Hoodie', 'Shirt']
const COLOURS = ['Black', 'White', 'Navy', 'Sand', 'Olive', 'Red', 'Sky', 'Charcoal']
const SIZES = ['XS', 'S', 'M', 'L', 'XL', '36', '38', '40', '42']
const CITIES = ['Oslo', 'Bergen', 'Trondheim', 'Stavanger', 'Drammen', 'Bodø', 'Ålesund']

/** The nth event; its time is so many days before `now` that `of` events fill the days up to it. */
export function eventOf(nth: number, of: number, now: number): Arrival {
  const draw = drawer(nth)
  const at = now - Math.floor(((of - nth) / EVENTS_A_DAY) * DAY)
  const [kind, payload] = payloadOf(nth, draw, at)
  const body = Buffer.from(JSON.stringify(payload))
  const known = kindOf(kind)
  const identity = known?.identity?.(payload, 'platform') ?? null
  const entity = identity?.entity ?? null
  return {
    kind,
    origin: 'platform',
    subscription: 'all',
    receivedAt: at,
    headers: headersOf(draw, body.byteLength),
    body,
    bodyHash: hash('sha256', body).slice(0, 32),
    transportKey: guid(draw),
    identity: identity?.key ?? null,
    versioned: known?.nature === 'versioned' || known?.nature === 'repeatable',
    ...(known?.nature === 'repeatable' && { repeatable: true }),
    exact: false,
    entity,
    facts: identity?.facts ?? null,
    problem: null,
    deliveries: ['erp', 'warehouse'].map((destination) => pending(destination, entity)),
  }
}

type Draw = (below: number) => number

/** A multiplicative generator that begins elsewhere for each number. */
function drawer(seed: number): Draw {
  let state = (Math.imul(seed + 1, 2_654_435_761) ^ 0x5bd1e995) >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function payloadOf(nth: number, draw: Draw, at: number): [string, object] {
  const turn = nth % 20
  if (turn < 10) return ['SaleCreated', sale(nth, draw, at)]
  if (turn < 17) return ['StockMovementCreated', movement(nth, draw, at)]
  if (turn < 19) return ['CustomerUpdated', { ...customer(draw), updatedDateTime: local(at) }]
  return ['OmniChannelOrderUpdated', order(nth, draw, at)]
}

function headersOf(draw: Draw, length: number): Record<string, string> {
  return {
    host: 'hub.example.com',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(length),
    'user-agent': 'Platform.Webhooks/4.12',
    'accept-encoding': 'gzip, br',
    'x-event-id': guid(draw),
    traceparent: `00-${hex(draw, 32)}-${hex(draw, 16)}-00`,
    'x-forwarded-for': `20.${draw(4)}.17.${draw(32)}`,
    'x-forwarded-proto': 'https',
  }
}

function sale(nth: number, draw: Draw, at: number) {
  const lines = Array.from({ length: 1 + draw(3) }, (_, row) => line(draw, row))
  const total = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const store = draw(STORES)
  return {
    receiptNo: String(100_000 + nth),
    receiptFormatted: `<Receipt>${lines.map((one) => `<Line type='Text'>${one.quantity} x ${one.text}  ${one.price.toFixed(2)}</Line>`).join('')}<Line type='Total'>${total.toFixed(2)}</Line><Line type='Text'>Thank you for shopping with us</Line></Receipt>`,
    receiptUrl: `https://receipts.example.com/r/${hex(draw, 20)}`,
    orderNo: null,
    createdDateTime: local(at),
    updatedDateTime: null,
    paymentLines: [
      {
        type: 'Card',
        subType: 'Visa',
        currency: 'NOK',
        currencyTendered: total,
        txRef: hex(draw, 12),
        text: '',
        amount: total,
      },
    ],
    orderLines: lines,
    store: {
      storeExtId: String(100 + store),
      storeName: `${CITIES[store % CITIES.length]} ${store}`,
      organizationNumber: String(910_000_000 + store * 7_919),
      posId: 1 + draw(4),
      posName: 'pos',
      salesPerson: FIRST[draw(FIRST.length)],
      currency: 'NOK',
      address: {
        address1: `Storgata ${store}`,
        city: CITIES[store % CITIES.length],
        postalCode: '0050',
        countryCode: 'NO',
      },
    },
    customer: draw(3) === 0 ? customer(draw) : { customerId: 0, email: '', firstName: '', lastName: '', phone: '' },
    vatTotal: Math.round(total * 20) / 100,
    total,
  }
}

function line(draw: Draw, row: number) {
  const article = draw(ARTICLES)
  const price = 49 + (article % 40) * 50 + draw(2) * 0.5
  return {
    rowId: String(row + 1),
    gtin: String(7_090_000_000_000 + article * 31),
    externalSku: `SKU-${article}`,
    text: `${GOODS[article % GOODS.length]} ${COLOURS[article % COLOURS.length]}`,
    color: COLOURS[article % COLOURS.length],
    size: SIZES[article % SIZES.length],
    quantity: 1 + Math.floor(draw(10) / 9),
    price,
    fullPrice: price,
    discount: draw(4) === 0 ? 10 * draw(10) : 0,
    vatPercent: 0.25,
    vat: price / 5,
    shipFromOnlineStore: false,
  }
}

function movement(nth: number, draw: Draw, at: number) {
  const article = draw(ARTICLES)
  const stock = draw(STORES)
  return {
    companyId: 7,
    movementId: 48_000_000 + nth,
    stockId: stock + 10,
    stockExtId: String(100 + stock),
    sku: `SKU-${article}`,
    gtin: String(7_090_000_000_000 + article * 31),
    type: 'Sale',
    quantity: -1,
    stockLevel: draw(60),
    createdDateTime: local(at),
  }
}

function customer(draw: Draw) {
  const id = draw(CUSTOMERS)
  const [first, last] = [FIRST[id % FIRST.length] ?? '', LAST[id % LAST.length] ?? '']
  return {
    customerId: 10_000 + id,
    customerExtId: `C-${id}`,
    email: `${first}.${last}${id}@example.com`.toLowerCase(),
    firstName: first,
    lastName: last,
    phoneCountryPrefix: '47',
    phone: String(40_000_000 + id * 211),
    address: {
      address1: `Veien ${id % 200}`,
      postalCode: String(1_000 + (id % 8_000)),
      city: CITIES[id % CITIES.length],
      countryCode: 'NO',
    },
  }
}

function order(nth: number, draw: Draw, at: number) {
  const lines = Array.from({ length: 1 + draw(3) }, (_, row) => line(draw, row))
  return {
    orderNo: `W-${500_000 + nth}`,
    orderStatus: ['New', 'Picked', 'Delivered'][draw(3)],
    externalOrderId: guid(draw),
    updatedDateTime: local(at),
    store: { storeExtId: String(100 + draw(STORES)) },
    customer: customer(draw),
    orderLines: lines,
  }
}

function local(at: number): string {
  return new Date(at).toISOString().slice(0, 23)
}

function guid(draw: Draw): string {
  const all = hex(draw, 32)
  return `${all.slice(0, 8)}-${all.slice(8, 12)}-4${all.slice(13, 16)}-${all.slice(16, 20)}-${all.slice(20)}`
}

function hex(draw: Draw, digits: number): string {
  let text = ''
  while (text.length < digits) text += draw(0x10000).toString(16).padStart(4, '0')
  return text.slice(0, digits)
}

/** As the flow `publish` owes it. */
function pending(destination: string, entity: string | null): NewDelivery {
  return {
    ...{ flow: 'publish', part: '', destination, urgency: 'prompt', entity, notBefore: null, once: false, batch: null },
    ...{ latestWins: false, digest: null, force: false },
  }
}
