import { z } from 'zod'
import type { Operation } from './api.ts'
import type { VendureOptions } from './options.ts'
import { Id, ShopOrder } from './orders/shop-order.ts'

const WithId = z.object({ id: Id })
const WithState = z.object({ id: Id, state: z.string() })
const ADDRESS = 'fullName company streetLine1 streetLine2 city province postalCode country countryCode phoneNumber'
const Orders = z.object({ items: z.array(ShopOrder), totalItems: z.int() })
const Variant = z.object({ id: Id, sku: z.string(), customFields: z.record(z.string(), z.unknown()).nullish() })
export type Variant = z.output<typeof Variant>

const Counted = z.object({ totalItems: z.int() })
const Deleted = z.object({ result: z.string() })

const Stocked = Variant.extend({
  trackInventory: z.enum(['TRUE', 'FALSE', 'INHERIT']),
  stockLevels: z.array(z.object({ stockLocationId: Id, stockOnHand: z.int() })),
})

const Channels = z.object({ channels: z.array(z.object({ id: Id, permissions: z.array(z.string()) })) })
const text = z.string().nullish()
const Customer = z.object({
  id: Id,
  firstName: text,
  lastName: text,
  emailAddress: text,
  phoneNumber: text,
  addresses: z
    .array(
      z.object({
        id: Id,
        company: text,
        streetLine1: text,
        city: text,
        postalCode: text,
        country: z.object({ code: z.string() }),
        phoneNumber: text,
        defaultBillingAddress: z.boolean().nullish(),
      }),
    )
    .nullish(),
  history: z.object({ items: z.array(z.object({ id: Id, data: z.record(z.string(), z.unknown()) })) }).nullish(),
})
const Customers = z.object({ items: z.array(Customer) })
export type ShopCustomer = z.output<typeof Customer>

export type Operations = ReturnType<typeof createOperations>

