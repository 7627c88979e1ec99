import { type Books, countryOf, customerFrom, type ServiceCall } from './books.ts'
import {
  argumentOf,
  filterBy,
  GraphqlFault,
  type Input,
  listed,
  listOf,
  notFound,
  numberOf,
  type Refused,
  refused,
  textOf,
  textOrNull,
} from './graphql.ts'
import {
  type Address,
  allocate,
  type Customer,
  type CustomerNote,
  type Fulfilment,
  followFulfilments,
  type Line,
  moveOrder,
  movePayment,
  newLine,
  type Order,
  type OrderAddress,
  type Payment,
  type Refund,
  refundedOf,
  saleable,
  take,
  unfulfilled,
  type Variant,
} from './order.ts'

export function createQueries(books: Books) {
  return {
    order: (given: Input) => books.orders.find(({ id }) => id === textOf(given, 'id')) ?? null,
    orders: (given: Input) => listed(books.orders, given.options),
    eligibleShippingMethodsForDraftOrder(given: Input) {
      books.order(textOf(given, 'orderId'))
      return books.shippingMethods
    },
    paymentMethods: (given: Input) => listed(books.paymentMethods, given.options),
    productVariants: (given: Input) => listed(books.variants, given.options),
    globalSettings: () => books.settings,
    stockLocations: (given: Input) => listed(books.locations, given.options),
    customers(given: Input) {
      const { items, totalItems } = listed(books.customers, given.options)
      return { items: items.map(withHistory), totalItems }
    },
  }
}

function withHistory(customer: Customer): object {
  return {
    ...customer,
    history: ({ options }: Input) => ({ items: filterBy(customer.notes, argumentOf(options, 'filter')) }),
  }
}

/** Fields of mutations that make an order out of nothing. */
export function createDrafts(books: Books) {
  function draft(given: Input): Order {
    const order = books.order(textOf(given, 'orderId'))
    if (order.state === 'Draft') return order
    throw new GraphqlFault('The order is no draft', 'ILLEGAL_OPERATION')
  }

  return {
    createDraftOrder: () => books.addOrder(),
    deleteDraftOrder(given: Input) {
      const id = textOf(given, 'orderId')
      const index = books.orders.findIndex((order) => order.id === id && order.state === 'Draft')
      if (index >= 0) books.orders.splice(index, 1)
      return { result: index >= 0 ? 'DELETED' : 'NOT_DELETED' }
    },
    setDraftOrderCustomFields(given: Input) {
      const order = draft(given)
      Object.assign(order.customFields, argumentOf(given.input, 'customFields'))
      return order
    },
    addItemToDraftOrder(given: Input): Order | Refused {
      const order = draft(given)
      const variant = books.variant(textOf(given.input, 'productVariantId'))
      const wanted = numberOf(given.input, 'quantity')
      if (wanted < 0) return refused('NegativeQuantityError')
      const before = order.lines.find(({ productVariant }) => productVariant === variant)
      const quantity = Math.min(wanted, Math.max(0, saleable(variant) - (before?.quantity ?? 0)))
      if (before) before.quantity += quantity
      else if (quantity > 0) order.lines.push(newLine(books.nextId(), variant, quantity))
      return quantity < wanted ? refused('InsufficientStockError', { quantityAvailable: quantity }) : order
    },
    setCustomerForDraftOrder(given: Input): Order | Refused {
      const order = draft(given)
      const id = textOrNull(given, 'customerId')
      const known = books.customers.find((customer) => customer.id === id)
      if (id !== null && !known) throw new GraphqlFault('No customer with this id was found', 'USER_INPUT_ERROR')
      order.customer = known ?? customerFrom(books, argumentOf(given, 'input'))
      return order
    },
    setDraftOrderShippingAddress(given: Input) {
      const order = draft(given)
      order.shippingAddress = addressFrom(argumentOf(given, 'input'))
      return order
    },
    setDraftOrderBillingAddress(given: Input) {
      const order = draft(given)
      order.billingAddress = addressFrom(argumentOf(given, 'input'))
      return order
    },
    setDraftOrderShippingMethod(given: Input): Order | Refused {
      const order = draft(given)
      const id = textOf(given, 'shippingMethodId')
      const shippingMethod = books.shippingMethods.find((method) => method.id === id)
      if (!shippingMethod) return refused('IneligibleShippingMethodError')
      order.shippingLines = [{ shippingMethod }]
      return order
    },
  }
}

