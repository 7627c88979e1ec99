import { currency, flag, guessed, id, list, near, number, type Shape, text, time } from './from.ts'

const IN_STOCK = ['stockId', 'stockNo']

/** Spec, "Stock movement webhook payload". */
export const MOVEMENT: Shape = {
  shownBy: 'spec, "Stock movement webhook payload"',
  fields: {
    movementId: id('spec', 'movementId'),
    stockId: id('spec', 'stockId'),
    stockNo: text('spec', 'stockExtId'),
    gtin: id('spec', 'gtin'),
    sku: text('spec', 'sku'),
    type: text('spec', 'type'),
    quantity: number('spec', 'quantity'),
    level: number('spec', 'stockLevel'),
    at: time('spec', 'createdDateTime'),
  },
  essentials: [['movementId'], ['at'], ['stockId'], ['gtin', 'sku'], ['quantity']],
}

/** Spec, "Delivery webhook payload". */
export const DELIVERY: Shape = {
  shownBy: 'spec, "Delivery webhook payload"',
  fields: {
    deliveryId: id('spec', 'orderId'),
    reference: text('spec', 'orderReference'),
    stockId: id('spec', 'stockId'),
    stockNo: text('spec', 'stockExtId'),
    type: text('spec', 'type'),
    status: text('spec', 'status'),
    isCompleted: flag('spec', 'isCompleted'),
    at: time('spec', 'updatedDateTime', 'createdDateTime'),
    expectedOn: time('spec', 'expectedDeliveryDate'),
    comment: text('spec', 'comment'),
    lines: list('spec', 'products'),
    'lines.gtin': id('spec', 'gtin'),
    'lines.identifier': text('spec', 'identifier'),
    'lines.expected': number('spec', 'quantityExpected'),
    'lines.received': number('spec', 'quantityReceived'),
    'lines.cost': number('spec', 'costPrice'),
    'lines.costCurrency': currency('spec', 'costPriceCurrency'),
  },
  essentials: [['deliveryId'], ['at'], IN_STOCK, ['lines'], ['lines.gtin', 'lines.identifier'], ['lines.received']],
  ifThere: ['lines.expected', 'lines.cost', 'lines.costCurrency'],
}

/** Events 4 and 5. */
export const DELIVERY_NOT_SHOWN: Shape = guessed(DELIVERY, 'DeliveryUpdated')

const STOCK: Shape['fields'] = {
  stockId: id('guess', 'stockId'),
  stockNo: text('guess', 'stockExtId'),
  at: time('guess', 'createdDateTime'),
}

const COUNTED: Shape['fields'] = {
  items: list('guess', 'items'),
  'items.gtin': near(id('guess', 'gtin'), 'gtin'),
  'items.sku': text('guess', 'sku', 'externalSKU'),
  'items.quantity': near(number('guess', 'quantity', 'qty'), 'qty'),
  movements: list('guess', 'stockMovements'),
  'movements.movementId': id('guess', 'movementId'),
  'movements.stockId': id('guess', 'stockId'),
  'movements.gtin': id('guess', 'gtin'),
  'movements.sku': text('guess', 'sku', 'externalSKU'),
  'movements.type': text('guess', 'type'),
  'movements.quantity': number('guess', 'quantity'),
  'movements.level': number('guess', 'stockLevel'),
}

const ITEMS = [['items'], ['items.gtin', 'items.sku'], ['items.quantity'], ['movements.quantity']]

/** Events 18: contents documented, names not. */
export const COUNT: Shape = {
  shownBy:
    'nobody; its two times and its contents are named in the spec, Events 18; nearest: a batch of counts of the API (public facts)',
  fields: {
    ...STOCK,
    ...COUNTED,
    stockId: near(id('guess', 'stockId'), 'stockId'),
    stockNo: near(text('guess', 'stockExtId'), 'extStockId'),
    items: near(list('guess', 'items'), 'countDetails'),
    'items.sku': near(text('guess', 'sku', 'externalSKU'), 'externalSKU'),
    countId: near(id('guess', 'stockCountId', 'id'), 'stockCountId'),
    description: near(text('guess', 'description', 'name'), 'name'),
    isComplete: flag('guess', 'isCompleteStockCount'),
    countedAt: near(time('spec', 'countedDateTime'), 'dateCounted'),
  },
  essentials: [['countId'], ['countedAt', 'at'], IN_STOCK, ...ITEMS],
  misleading: {
    list: 'items',
    name: 'isValid',
    value: false,
    fields: ['items'],
    because: 'isValid is false: whether such a row counts is not known',
  },
}

