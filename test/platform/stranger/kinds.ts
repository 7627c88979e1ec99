/*
 * What this platform tells, one example of each of its 27 kinds. Kinds that the specification shows have its fields; all others have
 * names of this platform's own, which its schema endpoint publishes. Numbers are text here and there, datetimes have a zone or none.
 */

const TEE = '7090012340011'

const STORE = {
  ...{ storeExtId: '101', storeName: 'Oslo City', organizationNumber: '999888777', posId: 7, posName: 'POS 7' },
  ...{ salesPerson: 'Liv', currency: 'NOK' },
  address: { address1: 'Storgata 1', city: 'Oslo', postalCode: '0155', country: 'Norway', countryCode: 'NO' },
}

const NONE = {
  ...{ customerId: 0, email: '', firstName: '', lastName: '', companyName: '', phoneCountryPrefix: '', phone: '' },
  address: { firstName: '', lastName: '', address1: '', city: '', postalCode: '', country: '', countryCode: '' },
}

const LINE = {
  ...{ rowId: 'r-1', gtin: TEE, externalSKU: 'TEE-M', brand: 'Nordlys', name: 'Tee', variant: '01', number: 'T-100' },
  ...{ colour: 'Red', size: '2', sizeText: 'M', group: 'Tops', season: 'BASIC', imageUrl: '', quantity: 2 },
  ...{ price: 199.5, vat: 79.8, vatPercent: 0.25, fullPrice: 199.5, discount: 0, discountPercent: 0 },
  ...{ receiptLabel: 'Tee', shipFromOnlineStore: false, reasons: [] },
}

const SALE = {
  ...{ receiptNo: 'S-1', receiptFormatted: '', receiptUrl: 'https://receipts.example/S-1', orderNo: null },
  ...{ createdDateTime: '2026-11-20T10:15:00', updatedDateTime: null },
  paymentLines: [
    { type: 'Card', subType: 'Visa', currency: 'NOK', currencyTendered: 399, txRef: 'tx-1', text: '', amount: 399 },
  ],
  ...{ orderLines: [LINE], store: STORE, customer: NONE, vatTotal: 79.8, total: 399 },
}

const LOCATION = { stockName: 'Oslo City', stockId: 12, posId: 7, personId: 3 }

const DELIVERY = {
  ...{ stockId: 12, stockExtId: null, isCompleted: false, expectedDeliveryDate: '2026-11-25', companyId: 1 },
  ...{ orderReference: 'PO-1', comment: '', type: 'PlannedDelivery', status: 'Planned' },
  ...{ createdDateTime: '2026-11-20T08:00:00', updatedDateTime: '2026-11-20T08:00:00' },
}

const GOODS = (more: object) => ({
  ...{ identifier: TEE, gtin: TEE, quantityExpected: 5, quantityReceived: 0, currentStockLevel: 8, costPrice: 80 },
  ...{ costPriceCurrency: 'NOK', stockMovements: [], ...more },
})

const MEMBER = {
  ...{ MemberNo: 501, Mail: 'kari@example.com', Given: 'Kari', Family: 'Nordmann', Mobile: '90012345', Prefix: '47' },
  Home: { Street: 'Storgata 1', Zip: '0155', Town: 'Oslo', Land: 'NO' },
  ...{ Changed: '2026-11-20T10:00:00+01:00', Removed: 'false' },
}

const ROOM = (key: string, got: string, done: string, at: string) => ({
  Inbound: {
    ...{ Key: key, Paper: 'PO-2', Depot: '12', At: at, Done: done },
    Rows: [{ Ean: TEE, Ordered: '5', Got: got, Unit: '80.00', Money: 'NOK' }],
  },
})

const MOVE = (key: string, more: object) => ({
  move: {
    Key: key,
    Out: '12',
    In: '13',
    Left: '2026-11-20T09:00:00',
    Rows: [{ Ean: TEE, Sent: '2', Got: '2' }],
    ...more,
  },
})

const HOLD = { Key: 'h-1', Depot: 12, Ean: TEE, Pieces: '1', Order: 'W-1', Since: '2026-11-20T09:00:00' }

const OF_SHOP = { Shop: '101', Register: '7', Money: 'NOK' }

