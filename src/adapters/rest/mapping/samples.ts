import type { CustomerConsent, CustomerRecord } from '../../../domain/customers/customer-record.ts'
import type { PosOrder } from '../../../domain/orders/order.ts'
import type { OrderReturn, OrderUpdate } from '../../../domain/orders/order-update.ts'
import type { ErasedCustomer } from '../../../domain/privacy/notice.ts'
import type { StockLevel } from '../../../ports/ports.ts'
import {
  BOOKING_METHODS,
  type RecordKind,
  type Shape,
  type ShapeOf,
  sale,
  shapeOf,
  texts,
} from '../../shared/records.ts'

/** For the check of mappings at start: all fields, and `count` entries a list. */

const { receiptUrl: _, vatTotal: __, ...posSale } = sale

const orderLine = { ...texts('key rowId gtin'), quantity: 'decimal', status: 'text' } as const
const parcel = { id: 'text', items: [{ gtin: 'text', quantity: 'decimal' }] } as const
const stockLevel: ShapeOf<StockLevel> = { ...texts('location gtin sku'), level: 'decimal' }

const SHAPES = {
  posOrder: {
    ...posSale,
    ...texts('number transactionId contradiction'),
    comments: ['text'],
  } satisfies ShapeOf<PosOrder>,
  order: {
    ...texts('number platformId status stockId stockName'),
    shipments: [parcel],
    lines: [orderLine],
  } satisfies ShapeOf<OrderUpdate>,
  refund: {
    ...texts('number refundId status stockId stockName'),
    isRefunded: 'yes/no',
    lines: [orderLine],
  } satisfies ShapeOf<OrderReturn>,
  customer: texts(
    'customerId extId email firstName lastName companyName phone address postalCode city countryCode',
  ) satisfies ShapeOf<CustomerRecord>,
  consent: {
    ...texts('customerId extId email phone agreedAt'),
    agreedSendEmail: 'yes/no',
    agreedSendSms: 'yes/no',
  } satisfies ShapeOf<CustomerConsent>,
  erased: {
    pseudonym: 'text',
    customerIds: ['text'],
    theirIds: ['text'],
    emails: ['text'],
    orders: ['text'],
  } satisfies ShapeOf<ErasedCustomer>,
} as const

export function bookingSample(kind: RecordKind, count: number): object {
  const { key: _, ...shape } = shapeOf(BOOKING_METHODS[kind])
  const sample = sampleOfShape(shape, count) as Record<string, unknown>
  return 'step' in shape ? { ...sample, step: kind === 'transfer' ? 'sent' : 'made', theirId: '99' } : sample
}

export function sampleOf(section: string, method: string, count: number): object {
  const key = 'SampleKind:1:sample-flow:'
  const theirId = '99'
  const of = (name: keyof typeof SHAPES) => sampleOfShape(SHAPES[name], count) as Record<string, unknown>
  const order: Record<string, unknown> = { ...of('order'), number: 'A1' }
  const line = sampleOfShape(orderLine, count)
  switch (`${section}.${method}`) {
    case 'customers.erase':
      return { key, theirId, erased: of('erased') }
    case 'customers.noteConsent':
      return { key, theirId, consent: of('consent') }
    case 'customers.upsert':
      return { key, theirId, customer: of('customer') }
    case 'customers.byEmail':
      return { email: TEXTS.email }
    case 'customers.byPhone':
      return { phones: repeated(count, TEXTS.phone), phone: TEXTS.phone, typed: '91234567' }
    case 'stock.setLevels':
      return { key, stock: sampleOfShape(stockLevel, count), levels: sampleOfShape([stockLevel], count) }
    case 'orders.search':
      return { number: order.number }
    case 'orders.create':
    case 'orders.draft':
      return { key, order: { ...of('posOrder'), number: 'EA-77' } }
    case 'orders.decline':
      return { key, theirId, ofPos: true, order, line, quantity: '1' }
    case 'orders.ship':
      return { key, theirId, ofPos: true, order, parcel: sampleOfShape(parcel, count) }
    case 'orders.refund':
    case 'orders.noteRefund':
      return { key, theirId, ofPos: true, refund: { ...of('refund'), number: 'A1' }, line, quantity: '1' }
    case 'orders.expire':
      return { key, theirId, ofPos: true, order: { number: order.number, lines: order.lines } }
  }
  if (section === 'backOffice') return { key, ...bookingSample(method as RecordKind, count) }
  return { key, theirId, ofPos: true, order }
}

function sampleOfShape(shape: Shape, count: number, name = ''): unknown {
  if (shape === 'yes/no') return true
  if (shape === 'decimal') return DECIMALS[name] ?? '1'
  if (shape === 'text') return textNamed(name)
  if (Array.isArray(shape)) return repeated(count, sampleOfShape(shape[0] as Shape, count, name))
  return Object.fromEntries(Object.entries(shape).map(([name, part]) => [name, sampleOfShape(part, count, name)]))
}

function repeated<Item>(count: number, item: Item): Item[] {
  return Array(count).fill(item)
}

function textNamed(name: string): string {
  if (/^(at|from|to)$|At$/.test(name)) return '2026-11-20T14:03:27'
  if (/^day$|On$/.test(name)) return '2026-11-20'
  if (/Url$/.test(name)) return 'https://www.example.com/1002'
  return TEXTS[name as keyof typeof TEXTS] ?? '1'
}

const DECIMALS: Readonly<Record<string, string>> = { amount: '349', rate: '0.25', vatRate: '0.25' }

const TEXTS = {
  orderNo: 'EA-77',
  receiptNo: '1002',
  storeNo: '101',
  storeKey: '101',
  storeId: '42',
  stockId: '12',
  posId: '3',
  gtin: '7090012340011',
  article: '7090012340011',
  customerId: '501',
  email: 'kari.nordmann@example.com',
  emails: 'kari.nordmann@example.com',
  phone: '+4791234567',
  currency: 'NOK',
  country: 'NO',
  countryCode: 'NO',
  postalCode: '0155',
  firstName: 'Kari',
  lastName: 'Nordmann',
  name: 'T-shirt',
  location: 'oslo',
  settlementId: '3001',
  transferId: '81',
  account: '1910',
  text: 'Cash',
  type: 'Card',
  reference: 'PO-2026-17',
} as const