/** Events 17. */
export const ADJUSTMENT: Shape = {
  shownBy: 'nobody; nearest: a correction that the API takes (public facts)',
  fields: {
    ...STOCK,
    ...COUNTED,
    stockId: near(id('guess', 'stockId'), 'stockId'),
    items: near(list('guess', 'items'), 'orderLines'),
    adjustmentId: id('guess', 'adjustmentId', 'id'),
    reason: near(text('guess', 'reason', 'description'), 'comment'),
  },
  essentials: [['adjustmentId'], ['at'], IN_STOCK, ...ITEMS],
}

/** `extRef` is no id: senders may omit or repeat it. */
const TRANSFER_FIELDS: Shape['fields'] = {
  transferId: id('guess', 'transferId', 'id'),
  fromStockId: near(id('guess', 'fromStockId'), 'stockId'),
  fromStockNo: text('guess', 'fromStockExtId'),
  toStockId: near(id('guess', 'toStockId'), 'toStockId'),
  toStockNo: text('guess', 'toStockExtId'),
  status: text('guess', 'status'),
  sentAt: time('guess', 'createdDateTime'),
  receivedAt: time('guess', 'receivedDateTime'),
  lines: near(list('guess', 'products'), 'productLines'),
  'lines.gtin': near(id('guess', 'gtin'), 'gtin'),
  'lines.sku': text('guess', 'sku', 'externalSKU'),
  'lines.quantity': near(number('guess', 'quantity', 'qty'), 'qty'),
  'lines.received': number('guess', 'quantityReceived'),
}

const BETWEEN = [
  ['transferId'],
  ['fromStockId', 'fromStockNo'],
  ['toStockId', 'toStockNo'],
  ['lines'],
  ['lines.gtin', 'lines.sku'],
  ['lines.quantity'],
]

const TRANSFER_SHOWN_BY = 'nobody; nearest: a transfer that the API takes (public facts)'

/** Events 12 and 14. */
export const TRANSFER_SENT: Shape = {
  shownBy: TRANSFER_SHOWN_BY,
  fields: TRANSFER_FIELDS,
  essentials: [...BETWEEN, ['sentAt']],
}

/** Events 13 and 15. */
export const TRANSFER_RECEIVED: Shape = {
  shownBy: TRANSFER_SHOWN_BY,
  fields: TRANSFER_FIELDS,
  essentials: [...BETWEEN, ['receivedAt'], ['lines.received']],
}

const RESERVATION_FIELDS: Shape['fields'] = {
  ...STOCK,
  stockId: near(id('guess', 'stockId'), 'stockId', 'stockidFk'),
  reservationId: near(id('guess', 'id', 'reservationId'), 'id', 'stockreservationId', 'reservationGuid'),
  gtin: near(id('guess', 'gtin'), 'gtin'),
  sku: near(text('guess', 'externalSKU', 'sku'), 'externalSKU'),
  quantity: near(number('guess', 'quantity', 'qty'), 'quantity', 'qty'),
  orderNo: near(id('guess', 'extId'), 'extId'),
  status: text('guess', 'status'),
  at: near(time('guess', 'createdDateTime', 'ins'), 'ins'),
  expiresAt: near(time('guess', 'expirationDateTime'), 'expirationDateTime'),
  releasedAt: time('guess', 'releasedDateTime'),
}

const KEPT = [['reservationId'], IN_STOCK, ['gtin', 'sku'], ['quantity']]
const RESERVATION_SHOWN_BY = 'nobody; nearest: a reservation of the API (public facts)'

/** Events 20. */
export const RESERVATION_MADE: Shape = {
  shownBy: RESERVATION_SHOWN_BY,
  fields: RESERVATION_FIELDS,
  essentials: [...KEPT, ['at']],
}

/** Events 21. */
export const RESERVATION_ENDED: Shape = {
  shownBy: RESERVATION_SHOWN_BY,
  fields: RESERVATION_FIELDS,
  essentials: [...KEPT, ['releasedAt']],
}
