import { argumentOf, type Input, listOf, numberOf, textOf, textOrNull } from './argument.ts'
import type { Books } from './books.ts'
import { GraphqlFault, type Refused, refused } from './fault.ts'
import { type Order, unfulfilled } from './order.ts'
import type { Fulfilment, Line, Variant } from './records.ts'
import { followFulfilments, moveOrder } from './states.ts'
import { allocate, take } from './stock.ts'

const NEXT: Readonly<Record<string, readonly string[]>> = {
  Pending: ['Shipped', 'Delivered', 'Cancelled'],
  Shipped: ['Delivered', 'Cancelled'],
  Delivered: ['Cancelled'],
}

interface Wanted {
  line: Line
  quantity: number
}

export function createGoods(books: Books) {
  /** Lines of an input, of whichever order they are. */
  function linesOf(input: Input): Wanted[] {
    return listOf(input, 'lines').map((one) => {
      const id = textOf(one, 'orderLineId')
      const line = books.orders.map((order) => order.line(id)).find((found) => found !== undefined)
      if (!line) throw new GraphqlFault("Cannot read properties of undefined (reading 'id')", null)
      return { line, quantity: numberOf(one, 'quantity') }
    })
  }

  return {
    addFulfillmentToOrder(given: Input): Fulfilment | Refused {
      const input = argumentOf(given, 'input')
      const lines = linesOf(input)
      const handler = argumentOf(input, 'handler')
      if (lines.length === 0) return refused('EmptyOrderLineSelectionError')
      if (handler.code !== 'manual-fulfillment') return refused('InvalidFulfillmentHandlerError')
      if (lines.some(({ line, quantity }) => quantity > unfulfilled(line))) return refused('ItemsAlreadyFulfilledError')
      if (lines.some(({ line, quantity }) => onHand(line.productVariant) < quantity))
        return refused('InsufficientStockOnHandError')
      const texts = new Map(listOf(handler, 'arguments').map((one) => [textOf(one, 'name'), textOf(one, 'value')]))
      if (!texts.has('method'))
        throw new GraphqlFault('SqliteError: NOT NULL constraint failed: fulfillment.method', null)
      const trackingCode = texts.get('trackingCode') ?? null
      const fulfillment = { id: books.nextId(), updatedAt: new Date().toISOString(), state: 'Pending', trackingCode }
      for (const { line, quantity } of lines) {
        line.fulfillmentLines.push({ quantity, fulfillment })
        take(line.productVariant, quantity)
        for (const order of books.orders)
          if (order.line(line.id) && !order.fulfillments.includes(fulfillment)) order.fulfillments.push(fulfillment)
      }
      return fulfillment
    },
    transitionFulfillmentToState(given: Input): Fulfilment | Refused {
      const { order, fulfilment } = books.fulfilment(textOf(given, 'id'))
      const state = textOf(given, 'state')
      if (!NEXT[fulfilment.state]?.includes(state)) return refused('FulfillmentStateTransitionError')
      fulfilment.state = state
      fulfilment.updatedAt = new Date().toISOString()
      followFulfilments(order)
      return fulfilment
    },
    cancelOrder(given: Input): Order | Refused {
      const input = argumentOf(given, 'input')
      const order = books.order(textOf(input, 'orderId'))
      const lines = input.lines ? linesOf(input) : order.lines.map((line) => ({ line, quantity: line.quantity }))
      if (lines.reduce((sum, { quantity }) => sum + quantity, 0) === 0) return refused('EmptyOrderLineSelectionError')
      if (lines.some(({ line }) => !order.line(line.id))) return refused('MultipleOrderError')
      if (lines.some(({ line, quantity }) => quantity > line.quantity)) return refused('QuantityTooGreatError')
      for (const { line, quantity } of lines) {
        allocate(line.productVariant, -Math.min(quantity, unfulfilled(line)))
        line.quantity -= quantity
      }
      const cancelled = lines.map(({ line, quantity }) => ({ orderLineId: line.id, quantity }))
      const data = { lines: cancelled, reason: textOrNull(input, 'reason') }
      order.entries.push({ type: 'ORDER_CANCELLATION', isPublic: true, data })
      order.updatedAt = new Date().toISOString()
      return order.lines.every(({ quantity }) => quantity === 0) ? moveOrder(order, 'Cancelled') : order
    },
    updateProductVariants(given: Input): Variant[] {
      const all = listOf(given, 'input').map((one) => ({ variant: books.variant(textOf(one, 'id')), one }))
      for (const { variant, one } of all)
        for (const wanted of listOf(one, 'stockLevels')) {
          const id = textOf(wanted, 'stockLocationId')
          const level = variant.stockLevels.find(({ stockLocationId }) => stockLocationId === id)
          if (!level) throw new GraphqlFault('SqliteError: FOREIGN KEY constraint failed', null)
          level.stockOnHand = numberOf(wanted, 'stockOnHand')
        }
      return all.map(({ variant }) => variant)
    },
  }
}

function onHand({ stockLevels }: Variant): number {
  return stockLevels.reduce((sum, { stockOnHand }) => sum + stockOnHand, 0)
}