/** An example of what is told of each kind, in the order in which a day tells it. */
export const EXAMPLES: Readonly<Record<string, object>> = {
  SaleCreated: SALE,
  CustomerCreated: { Member: { ...MEMBER, Since: '2026-11-20T10:00:00+01:00' } },
  CustomerUpdated: { Member: { ...MEMBER, Town: 'Oslo', Changed: '2026-11-20T11:00:00+01:00' } },
  DeliveryItemsReceived: ROOM('78', '3', 'false', '2026-11-20T12:00:00'),
  DeliveryCompleted: ROOM('78', '5', 'true', '2026-11-20T13:00:00Z'),
  InvoiceCreated: {
    Bill: {
      ...{ ...OF_SHOP, BillKey: 'b-1', BillNo: '9001', Sum: '1250.00', Tax: '250.00', Written: '2026-11-20T10:30:00' },
      ...{ Due: '2026-12-20', Slip: 'S-9', Payer: { Firm: 'Fjord AS', Mail: 'post@fjord.example' } },
    },
  },
  StockMovementCreated: {
    ...{ companyId: 1, movementId: 4001, stockId: 12, stockExtId: '101', sku: 'TEE-M', gtin: TEE, type: 'Sale' },
    ...{ quantity: -2, stockLevel: 6, createdDateTime: '2026-11-20T10:15:00' },
  },
  OmniChannelEndlessAisleOrderCreated: {
    ...SALE,
    ...{ receiptNo: 'S-2', orderNo: 'EA-1', createdDateTime: '2026-11-20T10:20:00' },
    orderLines: [{ ...LINE, shipFromOnlineStore: true }],
    customer: { ...NONE, customerId: 501, customerExtId: '', email: 'kari@example.com', firstName: 'Kari' },
    shippingAddress: {
      ...{ firstName: 'Kari', lastName: 'Nordmann', address1: 'Storgata 1', city: 'Oslo', postalCode: '0155' },
      ...{ country: 'Norway', countryCode: 'NO' },
    },
    fulfillmentLocation: {
      stockId: 90,
      stockName: 'Web',
      posId: 7,
      personId: 3,
      shipmentInfo: ['1', 'Post', '2', '3'],
    },
  },
  OmniChannelOrderRefundUpdated: {
    refund: {
      ...{ orderNo: 'EA-1', id: '9a1f0c52-6c1e-4d9b-8a55-0d2a3b4c5d6e', status: 'Returned', isRefunded: false },
      orderLines: [{ quantity: 1, gtin: TEE, id: null, status: 'Returned' }],
      fulfillmentLocation: { ...LOCATION, shipmentInfo: [] },
    },
  },
  OmniChannelOrderUpdated: {
    order: {
      ...{ orderNo: 'W-1', id: '1f0c529a-6c1e-4d9b-8a55-0d2a3b4c5d6e', status: 'Picked' },
      orderLines: [{ quantity: 1, gtin: TEE, rowId: null, status: 'Picked' }],
      fulfillmentLocation: LOCATION,
    },
  },
  OmniChannelOrderFulfilled: { Web: { No: 'W-1', State: 'Shipped', Goods: [{ Ean: TEE, Pieces: '1' }] } },
  ProductTransferCreated: MOVE('t-1', {}),
  ProductTransferReceived: MOVE('t-1', { Came: '2026-11-20T15:00:00' }),
  ProductTransferVirtualCreated: MOVE('t-2', {}),
  ProductTransferVirtualReceived: MOVE('t-2', { Came: '2026-11-20T15:30:00+01:00' }),
  SaleExternalCreated: {
    Deal: {
      ...{ ...OF_SHOP, No: 'X-1', When: '2026-11-20T11:30:00', Sum: '199.50', Tax: '39.90' },
      Rows: [{ Ean: TEE, Pieces: '1', Each: '199.50', Tax: '39.90', Rate: '0.25' }],
      Paid: [{ How: 'Card', Sum: '199.50' }],
    },
  },
  StockAdjustmentCreated: {
    Correction: {
      Key: 'a-1',
      Depot: '12',
      When: '2026-11-20T14:00:00',
      Why: 'Damaged',
      Rows: [{ Ean: TEE, New: '5' }],
    },
  },
  StockCountReconciled: {
    Reconcile: { No: 'c-1', Depot: '12', countedDateTime: '2026-11-20T07:00:00', Rows: [{ Ean: TEE, Found: '8' }] },
  },
  POSSettlementCreated: {
    ZReport: { ...OF_SHOP, ZKey: '900', Closed: '2026-11-20T20:00:00', Until: '2026-11-20T20:00:00', Sum: '399.00' },
  },
  StockReservationCreated: { Hold: { ...HOLD, Ends: '2026-11-22T09:00:00' } },
  StockReservationExpired: { Hold: { ...HOLD, Key: 'h-2', Order: 'W-2', Freed: '2026-11-20T18:00:00' } },
  BankterminalReconciliationPrinted: {
    Slip: {
      ...{ ...OF_SHOP, Key: 'k-1', Terminal: 'T1', Sum: '399.00', Pieces: '1', Printed: '2026-11-20T20:05:00' },
      Brands: [{ Brand: 'Visa', Pieces: '1', Sum: '399.00' }],
    },
  },
  GiftCardTransactionCreated: {
    Card: {
      ...OF_SHOP,
      Key: 'g-1',
      CardNo: 'GC-1',
      What: 'Sold',
      Sum: '500.00',
      Left: '500.00',
      When: '2026-11-20T16:00:00',
    },
  },
  SavedForOnlineCheckoutCreated: {
    Basket: {
      ...{ ...OF_SHOP, Key: 'n-1', When: '2026-11-20T17:00:00', Sum: '199.50' },
      Rows: [{ Ean: TEE, Label: 'Tee', Pieces: '1', Each: '199.50' }],
    },
  },
  OmniChannelSendReceiptCreated: {
    sendReceipt: {
      ...SALE,
      paymentLines: SALE.paymentLines.map(({ type, subType, text, amount }) => ({ type, subType, text, amount })),
    },
    ...{ channel: 'SMS', recipient: '47 90012345', recipientName: 'Kari' },
    signatureInfo: { signature: 'c2ln', keyVersion: '1' },
  },
  DeliveryCreated: { ...DELIVERY, orderId: 77, products: [GOODS({})] },
  DeliveryUpdated: {
    ...{ ...DELIVERY, orderId: 77, status: 'Delivered', updatedDateTime: '2026-11-20T12:30:00' },
    products: [
      GOODS({
        quantityReceived: 3,
        stockMovements: [{ movementId: 4002, createdDateTime: '2026-11-20T12:30:00', quantity: 3, costPrice: 80 }],
      }),
    ],
  },
}

/** A JSON Schema of a kind, as its example is. */
export function schemaOf(value: unknown): object {
  if (Array.isArray(value)) return { type: 'array', items: value.length > 0 ? schemaOf(value[0]) : {} }
  if (typeof value === 'object' && value !== null)
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, schemaOf(inner)])),
    }
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return { type: 'string', format: 'date-time' }
  return { type: value === null ? ['string', 'null'] : typeof value }
}
