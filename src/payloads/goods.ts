import type {
  Delivery,
  DeliveryLine,
  DeliveryMovement,
  GoodsLine,
  GoodsMovement,
  Reservation,
  StockAdjustment,
  StockCount,
  Transfer,
} from '../domain/catalogue/goods.ts'
import type { Movement } from '../domain/catalogue/mirror.ts'
import { statusWord } from '../domain/orders/order-update.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { flag, idText, list, onceEach, text } from '../domain/values/field.ts'
import { type Decimal, money, parseDecimal, readDecimal, sumDecimals } from '../domain/values/money.ts'
import { ADJUSTMENT, COUNT, RESERVATION_MADE, TRANSFER_SENT } from './known/goods.ts'
import { type FieldReader, fieldsOf, orNothing } from './read-field.ts'

/** Throws a PermanentError `bad-delivery` naming what is missing. */
export const readDelivery = onceEach(readWhole)

function readWhole(payload: unknown): Delivery {
  const lines = list(payload, 'products').flatMap(readDeliveryLine)
  return {
    deliveryId: idText(payload, 'orderId') ?? lacks('orderId', 'delivery'),
    reference: text(payload, 'orderReference'),
    stockId: idText(payload, 'stockId'),
    stockNo: text(payload, 'stockExtId'),
    companyId: idText(payload, 'companyId'),
    type: text(payload, 'type'),
    status: text(payload, 'status'),
    isCompleted: flag(payload, 'isCompleted') === true,
    comment: text(payload, 'comment'),
    brand: text(payload, 'brand'),
    season: text(payload, 'season'),
    orderType: text(payload, 'orderType'),
    expectedQuantity: totalIn(payload, 'totalConfirmedQty'),
    expectedCost: totalIn(payload, 'totalConfirmedCost'),
    receivedQuantity: totalIn(payload, 'totalReceivedQty'),
    receivedCost: totalIn(payload, 'totalReceivedCost'),
    expectedOn: text(payload, 'expectedDeliveryDate'),
    // `readDateTime`: only in the platform's list.
    at: text(payload, 'updatedDateTime') ?? text(payload, 'readDateTime') ?? text(payload, 'createdDateTime'),
    lines: [...Map.groupBy(lines, ({ article }) => article).values()].map(together),
  }
}

export function identifiersOf(payload: unknown): Map<string, string[]> {
  const lines = Map.groupBy(list(payload, 'products').flatMap(readDeliveryLine), ({ article }) => article)
  return new Map(
    [...lines].map(([article, all]) => [article, [...new Set(all.flatMap(({ identifier }) => identifier ?? []))]]),
  )
}

function readDeliveryLine(line: unknown): DeliveryLine[] {
  const gtin = idText(line, 'gtin')
  const identifier = text(line, 'identifier')
  const article = gtin ?? identifier
  if (article === null) return []
  const cost = decimal(line, 'costPrice')
  const currency = text(line, 'costPriceCurrency')
  return [
    {
      article,
      gtin,
      identifier,
      productId: text(line, 'productId'),
      name: text(line, 'name'),
      number: text(line, 'number'),
      variant: text(line, 'variant'),
      color: text(line, 'color'),
      label: text(line, 'label'),
      description: text(line, 'description'),
      expected: decimal(line, 'quantityExpected'),
      received: decimal(line, 'quantityReceived') ?? ZERO,
      cost: cost === null || currency === null ? null : money(cost, currency),
      currentLevel: orNothing(() => readDecimal(line, 'currentStockLevel')),
      movements: list(line, 'stockMovements').map((one) => readDeliveryMovement(one, currency)),
    },
  ]
}

function totalIn(payload: unknown, name: string): Decimal | null {
  return orNothing(() => readDecimal(payload, name))
}

function readDeliveryMovement(movement: unknown, currency: string | null): DeliveryMovement {
  const cost = orNothing(() => readDecimal(movement, 'costPrice'))
  return {
    movementId: idText(movement, 'movementId'),
    at: text(movement, 'createdDateTime'),
    quantity: orNothing(() => readDecimal(movement, 'quantity')),
    cost: cost === null || currency === null ? null : money(cost, currency),
  }
}

function together(lines: readonly DeliveryLine[]): DeliveryLine {
  const [first] = lines
  if (!first) return lacks('an article', 'delivery')
  const expected = lines.flatMap(({ expected }) => expected ?? [])
  return {
    ...first,
    expected: expected.length < lines.length ? null : sumDecimals(expected),
    received: sumDecimals(lines.map(({ received }) => received)),
    cost: lines.findLast(({ cost }) => cost !== null)?.cost ?? null,
    currentLevel: lines.findLast(({ currentLevel }) => currentLevel !== null)?.currentLevel ?? null,
    movements: lines.flatMap(({ movements }) => movements),
  }
}

