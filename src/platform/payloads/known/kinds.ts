import { currencyOfPayments, fields, groups, guessed, nestedIn, type Shape } from '../read-field.ts'

const MOVEMENT: Shape = {
  shownBy: 'spec, "Stock movement webhook payload"',
  fields: fields('spec', {
    id: 'movementId stockId gtin',
    text: 'stockNo=stockExtId sku type',
    number: 'quantity level=stockLevel',
    time: 'at=createdDateTime',
  }),
  essentials: groups('movementId at stockId gtin|sku quantity'),
}

const DELIVERY: Shape = {
  shownBy: 'spec, "Delivery webhook payload"',
  fields: fields('spec', {
    id: 'deliveryId=orderId stockId lines.gtin',
    text: 'reference=orderReference stockNo=stockExtId type status comment lines.identifier',
    flag: 'isCompleted',
    time: 'at=updatedDateTime|createdDateTime expectedOn=expectedDeliveryDate',
    list: 'lines=products',
    number: 'lines.expected=quantityExpected lines.received=quantityReceived lines.cost=costPrice',
    currency: 'lines.costCurrency=costPriceCurrency',
  }),
  essentials: groups('deliveryId at stockId|stockNo lines lines.gtin|lines.identifier lines.received'),
  ifThere: ['lines.expected', 'lines.cost', 'lines.costCurrency'],
}

const DELIVERY_NOT_SHOWN: Shape = guessed(DELIVERY, 'DeliveryUpdated')

const COUNTED = fields('guess', {
  id: 'stockId~stockId items.gtin~gtin movements.movementId movements.stockId movements.gtin',
  text: 'movements.sku=sku|externalSKU movements.type',
  time: 'at=createdDateTime',
  number: 'items.quantity=quantity|qty~qty movements.quantity movements.level=stockLevel',
  list: 'movements=stockMovements',
})

const ITEMS = 'stockId|stockNo items items.gtin|items.sku items.quantity movements.quantity'

export const COUNT: Shape = {
  shownBy:
    'no document; its two times and its contents are named in the spec, Events 18; nearest: a batch of counts of the API (public facts)',
  fields: {
    ...COUNTED,
    ...fields('guess', {
      id: 'countId=stockCountId|id~stockCountId',
      text: 'stockNo=stockExtId~extStockId items.sku=sku|externalSKU~externalSKU description=description|name~name',
      list: 'items~countDetails',
      flag: 'isComplete=isCompleteStockCount',
    }),
    ...fields('spec', { time: 'countedAt=countedDateTime~dateCounted' }),
  },
  essentials: groups(`countId countedAt|at ${ITEMS}`),
  misleading: {
    list: 'items',
    name: 'isValid',
    value: false,
    fields: ['items'],
    because: 'isValid is false: whether such a row counts is not known',
  },
}

export const ADJUSTMENT: Shape = {
  shownBy: 'no document; nearest: a correction that the API takes (public facts)',
  fields: {
    ...COUNTED,
    ...fields('guess', {
      id: 'adjustmentId=adjustmentId|id',
      text: 'stockNo=stockExtId items.sku=sku|externalSKU reason=reason|description~comment',
      list: 'items~orderLines',
    }),
  },
  essentials: groups(`adjustmentId at ${ITEMS}`),
}

export const TRANSFER_SENT: Shape = {
  shownBy: 'no document; nearest: a transfer that the API takes (public facts)',
  fields: fields('guess', {
    id: 'transferId=transferId|id fromStockId~stockId toStockId~toStockId lines.gtin~gtin',
    text: 'fromStockNo=fromStockExtId toStockNo=toStockExtId status lines.sku=sku|externalSKU',
    time: 'sentAt=createdDateTime receivedAt=receivedDateTime',
    list: 'lines=products~productLines',
    number: 'lines.quantity=quantity|qty~qty lines.received=quantityReceived',
  }),
  essentials: groups(
    'transferId fromStockId|fromStockNo toStockId|toStockNo lines lines.gtin|lines.sku lines.quantity sentAt',
  ),
}

export const TRANSFER_RECEIVED: Shape = {
  ...TRANSFER_SENT,
  essentials: [...TRANSFER_SENT.essentials.slice(0, -1), ['receivedAt'], ['lines.received']],
}

export const RESERVATION_MADE: Shape = {
  shownBy: 'no document; nearest: a reservation of the API (public facts)',
  fields: fields('guess', {
    id: 'reservationId=id|reservationId~id|stockreservationId|reservationGuid stockId~stockId|stockidFk gtin~gtin orderNo=extId~extId',
    text: 'stockNo=stockExtId sku=externalSKU|sku~externalSKU status',
    number: 'quantity=quantity|qty~quantity|qty',
    time: 'at=createdDateTime|ins~ins expiresAt=expirationDateTime~expirationDateTime releasedAt=releasedDateTime',
  }),
  essentials: groups('reservationId stockId|stockNo gtin|sku quantity at'),
}

export const RESERVATION_ENDED: Shape = {
  ...RESERVATION_MADE,
  essentials: [...RESERVATION_MADE.essentials.slice(0, -1), ['releasedAt']],
}