function addressFrom(input: Input): OrderAddress {
  const names = ['fullName', 'company', 'streetLine1', 'streetLine2', 'city', 'province', 'postalCode', 'phoneNumber']
  const countryCode = textOf(input, 'countryCode')
  const written = Object.fromEntries(names.map((name) => [name, textOrNull(input, name)]))
  return { ...written, countryCode, country: countryOf(countryCode) }
}

const BEFORE_REFUNDS = new Set(['AddingItems', 'ArrangingPayment', 'PaymentAuthorized'])

export function createPayments(books: Books) {
  function isRefused(call: ServiceCall): boolean {
    const index = books.refusals.indexOf(call)
    if (index < 0) return false
    books.refusals.splice(index, 1)
    return true
  }

  /** A payment method without a service leaves its refunds to people. */
  function refund(payment: Payment, total: number, given: Pick<Refund, 'reason' | 'lines'>): Refund {
    const hasService = books.paymentMethods.some(({ code }) => code === payment.method)
    const id = books.nextId()
    const done = { ...given, id, total, state: 'Pending', transactionId: null }
    const answered = isRefused('createRefund') ? { state: 'Failed' } : { state: 'Settled', transactionId: `back-${id}` }
    const refunded = hasService ? { ...done, ...answered } : done
    payment.refunds.push(refunded)
    return refunded
  }

  return {
    addManualPaymentToOrder(given: Input): Order | Refused {
      const input = argumentOf(given, 'input')
      const order = books.order(textOf(input, 'orderId'))
      if (order.state !== 'ArrangingPayment' && order.state !== 'ArrangingAdditionalPayment')
        return refused('ManualPaymentStateError')
      if (input.metadata === undefined)
        throw new GraphqlFault('SqliteError: NOT NULL constraint failed: payment.metadata', null)
      const amount = order.totalWithTax - order.settled
      const { metadata } = input
      const named = { method: textOf(input, 'method'), transactionId: textOrNull(input, 'transactionId'), metadata }
      const payment = { id: books.nextId(), amount, state: 'Created', refunds: [], ...named }
      order.payments.push(payment)
      movePayment(order, payment, 'Settled')
      if (order.state === 'ArrangingPayment') moveOrder(order, 'PaymentSettled')
      return order
    },
    modifyOrder(given: Input): Order | Refused {
      const input = argumentOf(given, 'input')
      const order = books.order(textOf(input, 'orderId'))
      const surcharges = listOf(input, 'surcharges')
      if (order.state !== 'Modifying') return refused('OrderModificationStateError')
      if (surcharges.length === 0) return refused('NoChangesSpecifiedError')
      const change = surcharges.reduce((sum, surcharge) => sum + numberOf(surcharge, 'price'), 0)
      const { refund: wanted } = input
      if (change < 0 && !wanted) return refused('RefundPaymentIdMissingError')
      for (const surcharge of surcharges)
        order.surcharges.push({
          description: textOf(surcharge, 'description'),
          sku: textOrNull(surcharge, 'sku'),
          priceWithTax: numberOf(surcharge, 'price'),
        })
      if (change < 0) {
        const { payment } = books.payment(textOf(wanted, 'paymentId'))
        refund(payment, numberOf(wanted, 'amount'), { reason: textOrNull(wanted, 'reason'), lines: [] })
      }
      return order
    },
    settlePayment(given: Input): Payment | Refused {
      const { order, payment } = books.payment(textOf(given, 'id'))
      const moved = movePayment(order, payment, isRefused('settlePayment') ? 'Error' : 'Settled')
      if (moved !== payment) return moved
      if (payment.state !== 'Settled') return refused('SettlePaymentError')
      if (order.state === 'PaymentAuthorized') moveOrder(order, 'PaymentSettled')
      return payment
    },
    cancelPayment(given: Input): Payment | Refused {
      const { order, payment } = books.payment(textOf(given, 'id'))
      const moved = movePayment(order, payment, isRefused('cancelPayment') ? 'Error' : 'Cancelled')
      if (moved !== payment) return moved
      return payment.state === 'Cancelled' ? payment : refused('CancelPaymentError')
    },
    refundOrder(given: Input): Refund | Refused {
      const input = argumentOf(given, 'input')
      const { order, payment } = books.payment(textOf(input, 'paymentId'))
      const amount = numberOf(input, 'amount')
      if (BEFORE_REFUNDS.has(order.state)) return refused('RefundOrderStateError', { orderState: order.state })
      if (amount > payment.amount - refundedOf(payment)) return refused('RefundAmountError')
      if (input.shipping === undefined || input.adjustment === undefined)
        throw new GraphqlFault('SqliteError: NOT NULL constraint failed: refund.shipping', null)
      const lines = listOf(input, 'lines').map((line) => ({
        orderLineId: textOf(line, 'orderLineId'),
        quantity: numberOf(line, 'quantity'),
      }))
      return refund(payment, amount, { reason: textOrNull(input, 'reason'), lines })
    },
    settleRefund(given: Input): Refund {
      const found = books.refund(textOf(given.input, 'id'))
      if (found.state === 'Settled')
        throw new GraphqlFault('Cannot transition Refund from "Settled" to "Settled"', 'ILLEGAL_OPERATION')
      return Object.assign(found, { state: 'Settled', transactionId: textOf(given.input, 'transactionId') })
    },
  }
}