export function readStockCount(payload: unknown): StockCount {
  const read = fieldsOf(COUNT, payload)
  return {
    countId: read.text('countId'),
    stockId: read.text('stockId'),
    stockNo: read.text('stockNo'),
    description: read.text('description'),
    isComplete: read.flag('isComplete'),
    countedAt: read.text('countedAt'),
    at: read.text('at'),
    items: eachOnce(read.list('items').flatMap(readLine)),
    movements: read.list('movements').flatMap(readGoodsMovement),
  }
}

/** Rows of one article are counts of different places. */
function eachOnce(lines: readonly GoodsLine[]): GoodsLine[] {
  return [...Map.groupBy(lines, ({ gtin, sku }) => JSON.stringify([gtin, sku])).values()].flatMap(([first, ...rest]) =>
    first ? [{ ...first, quantity: sumDecimals([first, ...rest].map(({ quantity }) => quantity)) }] : [],
  )
}

export function readStockAdjustment(payload: unknown): StockAdjustment {
  const read = fieldsOf(ADJUSTMENT, payload)
  return {
    adjustmentId: read.text('adjustmentId'),
    stockId: read.text('stockId'),
    stockNo: read.text('stockNo'),
    reason: read.text('reason'),
    at: read.text('at'),
    items: read.list('items').flatMap(readLine),
    movements: read.list('movements').flatMap(readGoodsMovement),
  }
}

export function readTransfer(payload: unknown): Transfer {
  const read = fieldsOf(TRANSFER_SENT, payload)
  return {
    transferId: read.text('transferId'),
    fromStockId: read.text('fromStockId'),
    fromStockNo: read.text('fromStockNo'),
    toStockId: read.text('toStockId'),
    toStockNo: read.text('toStockNo'),
    status: read.text('status'),
    sentAt: read.text('sentAt'),
    receivedAt: read.text('receivedAt'),
    lines: read
      .list('lines')
      .flatMap((row) => readLine(row).map((line) => ({ ...line, received: row.decimal('received') }))),
  }
}

export function readReservation(payload: unknown): Reservation {
  const read = fieldsOf(RESERVATION_MADE, payload)
  return {
    reservationId: read.text('reservationId'),
    stockId: read.text('stockId'),
    stockNo: read.text('stockNo'),
    gtin: read.text('gtin'),
    sku: read.text('sku'),
    quantity: read.decimal('quantity'),
    orderNo: read.text('orderNo'),
    status: statusWord(read.text('status')),
    at: read.text('at'),
    expiresAt: read.text('expiresAt'),
    releasedAt: read.text('releasedAt'),
  }
}

function readLine(row: FieldReader): GoodsLine[] {
  const quantity = row.decimal('quantity')
  return quantity === null ? [] : [{ gtin: row.text('gtin'), sku: row.text('sku'), quantity }]
}

function readGoodsMovement(row: FieldReader): GoodsMovement[] {
  const quantity = row.decimal('quantity')
  if (quantity === null) return []
  return [
    {
      movementId: row.text('movementId'),
      stockId: row.text('stockId'),
      gtin: row.text('gtin'),
      sku: row.text('sku'),
      type: movementTypeOf(row.text('type')),
      quantity,
      level: row.decimal('level'),
    },
  ]
}

function decimal(payload: unknown, name: string): Decimal | null {
  return readDecimal(payload, name, () => lacks(`${name} as a number`, 'payload'))
}

const ZERO = parseDecimal(0)

function lacks(what: string, whole: string): never {
  throw new PermanentError(`the ${whole} lacks ${what}`, { code: `bad-${whole}` })
}

const MOVEMENT_TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'Sale'],
  [3, 'PurchaseOrderReceived'],
  [4, 'Relocation'],
  [5, 'Reconciliation'],
])

const NAMES = [...MOVEMENT_TYPES.values(), 'Manual', 'Bestilling', 'Cancelled', 'PurchaseOrderOrdered']

export function movementTypeOf(written: string | null): string | null {
  if (written === null) return null
  const named = MOVEMENT_TYPES.get(Number(written))
  if (named !== undefined) return named
  const same = NAMES.find((name) => name.toLowerCase() === written.toLowerCase())
  return same ?? written
}

/** Spec, "StockMovementCreated". Throws a PermanentError `bad-movement` naming what is missing. */
export function readMovement(payload: unknown): Movement {
  return {
    movementId: idText(payload, 'movementId') ?? movementLacks('movementId'),
    stockId: idText(payload, 'stockId') ?? movementLacks('stockId'),
    stockNo: text(payload, 'stockExtId'),
    gtin: idText(payload, 'gtin'),
    sku: text(payload, 'sku'),
    type: movementTypeOf(text(payload, 'type')),
    quantity: movementDecimal(payload, 'quantity') ?? movementLacks('quantity'),
    // The movement counts even without its level.
    level: orNothing(() => readDecimal(payload, 'stockLevel')),
    at: text(payload, 'createdDateTime'),
  }
}

function movementDecimal(payload: unknown, name: string): Decimal | null {
  return readDecimal(payload, name, () => movementLacks(`${name} as a number`))
}

function movementLacks(what: string): never {
  throw new PermanentError(`the movement lacks ${what}`, { code: 'bad-movement' })
}
