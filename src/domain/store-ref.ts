import { field, text } from './field.ts'

/** What a payload says about the store it is about. Everything is null where it says nothing. */
export interface StoreRef {
  /** The retailer's own number. */
  number: string | null
  storeId: string | null
  stockId: string | null
  /** The retailer's own id of the stock; often, but not for certain, the number of its store. */
  stockNumber: string | null
  /** Of the store, not of a customer. */
  countryCode: string | null
}

/**
 * Reads which store an event is about. Kinds whose payload the spec does not show are read by the names that the platform
 * uses elsewhere; a transfer between two stores names none.
 */
export function storeRefOf(kind: string, payload: unknown): StoreRef {
  switch (kind) {
    case 'OmniChannelSendReceiptCreated':
      return ofSale(field(payload, 'sendReceipt'))
    case 'OmniChannelOrderUpdated':
    case 'OmniChannelOrderFulfilled':
      return ofLocation(field(payload, 'order'))
    case 'OmniChannelOrderRefundUpdated':
      return ofLocation(field(payload, 'refund'))
    case 'CustomerCreated':
    case 'CustomerUpdated':
      return { ...NOTHING, storeId: text(payload, 'registeredStoreId') }
    default:
      return ofPlain(payload)
  }
}

const NOTHING: StoreRef = { number: null, storeId: null, stockId: null, stockNumber: null, countryCode: null }

/** Spec "Sale payload". Its fulfillmentLocation says where goods come from, not which store sold them. */
function ofSale(sale: unknown): StoreRef {
  const store = field(sale, 'store')
  const country = text(field(store, 'address'), 'countryCode')
  return { ...NOTHING, number: text(store, 'storeExtId'), countryCode: country?.toUpperCase() ?? null }
}

/** Spec "Omnichannel order update" and "Refund update". */
function ofLocation(order: unknown): StoreRef {
  return { ...NOTHING, stockId: text(field(order, 'fulfillmentLocation'), 'stockId') }
}

/** Spec "Sale payload", "Stock movement", "Delivery" and "POS settlement": each names its store in its own way. */
function ofPlain(payload: unknown): StoreRef {
  const sale = ofSale(payload)
  return {
    number: sale.number ?? text(payload, 'storeNo'),
    storeId: text(payload, 'storeId'),
    stockId: text(payload, 'stockId'),
    stockNumber: text(payload, 'stockExtId'),
    countryCode: sale.countryCode,
  }
}
