import type { OperationName } from './http/endpoints.ts'
import type { AnswerRead } from './http/mapped-answer.ts'

const PRODUCT =
  'productId extId name number variant groupName subgroupName color season brand price cost description isWebAvailable ' +
  'isDiscontinued upt productSizes productSizes.identity productSizes.gtin productSizes.label productSizes.externalSKU ' +
  'productSizes.identifiers productSizes.identifiers.id productSizes.pricelists productSizes.pricelists.pricelistName ' +
  'productSizes.pricelists.pricelistId productSizes.pricelists.currency productSizes.pricelists.price'

const BULK =
  'created updated unprocessedProducts unprocessedProducts.product unprocessedProducts.product.extId ' +
  'unprocessedProducts.errors'

const EVENT =
  'webhookId webhookEventId createdDateTime status statusCode success runsCounter payload updatedDateTime runs'

const PRICE = 'productId gtin price validFrom validTo'

const COST = 'productId gtin externalSKU stockId stockExtId currency costPrice updatedDateTime'

const within = (outer: string, names: string) => names.split(' ').map((name) => `${outer}.${name}`)

const ADDRESS = 'firstName lastName companyName address1 address2 city province postalCode country countryCode comment'

const ORDER = [
  'orderId orderNo orderType status createdDateTime saleDateTime updatedDateTime dueDateTime expirationDateTime',
  'reservationLengthInHours comment total vatTotal orderLines paymentLines orderEvents store fulfillmentLocation customer',
  'billingAddress shippingAddress',
  ...within('orderLines', 'rowId gtin externalSKU quantity price fullPrice discount vat status'),
  ...within('paymentLines', 'type subType amount currency txRef'),
  ...within('orderEvents', 'createdDateTime text eventType'),
  ...within('store', 'storeExtId storeName'),
  ...within('fulfillmentLocation', 'stockId stockName posId personId shipments'),
  ...within('fulfillmentLocation.shipments', 'id items items.gtin items.rowId'),
  ...within('customer', 'firstName lastName companyName email phone phoneCountryPrefix phoneCountryCode address'),
  ...within('customer.address', ADDRESS),
  ...within('billingAddress', ADDRESS),
  ...within('shippingAddress', ADDRESS),
].join(' ')

const COUNT = 'stockCountId name stockId extStockId dateCounted ins isReconciled deleted'

/**
 * What is read of each operation's answer: a list of records, or one record, and its fields by the names of the documents, those
 * within another after a dot. Config may say that any of them stands elsewhere. Of an operation that is not here, nothing is read.
 */
const READ: { readonly [Name in OperationName]?: readonly ['list' | 'record', fields: string] } = {
  'stores.list': [
    'list',
    'StoreId StoreNo Legalname Orgnum StoreName Address PostalCode City Country CountryCode Email Web Phone StockId Currency ' +
      'TimeZone TimeZoneInfo',
  ],
  'webhooks.list': ['list', 'id event url storeId'],
  'webhooks.create': ['record', 'id'],
  'webhooks.types': ['list', 'name'],
  'webhooks.schema': ['record', ''],
  'events.list': ['list', EVENT],
  'events.get': ['record', EVENT],
  'products.save': ['record', PRODUCT],
  'products.update': ['record', 'extId productId'],
  'products.byExtId': ['record', PRODUCT],
  'products.byGtin': ['list', PRODUCT],
  'products.search': ['list', PRODUCT],
  'products.count': ['record', 'count'],
  'products.bulkInsert': ['record', BULK],
  'products.bulkUpsert': ['record', BULK],
  'prices.saveList': ['record', 'pricelistId name productCount lastUpdate'],
  'prices.lists': ['list', 'pricelistId name productCount lastUpdate'],
  'stock.levels': ['list', 'id stockId quantity'],
  'deliveries.create': ['record', 'orderId'],
  'deliveries.list': [
    'list',
    [
      'OrderId Ordernumber Description OrderDate Brand Season TotalConfirmedQty TotalConfirmedCost TotalReceivedQty',
      'TotalReceivedCost ToStockId OrderType OrderStatus Completed Products',
      ...within(
        'Products',
        'ProductId Size SizeLabel Name Number Variant Color Label Description QtyConfirmed QtyReceived Cost Identifier',
      ),
    ].join(' '),
  ],
  'salesLines.list': [
    'list',
    'STOREID_FK SaleDateTime Qty EAN Price FullPrice SALESLINEID SALEID STOCKID_FK PRODUCTID_FK Discount Cost VATPercent Currency',
  ],
  'stockMovements.list': ['list', 'EAN Qty Stockid Stock MoveDateTime'],
  'stockStatus.list': ['list', 'Stockid Productid EAN Qty ReservedQty AvailableQty Cost'],
  'settlements.list': [
    'list',
    [
      'SettlementId BatchNumber StoreId StoreNo StoreInfo StoreName PosId PosName PersonName SettlementTimeStamp DateTimeFrom',
      'DateTimeTo ReceiptNoFrom ReceiptNoTo Currency GrossTotal GrossDiscount GrandTotal NetTotal VATTotal VATArea1 VATArea2',
      'VATArea3 OpeningCashBalance ClosingCashBalance Discrepancy Comment SAFT_ZReport PaymentTypes Withdrawals Deposits',
      ...within('PaymentTypes', 'PaymentTypeId Type SubType Currency CurrencyTendered Amount'),
      ...within('Withdrawals', 'PaymentTypeId Type SubType Amount'),
      ...within('Deposits', 'PaymentTypeId Type SubType Amount'),
    ].join(' '),
  ],
  'sales.import': ['record', 'saleId'],
  'customers.obtain': ['record', 'customerId'],
  'customers.search': [
    'list',
    'customerId extId customerGuid id firstName lastName companyName orgNum isCompany email phone phoneCountryPrefix address ' +
      'address1 address.address1 postalCode city countryCode agreedSendEmail agreedSendSms tags registeredStoreId deleted ins upt',
  ],
  'customers.count': ['record', 'count'],
  'orders.create': ['record', 'orderId'],
  'orders.read': ['record', ORDER],
  'orders.list': ['list', ORDER],
  'listedPrices.read': ['list', PRICE],
  'listedPrices.byGtin': [
    'record',
    [
      'prices costPrices',
      ...within('prices', `${PRICE} pricelistId name currency`),
      ...within('costPrices', COST),
    ].join(' '),
  ],
  'costs.ofStock': ['list', COST],
  'costs.ofStockExtId': ['list', COST],
  'stocks.list': ['list', 'stockId name extId'],
  'stocks.settings': [
    'list',
    'stockId name extId isAvailableForSale isVirtual allowDirectTransfers allowStockCosts regionName currency',
  ],
  'counts.list': ['list', COUNT],
  'counts.read': [
    'record',
    [`${COUNT} countDetails`, ...within('countDetails', 'gtin externalSku productId qty isValid')].join(' '),
  ],
  'transfers.create': ['record', 'transferId'],
  'reservations.create': ['list', 'id stockId extId gtin quantity expirationDateTime'],
  'reservations.list': ['list', 'id stockId extId gtin quantity expirationDateTime'],
  'freight.read': ['record', 'identity'],
  'aggregates.list': ['list', 'storeId saleDate saleCount qty lineTotal discount vat colName colValue'],
}

