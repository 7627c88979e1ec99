import type { OperationName } from './http/endpoints.ts'

const PRODUCT =
  'extId createProductSpecificSize name number variant groupName subgroupName color season brand price cost description ' +
  'productSizes externalSKU gtin label labelSortIndex identifiers id type images gender tags isStockProduct isNoLabel sizeSystem'

const BULK_PRODUCT = `${PRODUCT} productPrices pricelistName pictureRef isWebAvailable stockQty stockId qty`

const PRODUCT_FILTER =
  'upt excludeDeleted includePricelists includeAlternativeIdentifiers includeEmptyGTINs includeStockQuantity isWebAvailable ' +
  'seasons brands gtiNs productIds'

const COSTS = 'currency stockId costPrices productExtId gtin productId price'

const CUSTOMER_FILTER = 'emailContains phoneContains customerExtIds'

const ORDER =
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
  'products.save': PRODUCT,
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
  'orders.create': ORDER,
  'orders.update': ORDER,
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
