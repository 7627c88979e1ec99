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
