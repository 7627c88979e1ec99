import type { OperationName } from './http/endpoints.ts'

/**
 * The values that say what an operation is about: without one of them it would be about something else, or about everything. Each
 * stands in the path or in the query. `gtin|productId`: a call gives one of the two. What may stand in the body is not here.
 */
const KEYS: { readonly [Name in OperationName]?: string } = {
  'webhooks.delete': 'webhookId',
  'webhooks.schema': 'webhookType',
  'events.list': 'webhookId',
  'events.get': 'webhookEventId',
  'events.resend': 'webhookEventId',
  'products.byExtId': 'product',
  'products.byGtin': 'gtin',
  'products.delete': 'product',
  'products.deleteGtins': 'product',
  'products.deleteGtin': 'gtin',
  'products.deleteGtinByExtId': 'gtin',
  'orders.read': 'orderNo',
  'orders.delete': 'orderNo',
  'listedPrices.read': 'listId gtin|productId',
  'listedPrices.delete': 'listId gtin|productId',
  'listedPrices.byGtin': 'gtin',
  'costs.ofStock': 'stockId',
  'costs.ofStockExtId': 'stockExtId',
  'counts.read': 'countId',
  'reservations.change': 'reservationId',
  'reservations.release': 'reservationId',
  'customers.delete': 'customerId',
}

/** The values that must stand in the path or in the query of an operation; of those in one list, a call gives one. */
export function keysOf(operation: OperationName): readonly (readonly string[])[] {
  return KEYS[operation]?.split(' ').map((names) => names.split('|')) ?? []
}
