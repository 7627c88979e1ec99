/*
 * Payloads as the specification shows them, of nobody: what a made day is made of where the store has none of its own.
 */

/** Spec, "Sale payload". */
const SALE = {
  receiptNo: '1001',
  receiptFormatted: '',
  receiptUrl: '',
  orderNo: null,
  createdDateTime: '2026-01-01T12:00:00',
  updatedDateTime: null,
  paymentLines: [
    { type: 'Card', subType: 'Visa', currency: 'NOK', currencyTendered: 349, txRef: 'tx-1', text: '', amount: 349 },
  ],
  orderLines: [
    {
      rowId: '1',
      gtin: '7090012340011',
      externalSKU: 'TEE-BLK-M',
      name: 'T-shirt',
      quantity: 1,
      price: 349,
      vat: 69.8,
      vatPercent: 0.25,
      fullPrice: 349,
      discount: 0,
      receiptLabel: 'T-shirt',
      shipFromOnlineStore: false,
      reasons: [],
    },
  ],
  store: { storeExtId: '101', storeName: 'Store 101', posId: 1, posName: 'Till 1', currency: 'NOK', salesPerson: '' },
  customer: { customerId: 0, email: '', firstName: '', lastName: '', phoneCountryPrefix: '', phone: '' },
  vatTotal: 69.8,
  total: 349,
}

/** Spec, "Stock movement webhook payload". */
const MOVEMENT = {
  companyId: 1,
  movementId: 1,
  stockId: 101,
  stockExtId: '101',
  sku: 'TEE-BLK-M',
  gtin: '7090012340011',
  type: 'Sale',
  quantity: -1,
  stockLevel: 4,
  createdDateTime: '2026-01-01T12:00:00',
}

/** Spec, "Omnichannel order update webhook payload". */
const ORDER_UPDATE = {
  order: {
    orderNo: 'R1',
    id: '00000000-0000-4000-8000-000000000001',
    status: 'UnHandled',
    orderLines: [{ quantity: 1, gtin: '7090012340011', rowId: '1', status: 'UnHandled' }],
    fulfillmentLocation: { stockName: 'Store 101', stockId: 101, posId: 1, personId: 1 },
  },
}

/** Spec, "Receipt webhook payload". */
const RECEIPT = {
  sendReceipt: SALE,
  channel: 'Email',
  recipient: 'nobody@example.com',
  recipientName: '',
  signatureInfo: null,
}

/** The kinds that a made day has. */
export const MADE_KINDS = [
  'SaleCreated',
  'StockMovementCreated',
  'OmniChannelSendReceiptCreated',
  'OmniChannelOrderUpdated',
] as const

export type MadeKind = (typeof MADE_KINDS)[number]

export const EXAMPLES: Readonly<Record<MadeKind, unknown>> = {
  SaleCreated: SALE,
  StockMovementCreated: MOVEMENT,
  OmniChannelSendReceiptCreated: RECEIPT,
  OmniChannelOrderUpdated: ORDER_UPDATE,
}

/** The fields that tell one made event from the next, by kind: a recorded payload that lacks one cannot be a shape. */
export const VARIED: Readonly<Record<MadeKind, readonly string[]>> = {
  SaleCreated: ['receiptNo', 'createdDateTime', 'store.storeExtId'],
  StockMovementCreated: ['movementId', 'createdDateTime', 'stockId', 'stockExtId', 'gtin'],
  OmniChannelSendReceiptCreated: [
    'sendReceipt.receiptNo',
    'sendReceipt.createdDateTime',
    'sendReceipt.store.storeExtId',
  ],
  OmniChannelOrderUpdated: ['order.orderNo', 'order.id', 'order.status'],
}
