import type { DeliveryLine, DeliveryMovement } from '../../domain/catalogue/goods.ts'
import type { KeptRow } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { compareDecimals, type Decimal, parseDecimal } from '../../domain/values/money.ts'
import { toStoreLocal } from '../../domain/values/store-time.ts'
import { readDelivery } from '../../payloads/goods.ts'
import type { DeliveryOrder } from '../../platform/areas/stock/deliveries.ts'
import { sentId } from '../../platform/http/written.ts'
import { wireNumber } from './handover.ts'
import { sameLines } from './same-lines.ts'

/** Where a stock is. */
export interface StockPlace {
  stockId: string
  zone: string
  /** Null: its stores have several, or none. */
  currency: string | null
}

/** A line as the mirror keeps it. */
type KeptLine = Pick<DeliveryLine, 'article' | 'gtin' | 'expected' | 'received'> & {
  cost: Decimal | null
  costCurrency: string | null
  /** Rows of earlier versions have none of these. */
  identifier?: string | null
  currentLevel?: Decimal | null
  movements?: (Omit<DeliveryMovement, 'cost'> & { cost: Decimal | null })[]
}

/** The list is asked by another clock than the one that writes the pushed ones: so much may lie between them (milliseconds). */
const SLACK = 120_000

/**
 * A delivery in the form in which it is pushed (spec, "Delivery webhook payload"). What the list does not say, and the mirror knows,
 * stays. What it alone says stands beside it: brand, season, totals and products; `orderType` and `orderStatus`, its codes; and `readDateTime`, when the hub asked.
 *
 * `readDateTime` is that of the question, less what clocks may differ by, so that what is pushed later goes before it, and what was
 * pushed before and comes late does not; but after what the mirror has, which says less.
 */
export function deliveryPayload(order: DeliveryOrder, place: StockPlace, known: KeptRow | null, readAt: Instant) {
  const { stockId, zone, currency } = place
  const body = known?.body ?? {}
  const { lineOf, alone, areOthers } = sameLines(linesOf(known), order.products)
  const isCompleted = order.completed ?? body.isCompleted === true
  const shown = Date.parse(`${toStoreLocal(readAt - SLACK, zone)}Z`)
  const at = new Date(Math.max(shown, (known?.version ?? 0) + 1)).toISOString().replace(/(\.000)?Z$/, '')
  return {
    stockId: sentId(stockId, 'stockId'),
    stockExtId: body.stockNo ?? null,
    companyId: body.companyId ?? null,
    isCompleted,
    products: [
      ...order.products.flatMap(({ gtin, confirmedQuantity, receivedQuantity, cost, ...product }) => {
        const line = gtin === null ? undefined : lineOf.get(gtin)
        if (gtin === null || !(line || areOthers)) return []
        return {
          // The list names sizes by their GTINs alone.
          identifier: line?.identifier ?? (line?.gtin === null ? line.article : gtin),
          gtin,
          ...product,
          quantityExpected: numberOf(confirmedQuantity),
          // Nothing has come as far as the list tells.
          quantityReceived: wireNumber(receivedQuantity ?? ZERO),
          ...costOf(cost, currency, line),
          ...bookedOf(line),
        }
      }),
      ...alone.map(namelessProduct),
    ],
    expectedDeliveryDate: body.expectedOn ?? null,
    orderId: sentId(order.orderId, 'orderId'),
    orderReference: body.reference ?? order.number,
    comment: body.comment ?? order.description,
    type: body.type ?? null,
    // The platform's own word, as long as nothing has ended since it was said; the code of the list is another word.
    status: isCompleted === (body.isCompleted === true) ? (body.status ?? null) : null,
    orderStatus: order.status,
    orderType: order.type,
    brand: order.brand,
    season: order.season,
    totalConfirmedQty: numberOf(order.confirmedQuantity),
    totalConfirmedCost: numberOf(order.confirmedCost),
    totalReceivedQty: numberOf(order.receivedQuantity),
    totalReceivedCost: numberOf(order.receivedCost),
    createdDateTime: order.orderDate,
    // The list does not say when it was changed.
    updatedDateTime: null,
    readDateTime: at,
  }
}

export type DeliveryPayload = ReturnType<typeof deliveryPayload>

/** Whether it says what the mirror does not: it is new, or completed now, or more of it has come. */
export function saysMore(payload: DeliveryPayload, known: KeptRow | null): boolean {
  if (known === null) return true
  if (payload.isCompleted && known.body.isCompleted !== true) return true
  const before = new Map(
    linesOf(known).flatMap((line) => [line.identifier ?? line.article, line.article].map((name) => [name, line])),
  )
  return readDelivery(payload).lines.some(({ article, identifier, received }) => {
    const line = before.get(article) ?? before.get(identifier ?? '')
    return compareDecimals(received, line?.received ?? ZERO) > 0
  })
}

/** The part of a delivery that may be news: the same again is none. */
export function newsIn(payload: DeliveryPayload): unknown {
  const { lines, isCompleted } = readDelivery(payload)
  return [isCompleted, lines.map(({ article, received }) => [article, received])]
}

function linesOf(known: KeptRow | null): KeptLine[] {
  return (known?.body.lines ?? []) as KeptLine[]
}

/** The list says 0 where nobody named a cost: goods are not booked for nothing. */
function costOf(cost: Decimal | null, currency: string | null, known: KeptLine | undefined) {
  if (cost !== null && cost !== '0' && currency !== null)
    return { costPrice: wireNumber(cost), costPriceCurrency: currency }
  return { costPrice: numberOf(known?.cost ?? null), costPriceCurrency: known?.costCurrency ?? null }
}

/** The list says neither what the stock has, nor what was booked in when. */
function bookedOf({ currentLevel = null, movements = [] }: Partial<KeptLine> = {}) {
  return {
    currentStockLevel: numberOf(currentLevel),
    stockMovements: movements.map(({ movementId, at, quantity, cost }) => ({
      movementId,
      createdDateTime: at,
      quantity: numberOf(quantity),
      costPrice: numberOf(cost),
    })),
  }
}

function namelessProduct({ article, expected, received, cost, costCurrency, ...line }: KeptLine) {
  return {
    identifier: article,
    gtin: null,
    quantityExpected: numberOf(expected),
    quantityReceived: wireNumber(received),
    costPrice: numberOf(cost),
    costPriceCurrency: costCurrency,
    ...bookedOf(line),
  }
}

function numberOf(decimal: Decimal | null) {
  return decimal === null ? null : wireNumber(decimal)
}

const ZERO = parseDecimal(0)