const SALE_WITHOUT_CURRENCY = fields('spec', {
  text: 'receiptNo storeNo=store.storeExtId storeName=store.storeName posId=store.posId countryCode=store.address.countryCode',
  id: 'orderNo lines.rowId lines.gtin',
  time: 'createdAt=createdDateTime',
  number: 'total vatTotal lines.quantity lines.price lines.vat lines.vatRate=vatPercent payments.amount',
  any: 'customer',
  list: 'lines=orderLines payments=paymentLines',
  flag: 'lines.ships=shipFromOnlineStore',
})

const SALE_FIELDS: Shape['fields'] = {
  ...SALE_WITHOUT_CURRENCY,
  ...fields('spec', { text: 'lines.sku=externalSKU lines.name=name|receiptLabel payments.type' }),
  // Not a payment's: that is the tendered currency (spec, "POS settlement").
  currency: { names: ['store.currency'], is: 'currency', from: 'spec', otherwise: currencyOfPayments },
}

const GOODS_SOLD =
  'createdAt total currency storeNo|storeName|posId lines lines.gtin|lines.sku|lines.name lines.quantity lines.price'
const PAID = `${GOODS_SOLD} payments payments.amount`

const SALE: Shape = {
  shownBy: 'spec, "Sale payload"',
  fields: SALE_FIELDS,
  essentials: groups(`receiptNo ${PAID}`),
  // Unreadable VAT must not count as none.
  ifThere: ['vatTotal', 'lines.vat', 'lines.vatRate'],
}

/** Spec, Events 8. Without `ships` goods already taken home would be shipped. */
export const ENDLESS_AISLE: Shape = {
  ...SALE,
  shownBy: 'spec, "Sale payload" with fulfillmentLocation',
  essentials: [...SALE.essentials, ['lines.ships']],
}

/** Events 16: may have an order number only. */
const SALE_FROM_OUTSIDE: Shape = { ...guessed(SALE, 'SaleCreated'), essentials: groups(`receiptNo|orderNo ${PAID}`) }

const RECEIPT: Shape = {
  ...SALE,
  shownBy: 'spec, "Receipt webhook payload"',
  fields: {
    ...fields('spec', { text: 'channel recipient recipientName', any: 'signature=signatureInfo' }),
    ...nestedIn('sendReceipt', SALE_FIELDS),
  },
  essentials: groups(`channel recipient receiptNo ${PAID}`),
}

// A basket has its own number and no VAT before payment.
const { receiptNo: _receiptNo, vatTotal: _vatTotal, ...UNPAID } = guessed(SALE, '').fields

export const BASKET: Shape = {
  shownBy: 'no document; read like a sale that is not paid yet',
  fields: {
    ...UNPAID,
    number: { names: ['orderNo', 'basketId', 'basketGuid'], is: 'id', from: 'guess', inTurn: true },
    currency: { names: ['store.currency', 'currency'], is: 'currency', from: 'guess', inTurn: true },
    ...fields('guess', { id: 'storeId' }),
  },
  essentials: groups(`number ${GOODS_SOLD}`),
  ifThere: ['lines.ships', 'lines.vat', 'lines.vatRate'],
}

const STORE: Shape['fields'] = {
  ...fields('guess', {
    text: 'storeNo=storeExtId|storeNo|store.storeExtId posId=posId|store.posId countryCode=store.address.countryCode',
    id: 'storeId',
  }),
  currency: { names: ['currency', 'store.currency'], is: 'currency', from: 'guess', inTurn: true },
}

export const INVOICE: Shape = {
  shownBy: 'no document',
  fields: {
    ...STORE,
    ...fields('guess', {
      id: 'invoiceId=invoiceId|id number=invoiceNo customerId=customer.customerId',
      text: 'receiptNo companyName=customer.companyName firstName=customer.firstName lastName=customer.lastName email=customer.email',
      number: 'amount vatTotal',
      time: 'at=createdDateTime invoicedOn=invoiceDate dueOn=dueDate',
    }),
  },
  essentials: groups('invoiceId|number at|invoicedOn amount currency storeNo|posId'),
}

/** Events 23. The card's token is not read. */
export const GIFT_CARD: Shape = {
  shownBy:
    'no document; nearest: a card, and what is booked on one, of the API (public facts), both without a currency',
  fields: {
    ...STORE,
    ...fields('guess', {
      id: 'transactionId=transactionId|id giftCardId',
      text: 'type receiptNo',
      number: 'amount~amount balance',
      time: 'at=createdDateTime',
    }),
  },
  essentials: groups('transactionId at amount currency storeNo|posId'),
  misleading: {
    list: null,
    name: 'initialAmount',
    unless: 'transactionId',
    fields: ['transactionId', 'amount'],
    because: 'initialAmount is there: id and amount are those of the card, not of what happened with it',
  },
}

export const TERMINAL: Shape = {
  shownBy: 'no document',
  fields: {
    ...STORE,
    ...fields('guess', {
      id: 'reconciliationId=reconciliationId|id',
      text: 'terminalId schemes.scheme',
      number: 'amount count schemes.count schemes.amount',
      time: 'at=printedDateTime|createdDateTime',
      list: 'schemes',
    }),
  },
  essentials: groups('reconciliationId at amount currency storeNo|posId|terminalId'),
}