const NEXT_OF_FULFILMENT: Readonly<Record<string, readonly string[]>> = {
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
      if (!NEXT_OF_FULFILMENT[fulfilment.state]?.includes(state)) return refused('FulfillmentStateTransitionError')
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

export function createCustomers(books: Books) {
  function customer(id: string): Customer {
    const found = books.customers.find((one) => one.id === id)
    if (!found) throw notFound('Customer', id)
    return found
  }

  function isTaken(emailAddress: string, by: string | null): boolean {
    return books.customers.some((one) => one.emailAddress === emailAddress && one.id !== by)
  }

  return {
    createCustomer(given: Input): Customer | Refused {
      const input = argumentOf(given, 'input')
      const taken = isTaken(textOf(input, 'emailAddress').toLowerCase(), null)
      return taken ? refused('EmailAddressConflictError') : customerFrom(books, input)
    },
    updateCustomer(given: Input): Customer | Refused {
      const { id, ...changes } = argumentOf(given, 'input')
      const found = customer(String(id))
      if (isTaken(textOf(changes, 'emailAddress').toLowerCase(), found.id)) return refused('EmailAddressConflictError')
      return Object.assign(found, changes)
    },
    createCustomerAddress(given: Input): Address {
      const { addresses } = customer(textOf(given, 'customerId'))
      const input = argumentOf(given, 'input')
      const code = textOf(input, 'countryCode')
      countryOf(code)
      const address: Address = {
        id: books.nextId(),
        fullName: textOrNull(input, 'fullName'),
        company: textOrNull(input, 'company'),
        streetLine1: textOf(input, 'streetLine1'),
        city: textOrNull(input, 'city'),
        postalCode: textOrNull(input, 'postalCode'),
        country: { code },
        phoneNumber: textOrNull(input, 'phoneNumber'),
        defaultBillingAddress: input.defaultBillingAddress === true,
      }
      addresses.push(address)
      return address
    },
    updateCustomerAddress(given: Input): Address {
      const { id, countryCode, ...changes } = argumentOf(given, 'input')
      const found = books.customers.flatMap(({ addresses }) => addresses).find((one) => one.id === id)
      if (!found) throw notFound('Address', String(id))
      if (typeof countryCode === 'string') {
        countryOf(countryCode)
        found.country = { code: countryCode }
      }
      return Object.assign(found, changes)
    },
    deleteCustomerAddress(given: Input): { success: boolean } {
      const id = textOf(given, 'id')
      const owner = books.customers.find(({ addresses }) => addresses.some((one) => one.id === id))
      if (!owner) throw notFound('Address', id)
      owner.addresses.splice(0, owner.addresses.length, ...owner.addresses.filter((one) => one.id !== id))
      return { success: true }
    },
    addNoteToCustomer(given: Input): Customer {
      const { id, note, isPublic } = argumentOf(given, 'input')
      const found = customer(String(id))
      const entry = { id: books.nextId(), type: 'CUSTOMER_NOTE', isPublic: isPublic === true } as const
      found.notes.push({ ...entry, data: { note: String(note) } })
      return found
    },
    updateCustomerNote(given: Input): CustomerNote {
      const { noteId, note } = argumentOf(given, 'input')
      const found = books.customers.flatMap(({ notes }) => notes).find(({ id }) => id === noteId)
      if (!found) throw notFound('HistoryEntry', String(noteId))
      found.data.note = String(note)
      return found
    },
    deleteCustomerNote(given: Input): { result: string } {
      for (const one of books.customers) one.notes = one.notes.filter(({ id }) => id !== given.id)
      return { result: 'DELETED' }
    },
    // The row stays, and is not shown any more.
    deleteCustomer(given: Input): { result: string } {
      const found = customer(textOf(given, 'id'))
      books.customers.splice(books.customers.indexOf(found), 1)
      books.deletedCustomers.push(found)
      return { result: 'DELETED' }
    },
  }
}
