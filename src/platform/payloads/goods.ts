import type {
  Delivery,
  DeliveryLine,
  GoodsLine,
  GoodsMovement,
  Reservation,
  StockAdjustment,
  StockCount,
  Transfer,
} from '../../domain/catalogue/goods.ts'
import type { Movement } from '../../domain/catalogue/mirror.ts'
import { statusWord } from '../../domain/orders/order-update.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { field, flag, idText, list, onceEach, text, texts } from '../../domain/values/field.ts'
import {
  compareDecimals,
  type Decimal,
  decimalOrNull,
  divideMoney,
  equalMoney,
  type Money,
  money,
  multiplyMoney,
  readDecimal,
  sumDecimals,
  sumMoney,
  ZERO,
} from '../../domain/values/money.ts'
import { ADJUSTMENT, COUNT, RESERVATION_MADE, TRANSFER_SENT } from './known/kinds.ts'
import { type FieldReader, fieldsOf } from './read-field.ts'

/** Throws a PermanentError `bad-delivery` naming what is missing. */
export const readDelivery = onceEach(readWhole)

function readWhole(payload: unknown): Delivery {
  const lines = list(payload, 'products').flatMap(readDeliveryLine)
  const total = (name: string) => decimalOrNull(field(payload, name))
  return {
    deliveryId: idText(payload, 'orderId') ?? lacks('orderId', 'delivery'),
    reference: text(payload, 'orderReference'),
    stockId: idText(payload, 'stockId'),
    companyId: idText(payload, 'companyId'),
    stockNo: text(payload, 'stockExtId'),
    ...texts(payload, 'type', 'status', 'comment', 'brand', 'season', 'orderType'),
    isCompleted: flag(payload, 'isCompleted') === true,
    expectedQuantity: total('totalConfirmedQty'),
    expectedCost: total('totalConfirmedCost'),
    receivedQuantity: total('totalReceivedQty'),
    receivedCost: total('totalReceivedCost'),
    expectedOn: text(payload, 'expectedDeliveryDate'),
    at: text(payload, 'updatedDateTime') ?? text(payload, 'readDateTime') ?? text(payload, 'createdDateTime'),
    lines: [...Map.groupBy(lines, ({ article }) => article).values()].map(together),
  }
}

export function identifiersOf(payload: unknown): Map<string, string[]> {
  const lines = Map.groupBy(list(payload, 'products').flatMap(readDeliveryLine), ({ article }) => article)
  const distinct = (all: readonly DeliveryLine[]) => [...new Set(all.flatMap(({ identifier }) => identifier ?? []))]
  return new Map([...lines].map(([article, all]) => [article, distinct(all)]))
}

function readDeliveryLine(line: unknown): DeliveryLine[] {
  const gtin = idText(line, 'gtin')
  const identifier = text(line, 'identifier')
  const article = gtin ?? identifier
  if (article === null) return []
  const decimal = (name: string) => readDecimal(line, name, () => lacks(`${name} as a number`, 'payload'))
  const currency = text(line, 'costPriceCurrency')
  const inCurrency = (cost: Decimal | null) => (cost === null || currency === null ? null : money(cost, currency))
  return [
    {
      ...{ article, gtin, identifier },
      ...texts(line, 'productId', 'name', 'number', 'variant', 'color', 'label', 'description'),
      expected: decimal('quantityExpected'),
      received: decimal('quantityReceived') ?? ZERO,
      cost: inCurrency(decimal('costPrice')),
      currentLevel: decimalOrNull(field(line, 'currentStockLevel')),
      movements: list(line, 'stockMovements').map((movement) => ({
        movementId: idText(movement, 'movementId'),
        at: text(movement, 'createdDateTime'),
        quantity: decimalOrNull(field(movement, 'quantity')),
        cost: inCurrency(decimalOrNull(field(movement, 'costPrice'))),
      })),
    },
  ]
}

function together(lines: readonly DeliveryLine[]): DeliveryLine {
  const [first] = lines
  if (!first) return lacks('an article', 'delivery')
  const expected = lines.flatMap(({ expected }) => expected ?? [])
  return {
    ...first,
    expected: expected.length < lines.length ? null : sumDecimals(expected),
    received: sumDecimals(lines.map(({ received }) => received)),
    cost: costOf(lines),
    currentLevel: lines.findLast(({ currentLevel }) => currentLevel !== null)?.currentLevel ?? null,
    movements: lines.flatMap(({ movements }) => movements),
  }
}