/** What is read of an operation's answer, for config that says where it stands; null: nothing is. */
export function answerReadOf(operation: OperationName): AnswerRead | null {
  const [shape, fields] = READ[operation] ?? []
  if (shape === undefined || fields === undefined) return null
  return { isList: shape === 'list', fields: fields.split(' ').filter(Boolean) }
}

const SENT_PRODUCT =
  'extId createProductSpecificSize name number variant groupName subgroupName color season brand price cost description ' +
  'productSizes externalSKU gtin label labelSortIndex identifiers id type images gender tags isStockProduct isNoLabel sizeSystem'

const BULK_PRODUCT = `${SENT_PRODUCT} productPrices pricelistName pictureRef isWebAvailable stockQty stockId qty`

const PRODUCT_FILTER =
  'upt excludeDeleted includePricelists includeAlternativeIdentifiers includeEmptyGTINs includeStockQuantity isWebAvailable ' +
  'seasons brands gtiNs productIds'

const COSTS = 'currency stockId costPrices productExtId gtin productId price'

const CUSTOMER_FILTER = 'emailContains phoneContains customerExtIds'

const SENT_ORDER =
  'orderNo status customer firstName lastName email phone phoneCountryCode companyName taxId address billingAddress ' +
  'shippingAddress address1 address2 city province postalCode country countryCode comment orderLines gtin price quantity vat ' +
  'vatPercent fullPrice discount discountPercent rowId externalSKU sizeText receiptLabel reservationLengthInHours paymentLines ' +
  'amount currency type txRef subType text receiptUrl saleDateTime store storeName orderType dueDateTime'

/**
 * The fields of each operation's body, wherever in it they stand, as documented: those that config may give another name. An
 * operation that is not here sends no body.
 */
const FIELDS: { readonly [Name in OperationName]?: string } = {
  'webhooks.create': 'event url storeId',
  'webhooks.update': 'id event url storeId',
  'products.save': SENT_PRODUCT,
  'products.update': 'extId productid description images',
  'products.search': `${PRODUCT_FILTER} pageSize pageSkip`,
  'products.count': PRODUCT_FILTER,
  'products.bulkInsert': BULK_PRODUCT,
  'products.bulkUpsert': BULK_PRODUCT,
  'prices.saveList': 'name prices productExtId gtin productId price validFrom validTo',
  'prices.saveCosts': COSTS,
  'stock.adjust': 'stockId isCompleteStockCount description stockCountTime items gtin quantity',
  'stock.levels': 'stockIds useGTIN ins excludeStockReservations',
  'deliveries.create':
    'requestId extRef stockId storeId insertAsConfirmed orderDate expectedDeliveryDate comment orderLines gtin qty cost',
  'sales.import':
    'saleGuid extRef customerID saleDateTime salesLines identity price qty stockid text vat paymentLines amount paymentType ' +
    'currency cardType responseBody comment',
  'customers.obtain':
    'customerid extId firstName lastName companyName orgNum isCompany email phone phoneCountryPrefix address postalCode city ' +
    'countryCode agreedSendEmail agreedSendSms tags birthDay birthYear gender langCode cardNo stdDiscount isEmployee isInvoice ' +
    'suppressCampaigns despcription registeredStoreId',
  'customers.search': `${CUSTOMER_FILTER} pageSize pageSkip`,
  'customers.count': CUSTOMER_FILTER,
  'orders.create': SENT_ORDER,
  'orders.update': SENT_ORDER,
  'corrections.create': 'extRef stockId storeId comment orderLines gtin qty',
  'transfers.create':
    'extRef stockId storeId toStockId orderDate expectedDeliveryDate comment insertAsRecevied productLines gtin qty cost',
  'reservations.create': 'stockId extId customerId comment reservationLengthInHours items gtin qty',
  'reservations.change': 'reservationLengthInHours qty',
}

/** The fields of an operation's body; null: it sends none. */
export function bodyFieldsOf(operation: OperationName): readonly string[] | null {
  return FIELDS[operation]?.split(' ') ?? null
}

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
