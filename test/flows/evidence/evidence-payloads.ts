import {
  customer,
  delivery,
  endlessAisle,
  orderUpdate,
  receipt,
  refundUpdate,
  sale,
  saleLine,
  settlement,
  shippedOrderUpdate,
  stockMovement,
  store,
} from '../../fixtures/payloads.ts'

const GOODS = { gtin: '7090012340011', sku: 'TEE-BLK-M' }
const AT = '2026-11-20T14:03:27'
const IN_STORE = { companyId: 7, storeId: 42, storeExtId: '101', posId: 3, currency: 'NOK', createdDateTime: AT }
const IN_STOCK = { companyId: 7, stockId: 12, stockExtId: '101', createdDateTime: AT }

const movement = stockMovement({ movementId: 5, type: 'Reconciliation', quantity: 2 })

function transfer(received: boolean) {
  return {
    companyId: 7,
    transferId: 77_001,
    fromStockId: 12,
    fromStockExtId: '101',
    toStockId: 13,
    toStockExtId: '102',
    status: received ? 'Received' : 'Sent',
    createdDateTime: AT,
    receivedDateTime: received ? '2026-11-21T09:00:00' : null,
    products: [{ ...GOODS, quantity: 3, quantityReceived: received ? 2 : 0 }],
  }
}

function reservation(given: object) {
  return {
    ...IN_STOCK,
    id: 'b0c9a6de-31b5-4a5e-8a2c-0e9a4e6f1001',
    customerId: null,
    extId: 'A1',
    gtin: GOODS.gtin,
    externalSKU: GOODS.sku,
    quantity: 1,
    expirationDateTime: '2026-11-23T14:03:27',
    releasedDateTime: null,
    status: 'Created',
    ...given,
  }
}

const received = delivery({
  isCompleted: true,
  products: [
    {
      identifier: GOODS.gtin,
      gtin: GOODS.gtin,
      quantityExpected: 10,
      quantityReceived: 4,
      costPrice: 120,
      costPriceCurrency: 'NOK',
    },
    {
      identifier: '77',
      gtin: '77',
      quantityExpected: 3,
      quantityReceived: 3,
      costPrice: 8.5,
      costPriceCurrency: 'NOK',
    },
  ],
})

const sold = {
  orderLines: [saleLine(), saleLine({ rowId: '2', gtin: '77', externalSKU: 'SOCKS', price: 49.5 })],
  total: 398.5,
}

/** A payload of each kind, about something that is acted on: where nobody shows one, as the hub guesses it. */
export const PAYLOADS: Readonly<Record<string, object[]>> = {
  SaleCreated: [sale(sold)],
  CustomerCreated: [customer()],
  CustomerUpdated: [customer({ customerExtId: 'C-9' })],
  DeliveryItemsReceived: [received],
  DeliveryCompleted: [received],
  InvoiceCreated: [
    {
      ...IN_STORE,
      invoiceId: 820_001,
      invoiceNo: 'F-1',
      receiptNo: '1001',
      store: store(),
      customer: { customerId: 4711, companyName: 'Nordlys AS', email: 'kari.nordmann@example.com' },
      amount: 349,
      total: 398.5,
      vatTotal: 69.8,
      invoiceDate: '2026-11-20',
      dueDate: '2026-12-04',
    },
  ],
  StockMovementCreated: [stockMovement()],
  OmniChannelEndlessAisleOrderCreated: [
    endlessAisle(),
    endlessAisle({
      ...sold,
      orderLines: sold.orderLines.map((line, index) => ({ ...line, shipFromOnlineStore: index === 1 })),
    }),
  ],
  OmniChannelOrderFulfilled: [orderUpdate({ status: 'Shipped' }), shippedOrderUpdate()],
  OmniChannelOrderRefundUpdated: [refundUpdate(), refundUpdate({ isRefunded: true })],
  OmniChannelOrderUpdated: [
    orderUpdate(),
    orderUpdate({ status: 'Shipped' }),
    orderUpdate({ status: 'Expired' }),
    orderUpdate({ status: 'Rejected' }),
    orderUpdate({
      orderLines: [
        { quantity: 1, gtin: GOODS.gtin, rowId: '1', status: 'Picked' },
        { quantity: 2, gtin: '77', rowId: '2', status: 'Declined' },
      ],
    }),
    shippedOrderUpdate(),
  ],
  ProductTransferCreated: [transfer(false)],
  ProductTransferReceived: [transfer(true)],
  ProductTransferVirtualCreated: [transfer(false)],
  ProductTransferVirtualReceived: [transfer(true)],
  SaleExternalCreated: [sale({ ...sold, receiptNo: '', orderNo: 'W-1' }), sale(sold)],
  StockAdjustmentCreated: [
    { ...IN_STOCK, adjustmentId: 9, reason: 'broken', items: [{ ...GOODS, quantity: -2 }], stockMovements: [movement] },
  ],
  StockCountReconciled: [
    {
      ...IN_STOCK,
      stockCountId: 610_001,
      description: 'weekly',
      isCompleteStockCount: false,
      countedDateTime: '2026-11-20T14:00:00',
      items: [
        { ...GOODS, quantity: 40 },
        { gtin: '77', sku: 'SOCKS', quantity: 3 },
      ],
      stockMovements: [movement],
    },
  ],
  POSSettlementCreated: [
    settlement({
      netTotal: 14_600.4,
      vatTotal: 3_650.1,
      PaymentTypes: [{ PaymentTypeId: '1', Type: 'Card', SubType: 'Visa', Currency: 'NOK', Amount: 18_250.5 }],
    }),
  ],
  StockReservationCreated: [reservation({})],
  StockReservationExpired: [reservation({ status: 'Expired', releasedDateTime: '2026-11-23T14:03:27' })],
  BankterminalReconciliationPrinted: [
    {
      ...IN_STORE,
      reconciliationId: 440_001,
      terminalId: 'T-423',
      count: 2,
      amount: 747.5,
      schemes: [{ scheme: 'Visa', count: 2, amount: 747.5 }],
      printedDateTime: '2026-11-20T21:00:00',
    },
  ],
  GiftCardTransactionCreated: [
    { ...IN_STORE, transactionId: 930_001, giftCardId: 7, type: 'Used', amount: -250, balance: 350, receiptNo: '1001' },
  ],
  SavedForOnlineCheckoutCreated: [
    {
      companyId: 7,
      basketId: 55,
      storeId: 42,
      store: store(),
      currency: 'NOK',
      createdDateTime: AT,
      vatTotal: 69.8,
      ...sold,
    },
  ],
  OmniChannelSendReceiptCreated: [receipt(), receipt({ channel: 'SMS', recipient: '+4790012345' })],
  DeliveryCreated: [received],
  DeliveryUpdated: [received],
}