/** Events 19: totals alone are enough; the rest is read from the platform. */
const SETTLEMENT: Shape = {
  shownBy: 'public facts, and spec, "POS settlement", for the one that is pulled',
  fields: {
    ...fields('public', {
      id: 'settlementId',
      currency: 'currency',
      // Before the store's id: of two names that are as like, a proposed mapping takes the first.
      text: 'storeNo=storeNo|storeExtId posId',
      time: 'settledAt=settlementTimeStamp to=DateTimeTo',
      number: 'grandTotal',
    }),
    ...fields('public', { id: 'storeId' }),
  },
  essentials: groups('settlementId to|settledAt currency storeNo|storeId|posId'),
}

const ORDER_UPDATE: Shape = {
  shownBy: 'spec, "Omnichannel order update webhook payload"',
  fields: nestedIn('order', {
    ...fields('spec', {
      id: 'orderNo orderId=id stockId=fulfillmentLocation.stockId lines.rowId lines.gtin shipments.id shipments.items.gtin',
      text: 'status stockName=fulfillmentLocation.stockName lines.status',
      list: 'lines=orderLines shipments=fulfillmentLocation.shipments shipments.items',
      number: 'lines.quantity',
    }),
    ...fields('public', { id: 'shipments.items.rowId' }),
  }),
  essentials: groups('orderNo status'),
}

export const ORDER_FULFILLED: Shape = guessed(ORDER_UPDATE, 'OmniChannelOrderUpdated')

const REFUND_UPDATE: Shape = {
  shownBy: 'spec, "Refund update webhook payload"',
  fields: nestedIn(
    'refund',
    fields('spec', {
      id: 'orderNo refundId=id stockId=fulfillmentLocation.stockId lines.id lines.gtin',
      text: 'status stockName=fulfillmentLocation.stockName lines.status',
      flag: 'isRefunded',
      list: 'lines=orderLines',
      number: 'lines.quantity',
    }),
  ),
  essentials: groups('orderNo refundId isRefunded'),
}

const CUSTOMER: Shape = {
  shownBy: 'public facts, "CustomerCreated payload"',
  fields: fields('public', {
    id: 'customerId extId=customerExtId storeId=registeredStoreId',
    text: 'email firstName lastName companyName phone phoneCountryPrefix address=address1 postalCode city country=countryCode',
    time: 'updatedAt=updatedDateTime agreedAt=gdprUpdatedDateTime',
    flag: 'deleted agreedSendEmail agreedSendSms=agreedSendSMS',
  }),
  essentials: groups('customerId extId|email|firstName|lastName|companyName|phone'),
}

/** Events 2; may lack a change date. */
const NEW_CUSTOMER: Shape = {
  ...CUSTOMER,
  fields: { ...CUSTOMER.fields, ...fields('public', { time: 'createdAt=createdDateTime' }) },
}

export const SHAPES: ReadonlyMap<string, Shape> = new Map([
  ['SaleCreated', SALE],
  ['CustomerCreated', NEW_CUSTOMER],
  ['CustomerUpdated', CUSTOMER],
  ['DeliveryItemsReceived', DELIVERY_NOT_SHOWN],
  ['DeliveryCompleted', DELIVERY_NOT_SHOWN],
  ['InvoiceCreated', INVOICE],
  ['StockMovementCreated', MOVEMENT],
  ['OmniChannelEndlessAisleOrderCreated', ENDLESS_AISLE],
  ['OmniChannelOrderFulfilled', ORDER_FULFILLED],
  ['OmniChannelOrderRefundUpdated', REFUND_UPDATE],
  ['OmniChannelOrderUpdated', ORDER_UPDATE],
  ['ProductTransferCreated', TRANSFER_SENT],
  ['ProductTransferReceived', TRANSFER_RECEIVED],
  ['ProductTransferVirtualCreated', TRANSFER_SENT],
  ['ProductTransferVirtualReceived', TRANSFER_RECEIVED],
  ['SaleExternalCreated', SALE_FROM_OUTSIDE],
  ['StockAdjustmentCreated', ADJUSTMENT],
  ['StockCountReconciled', COUNT],
  ['POSSettlementCreated', SETTLEMENT],
  ['StockReservationCreated', RESERVATION_MADE],
  ['StockReservationExpired', RESERVATION_ENDED],
  ['BankterminalReconciliationPrinted', TERMINAL],
  ['GiftCardTransactionCreated', GIFT_CARD],
  ['SavedForOnlineCheckoutCreated', BASKET],
  ['OmniChannelSendReceiptCreated', RECEIPT],
  ['DeliveryCreated', DELIVERY],
  ['DeliveryUpdated', DELIVERY],
])

/** Kinds with guessed fields, in spec order. */
export const GUESSED_KINDS: readonly string[] = [...SHAPES]
  .filter(([, { fields }]) => Object.values(fields).some(({ from }) => from === 'guess'))
  .map(([kind]) => kind)
