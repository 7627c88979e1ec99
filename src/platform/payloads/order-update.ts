import { ofOneOrder } from '../../domain/orders/order-facts.ts'
import {
  bothOf,
  mergedLines,
  type OrderLineUpdate,
  type OrderReturn,
  type OrderUpdate,
  type Shipment,
  statusWord,
} from '../../domain/orders/order-update.ts'
import { keyPart } from '../../domain/queue/event.ts'
import { field, flag, idText, list, onceEach, text } from '../../domain/values/field.ts'
import { compareDecimals, type Decimal, decimalOrNull, parseDecimal, ZERO } from '../../domain/values/money.ts'

export const readOrderUpdate = onceEach(readUpdate)
export const readOrderReturn = onceEach(readReturn)

export function platformIdOf(payload: unknown): string | null {
  return idText(field(payload, 'order'), 'id')
}

function readUpdate(payload: unknown): OrderUpdate | null {
  const order = field(payload, 'order')
  const number = idText(order, 'orderNo')
  const status = statusOf(order)
  if (number === null || status === null) return null
  const place = field(order, 'fulfillmentLocation')
  const shipments = field(place, 'shipments')
  return {
    number,
    platformId: platformIdOf(payload),
    status,
    shipments: Array.isArray(shipments) ? readShipments(shipments, list(order, 'orderLines')) : null,
    lines: readLines(order, 'rowId'),
    stockId: idText(place, 'stockId'),
    stockName: text(place, 'stockName'),
  }
}

function readReturn(payload: unknown): OrderReturn | null {
  const refund = field(payload, 'refund')
  const number = idText(refund, 'orderNo')
  const refundId = idText(refund, 'id')
  const isRefunded = flag(refund, 'isRefunded')
  if (number === null || refundId === null || isRefunded === null) return null
  const place = field(refund, 'fulfillmentLocation')
  return {
    number,
    refundId,
    status: statusOf(refund),
    isRefunded,
    lines: mergedLines(readLines(refund, 'id')),
    stockId: idText(place, 'stockId'),
    stockName: text(place, 'stockName'),
  }
}

/** Items without GTIN take their line's. An unreadable item makes the parcel unread: no part may be reported. */
function readShipments(shipments: readonly unknown[], lines: readonly unknown[]): Shipment[] {
  const rows = Map.groupBy(lines, (line) => idText(line, 'rowId'))
  const articleOf = (item: unknown): string | null => {
    const rowId = idText(item, 'rowId')
    const [article, ...others] =
      rowId === null ? [] : new Set((rows.get(rowId) ?? []).map((line) => idText(line, 'gtin')))
    return idText(item, 'gtin') ?? (others.length === 0 ? (article ?? null) : null)
  }
  return shipments.map((shipment, index) => {
    const id = idText(shipment, 'id')
    const counted = Map.groupBy(list(shipment, 'items'), articleOf)
    if (id === null || counted.has(null)) return { id: id ?? `parcel-${index + 1}`, items: [] }
    return {
      id,
      items: [...counted].flatMap(([gtin, all]) => (gtin === null ? [] : { gtin, quantity: parseDecimal(all.length) })),
    }
  })
}

function statusOf(value: unknown): string | null {
  return statusWord(text(value, 'status'))
}

function readLines(order: unknown, id: 'rowId' | 'id'): OrderLineUpdate[] {
  const byKey = new Map<string, OrderLineUpdate>()
  for (const [index, line] of list(order, 'orderLines').entries()) {
    const rowId = idText(line, id)
    const gtin = idText(line, 'gtin')
    const status = statusOf(line)
    const key = keyPart(rowId ?? gtin ?? `line-${index + 1}`)
    const same = `${key}/${status ?? ''}`
    const before = byKey.get(same)
    const quantity = quantityOf(line)
    const sum = before ? bothOf(before.quantity, quantity) : quantity
    byKey.set(same, { key, rowId, gtin, quantity: sum, status })
  }
  return [...byKey.values()]
}

function quantityOf(line: unknown): Decimal | null {
  const quantity = decimalOrNull(field(line, 'quantity'))
  return quantity !== null && compareDecimals(quantity, ZERO) > 0 ? quantity : null
}

/** Two orders may share a number, and not all events have the platform's id: effects carry both names. */

interface Event {
  payload: unknown
}

interface Named {
  effect?: string
  keyByNumber?: string
  unless?: readonly string[]
}

export function stepsOfOne<E extends Event, Step extends Named>(plan: (event: E) => Step[]): (event: E) => Step[] {
  return (event) => {
    const platformId = platformIdOf(event.payload)
    const steps = plan(event)
    return platformId === null ? steps : steps.map((step) => stepOfOne(step, platformId))
  }
}

export function factsOfOne<E extends Event>(proves: (event: E) => string[]): (event: E) => string[] {
  return (event) => {
    const platformId = platformIdOf(event.payload)
    const facts = proves(event)
    return platformId === null ? facts : [...facts, ...facts.map((fact) => ofOneOrder(fact, platformId))]
  }
}

function stepOfOne<Step extends Named>(step: Step, platformId: string): Step {
  const { effect, unless = [] } = step
  const own = unless.map((fact) => ofOneOrder(fact, platformId))
  return {
    ...step,
    ...(effect !== undefined && { effect: ofOneOrder(effect, platformId), keyByNumber: effect }),
    unless: [...own, ...unless],
  }
}
