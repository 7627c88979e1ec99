import { z } from 'zod'
import { Refusal } from '../../refusal.ts'
import type { Asked, Operation } from '../operation.ts'
import { Customer, CustomerFilter, customerRecord } from './customers.ts'
import {
  Adjustment,
  Correction,
  NewReservation,
  PurchaseOrder,
  ReservationChange,
  StockFilter,
  Transfer,
} from './goods.ts'
import { orderRecord } from './order-read.ts'
import { Order } from './order-sent.ts'
import { Costs, PriceList } from './prices.ts'
import { Product, ProductFilter, ProductPart, Products } from './products.ts'
import { checkQuery, type Parameter } from './query.ts'
import { Sale } from './sale.ts'
import { settlementRecord } from './settlements.ts'
import { eventRecord, hasStatus, inCet, inQuotes, storeRecord, withoutSkus, withoutStatuses } from './turns.ts'
import { Webhook } from './webhooks.ts'

/** The fields that a request of the public API may have; all else in it is refused. */
interface Said {
  query?: Readonly<Record<string, Parameter>>
  body?: z.ZodType
  /** A header that must be there. */
  header?: string
  /** The request as the API behind has it. */
  turned?(asked: Asked): Asked
}

/* biome-ignore lint/suspicious/noExplicitAny: each knows what the API behind gives. */
type Answer = (body: any, asked: Asked) => unknown

const operation = (
  method: Operation['method'],
  path: string,
  said: Said = {},
  answer: Answer = (body) => body,
): Operation => ({ method, path, ask: (asked) => checked(asked, said), answer })

const STOCK = { includeStockReservations: 'flag' } as const
const LINES = { $select: 'text', $filter: 'text', $top: 'whole', $orderby: 'text' } as const
const ONE_PRODUCT = { gtin: 'text', externalSKU: 'text', identity: 'text', productId: 'whole' } as const
const SPAN = { from: 'text', to: 'text', ...LINES } as const
const SETTLEMENTS = { offset: 'whole', limit: 'whole', countryId: 'whole', storeId: 'whole' } as const

/** As the public documentation has them (facts, §1 to §3), with its letters. */
export const FRONTSYSTEMS_OPERATIONS: readonly Operation[] = [
  operation('GET', '/api/Stores', {}, (stores) => stores.map(storeRecord)),

  operation('GET', '/api/Webhooks'),
  operation('POST', '/api/Webhooks', { body: Webhook }),
  operation('GET', '/api/Webhooks/{webhookId}'),
  operation('PUT', '/api/Webhooks/{webhookId}', { body: Webhook }),
  operation('DELETE', '/api/Webhooks/{webhookId}'),
  operation('GET', '/api/WebhooksTypes'),
  operation('GET', '/api/WebhooksTypes/{webhookType}/schema'),
  operation(
    'GET',
    '/api/WebhooksEvents/{webhookId}',
    { query: { from: 'time!', to: 'time!', statuses: 'texts', includePayload: 'flag' }, turned: withoutStatuses },
    (events, { query }) => events.filter(hasStatus(query.statuses)).map(eventRecord),
  ),
  operation('GET', '/api/WebhooksEvents/{webhookId}/{webhookEventId}', {}, eventRecord),
  operation('POST', '/api/WebhooksEvents/{webhookId}/deliver/{webhookEventId}', {}, eventRecord),

  operation('POST', '/api/products', { body: Product }),
  operation('GET', '/api/products/{product}'),
  operation('PUT', '/api/products/{product}', { body: ProductPart }),
  operation('DELETE', '/api/products/{product}'),
  operation('DELETE', '/api/products/{product}/gtin'),
  operation('DELETE', '/api/products/{product}/gtin/{gtin}'),
  operation('DELETE', '/api/products/extid/{extId}/gtin/{gtin}'),
  operation('POST', '/api/v2/Products/bulk-insert', { body: Products, turned: withoutSkus }),
  operation('PUT', '/api/v2/Products/bulk-upsert', { body: Products, turned: withoutSkus }),
  operation('POST', '/api/Product', { body: ProductFilter }),
  operation('POST', '/api/Product/count', { body: ProductFilter }),
  operation('GET', '/api/Product/gtin/{gtin}'),

  operation('POST', '/api/PricelistV2', { body: PriceList }),
  operation('GET', '/api/Pricelist'),
  operation('GET', '/api/PricelistV2/{listId}/prices', { query: ONE_PRODUCT }),
  operation('DELETE', '/api/PricelistV2/{listId}/prices', { query: ONE_PRODUCT }),
  operation('GET', '/api/Pricelist/gtin/{gtin}'),
  operation('POST', '/api/Pricelist/cost', { body: Costs }),

  operation('POST', '/api/Stock', { body: StockFilter }),
  operation('POST', '/api/Stock/adjust', { body: Adjustment }),
  operation('GET', '/api/Stock/list', { query: { includeExtId: 'flag' } }),
  operation('GET', '/api/Stock/gtin/{gtin}', { query: STOCK }),
  operation('POST', '/api/Stockreservation', { body: NewReservation }),
  operation('GET', '/api/Stockreservation', { header: 'x-stockid' }),
  operation('PUT', '/api/Stockreservation/release/{id}'),
  operation('PUT', '/api/Stockreservation/{id}', { body: ReservationChange }),

  operation('PUT', '/api/PurchaseOrder', { body: PurchaseOrder }),
  operation('PUT', '/api/PurchaseOrder/correction', { body: Correction }),
  operation('PUT', '/api/ProductTransfer', { body: Transfer }),

  operation('PUT', '/api/Sale', { header: 'x-storeid', body: Sale, turned: inCet }),
  operation('GET', '/api/Sale/freight'),
  operation('GET', '/api/Possettlement', { query: { date: 'day!' } }),
  operation(
    'GET',
    '/api/Possettlementv2',
    { query: { date: 'day!', ...SETTLEMENTS, includePaymentTypes: 'flag', excludeInvoice: 'flag' } },
    (settlements) => settlements.map(settlementRecord),
  ),

  operation('PUT', '/api/Customer', { body: Customer }),
  operation('POST', '/api/Customer', { body: CustomerFilter }, (customers) => customers.map(customerRecord)),
  operation('POST', '/api/Customer/count', { body: CustomerFilter }),
  operation('DELETE', '/api/Customer/{customerId}'),

  operation('POST', '/api/OmniChannel', { header: 'x-stockid', body: Order }),
  operation('PUT', '/api/OmniChannel', { header: 'x-stockid', body: Order }),
  operation('GET', '/api/OmniChannel', { query: { orderNo: 'text!' } }, orderRecord),
  operation('DELETE', '/api/OmniChannel', { query: { orderNo: 'text!' } }),

  operation('GET', '/odata/Saleslines', { query: SPAN, turned: inQuotes }),
  operation('GET', '/odata/Stockmovements', { query: SPAN }),
  operation('GET', '/odata/Stockstatus', { query: { snapshotDateTime: 'text', stock_id: 'whole', ...LINES } }),
]

function checked(asked: Asked, { query = {}, body, header, turned = (same) => same }: Said): Asked {
  checkQuery(asked.query, query)
  if (header !== undefined && asked.headers[header] === undefined)
    throw new Refusal(400, `The header ${header} is required.`)
  if (body !== undefined) {
    const read = body.safeParse(asked.body ?? {})
    if (!read.success) throw new Refusal(400, z.prettifyError(read.error))
  }
  return turned(asked)
}