export function createOperations({ gtinField, numberField, pickup }: VendureOptions) {
  const variantFields = gtinField === undefined ? '' : `customFields { ${gtinField} }`
  const own = [...new Set([numberField, pickup?.placeField])].filter((name) => name !== undefined)
  const orderFields = own.length > 0 ? `customFields { ${own.join(' ')} }` : ''
  const order = `
    id code state type createdAt updatedAt orderPlacedAt currencyCode totalWithTax shippingWithTax
    customer { id firstName lastName emailAddress phoneNumber }
    shippingAddress { ${ADDRESS} }
    billingAddress { ${ADDRESS} }
    lines {
      id quantity proratedUnitPriceWithTax proratedLinePriceWithTax taxRate
      productVariant { id sku name ${variantFields} }
      fulfillmentLines { quantity fulfillment { id state } }
    }
    surcharges { description sku priceWithTax }
    shippingLines { shippingMethod { code } }
    payments {
      id method amount state transactionId metadata
      refunds { id total state reason lines { orderLineId quantity } }
    }
    fulfillments { id state trackingCode updatedAt }
    history(options: $history) { items { type isPublic data } }
    ${orderFields}`
  const customer = `
    id firstName lastName emailAddress phoneNumber
    addresses { id company streetLine1 city postalCode country { code } phoneNumber defaultBillingAddress }`
  const orderOr = onType('Order', order)
  const stocked = `id sku ${variantFields} trackInventory stockLevels { stockLocationId stockOnHand }`

  return {
    order: query('order(id: ID!)', order, ShopOrder.nullable()),
    orders: query('orders(options: OrderListOptions)', `totalItems items { ${order} }`, Orders),
    createDraft: mutation('createDraftOrder', order, ShopOrder),
    deleteDraft: mutation('deleteDraftOrder(orderId: ID!)', 'result', z.object({})),
    addNote: mutation('addNoteToOrder(input: AddNoteToOrderInput!)'),
    setNumber: mutation('setDraftOrderCustomFields(orderId: ID!, input: UpdateOrderInput!)'),
    addItem: mutation(
      'addItemToDraftOrder(orderId: ID!, input: AddItemToDraftOrderInput!)',
      `${onType('Order', 'id')} ... on InsufficientStockError { quantityAvailable }`,
    ),
    setCustomer: mutation(
      'setCustomerForDraftOrder(orderId: ID!, customerId: ID, input: CreateCustomerInput)',
      onType('Order', 'id'),
    ),
    setShippingAddress: mutation('setDraftOrderShippingAddress(orderId: ID!, input: CreateAddressInput!)'),
    setBillingAddress: mutation('setDraftOrderBillingAddress(orderId: ID!, input: CreateAddressInput!)'),
    shippingMethods: query(
      'eligibleShippingMethodsForDraftOrder(orderId: ID!)',
      'id code priceWithTax',
      z.array(z.object({ id: Id, code: z.string(), priceWithTax: z.int() })),
    ),
    setShippingMethod: mutation(
      'setDraftOrderShippingMethod(orderId: ID!, shippingMethodId: ID!)',
      onType('Order', 'id'),
    ),
    transition: mutation('transitionOrderToState(id: ID!, state: String!)', orderOr, ShopOrder),
    pay: mutation('addManualPaymentToOrder(input: ManualPaymentInput!)', orderOr, ShopOrder),
    modify: mutation('modifyOrder(input: ModifyOrderInput!)', orderOr, ShopOrder),
    settlePayment: mutation('settlePayment(id: ID!)', onType('Payment', 'id state'), WithState),
    cancelPayment: mutation('cancelPayment(id: ID!)', onType('Payment', 'id state'), WithState),
    refund: mutation('refundOrder(input: RefundOrderInput!)', onType('Refund', 'id state'), WithState),
    settleRefund: mutation('settleRefund(input: SettleRefundInput!)', onType('Refund', 'id state'), WithState),
    cancel: mutation('cancelOrder(input: CancelOrderInput!)', orderOr, ShopOrder),
    fulfil: mutation('addFulfillmentToOrder(input: FulfillOrderInput!)', onType('Fulfillment', 'id state'), WithState),
    transitionFulfilment: mutation(
      'transitionFulfillmentToState(id: ID!, state: String!)',
      onType('Fulfillment', 'id state'),
      WithState,
    ),
    paymentMethods: query('paymentMethods(options: PaymentMethodListOptions)', 'totalItems', Counted),
    variants: query(
      'productVariants(options: ProductVariantListOptions)',
      `items { id sku ${variantFields} }`,
      z.object({ items: z.array(Variant) }),
    ),
    stocked: query(
      'productVariants(options: ProductVariantListOptions)',
      `totalItems items { ${stocked} }`,
      Counted.extend({ items: z.array(Stocked) }),
    ),
    /** Null for an API key. */
    me: query('me', 'channels { id permissions }', Channels.nullable()),
    channel: query('activeChannel', 'id code', z.object({ id: Id, code: z.string() })),
    settings: query('globalSettings', 'trackInventory', z.object({ trackInventory: z.boolean() })),
    stockLocations: query(
      'stockLocations(options: StockLocationListOptions)',
      'items { id name }',
      z.object({ items: z.array(z.object({ id: Id, name: z.string() })) }),
    ),
    setStock: mutation('updateProductVariants(input: [UpdateProductVariantInput!]!)', 'id', z.array(WithId.nullable())),
    customers: query('customers(options: CustomerListOptions)', `items { ${customer} }`, Customers),
    notedCustomers: query(
      'customers(options: CustomerListOptions)',
      `items { ${customer} history(options: $history) { items { id data } } }`,
      Customers,
    ),
    addCustomerNote: mutation('addNoteToCustomer(input: AddNoteToCustomerInput!)'),
    updateCustomerNote: mutation('updateCustomerNote(input: UpdateCustomerNoteInput!)'),
    deleteCustomerNote: mutation('deleteCustomerNote(id: ID!)', 'result', Deleted),
    createCustomer: mutation('createCustomer(input: CreateCustomerInput!)', onType('Customer', 'id')),
    updateCustomer: mutation('updateCustomer(input: UpdateCustomerInput!)', onType('Customer', 'id')),
    createAddress: mutation('createCustomerAddress(customerId: ID!, input: CreateAddressInput!)'),
    updateAddress: mutation('updateCustomerAddress(input: UpdateAddressInput!)'),
    deleteAddress: mutation('deleteCustomerAddress(id: ID!)', 'success', z.object({})),
    deleteCustomer: mutation('deleteCustomer(id: ID!)', 'result', Deleted),
  }
}

export const HISTORY = {
  filter: { type: { in: ['ORDER_NOTE', 'ORDER_CANCELLATION', 'ORDER_PAYMENT_TRANSITION'] } },
  take: 100,
}

function onType(type: string, fields: string): string {
  return `... on ErrorResult { errorCode } ... on ${type} { ${fields} }`
}

function query<T>(call: string, fields: string, schema: z.ZodType<T>): Operation<T> {
  return operation('query', call, fields, schema)
}

/** Most answer with an id. */
function mutation(call: string, fields?: string): Operation<z.output<typeof WithId>>
function mutation<T>(call: string, fields: string, schema: z.ZodType<T>): Operation<T>
function mutation(call: string, fields = 'id', schema: z.ZodType = WithId): Operation<unknown> {
  return operation('mutation', call, fields, schema)
}

function listed(all: readonly string[]): string {
  return all.length === 0 ? '' : `(${all.join(', ')})`
}

/** @param call field and arguments as in the schema: each becomes a variable of the same name */
function operation<T>(type: Operation<T>['type'], call: string, fields: string, schema: z.ZodType<T>): Operation<T> {
  const [field = '', given = ''] = call.replace(')', '').split('(')
  const takes = given === '' ? [] : given.split(', ')
  const declared = fields.includes('$history') ? [...takes, 'history: HistoryEntryListOptions'] : takes
  const variables = listed(declared.map((one) => `$${one}`))
  const values = listed(takes.map((one) => one.split(':')[0] ?? '').map((name) => `${name}: $${name}`))
  const document = `${type}${variables} { ${field}${values} { ${fields} } }`.replaceAll(/\s+/g, ' ')
  return { type, field, document, schema }
}