/** Of a piece, weighted by what has come, else by what is expected. Null: unknown, or in two currencies. */
function costOf(lines: readonly DeliveryLine[]): Money | null {
  const known = lines.flatMap(({ cost, ...line }) => (cost ? [{ ...line, cost }] : []))
  const [first, ...others] = known
  if (!first || others.every(({ cost }) => equalMoney(cost, first.cost))) return first?.cost ?? null
  const { currency } = first.cost
  if (others.some(({ cost }) => cost.currency !== currency)) return null
  for (const name of ['received', 'expected'] as const) {
    const pieces = sumDecimals(known.map((line) => line[name] ?? ZERO))
    const worth = known.map((line) => multiplyMoney(line.cost, line[name] ?? ZERO))
    if (compareDecimals(pieces, ZERO) > 0) return divideMoney(sumMoney(worth, currency), pieces)
  }
  return null
}

export function readStockCount(payload: unknown): StockCount {
  const read = fieldsOf(COUNT, payload)
  return {
    ...read.texts('countId', 'stockId', 'stockNo', 'description', 'countedAt', 'at'),
    isComplete: read.flag('isComplete'),
    items: eachOnce(read.list('items').flatMap(readLine)),
    movements: read.list('movements').flatMap(readGoodsMovement),
  }
}

function eachOnce(lines: readonly GoodsLine[]): GoodsLine[] {
  return [...Map.groupBy(lines, ({ gtin, sku }) => JSON.stringify([gtin, sku])).values()].flatMap(([first, ...rest]) =>
    first ? [{ ...first, quantity: sumDecimals([first, ...rest].map(({ quantity }) => quantity)) }] : [],
  )
}

export function readStockAdjustment(payload: unknown): StockAdjustment {
  const read = fieldsOf(ADJUSTMENT, payload)
  return {
    ...read.texts('adjustmentId', 'stockId', 'stockNo', 'reason', 'at'),
    items: read.list('items').flatMap(readLine),
    movements: read.list('movements').flatMap(readGoodsMovement),
  }
}

export function readTransfer(payload: unknown): Transfer {
  const read = fieldsOf(TRANSFER_SENT, payload)
  const sent = (row: FieldReader) => readLine(row).map((line) => ({ ...line, received: row.decimal('received') }))
  return {
    ...read.texts('transferId', 'fromStockId', 'fromStockNo', 'toStockId', 'toStockNo'),
    ...read.texts('status', 'sentAt', 'receivedAt'),
    lines: read.list('lines').flatMap(sent),
  }
}

export function readReservation(payload: unknown): Reservation {
  const read = fieldsOf(RESERVATION_MADE, payload)
  return {
    ...read.texts('reservationId', 'stockId', 'stockNo', 'gtin', 'sku', 'orderNo', 'at', 'expiresAt', 'releasedAt'),
    quantity: read.decimal('quantity'),
    status: statusWord(read.text('status')),
  }
}

function readLine(row: FieldReader): GoodsLine[] {
  const quantity = row.decimal('quantity')
  return quantity === null ? [] : [{ ...row.texts('gtin', 'sku'), quantity }]
}

function readGoodsMovement(row: FieldReader): GoodsMovement[] {
  return readLine(row).map((line) => ({
    ...row.texts('movementId', 'stockId'),
    ...line,
    type: movementTypeOf(row.text('type')),
    level: row.decimal('level'),
  }))
}

function lacks(what: string, whole: string): never {
  throw new PermanentError(`the ${whole} lacks ${what}`, { code: `bad-${whole}` })
}

const MOVEMENT_TYPES: Readonly<Record<string, string>> = {
  1: 'Sale',
  3: 'PurchaseOrderReceived',
  4: 'Relocation',
  5: 'Reconciliation',
}

const NAMES = [...Object.values(MOVEMENT_TYPES), 'Manual', 'Bestilling', 'Cancelled', 'PurchaseOrderOrdered']

/** Spec L489 and L150; unknown codes stay. */
export function movementTypeOf(written: string | null): string | null {
  if (written === null) return null
  const same = NAMES.find((name) => name.toLowerCase() === written.toLowerCase())
  return MOVEMENT_TYPES[Number(written)] ?? same ?? written
}

/** Spec, "StockMovementCreated". Throws a PermanentError `bad-movement` naming what is missing. */
export function readMovement(payload: unknown): Movement {
  const missing = (what: string) => lacks(what, 'movement')
  const quantity = readDecimal(payload, 'quantity', () => missing('quantity as a number'))
  return {
    movementId: idText(payload, 'movementId') ?? missing('movementId'),
    stockId: idText(payload, 'stockId') ?? missing('stockId'),
    stockNo: text(payload, 'stockExtId'),
    gtin: idText(payload, 'gtin'),
    sku: text(payload, 'sku'),
    type: movementTypeOf(text(payload, 'type')),
    quantity: quantity ?? missing('quantity'),
    // The movement counts even without its level.
    level: decimalOrNull(field(payload, 'stockLevel')),
    at: text(payload, 'createdDateTime'),
  }
}
