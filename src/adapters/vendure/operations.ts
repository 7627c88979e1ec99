import { z } from 'zod'
import type { Operation } from './api.ts'
import type { VendureOptions } from './options.ts'
import { ShopOrder } from './orders/shop-order.ts'

const Id = z.union([z.string(), z.number()]).transform(String)
const WithId = z.object({ id: Id })
const WithState = z.object({ id: Id, state: z.string() })

const ADDRESS = 'fullName company streetLine1 streetLine2 city province postalCode country countryCode phoneNumber'

const Orders = z.object({ items: z.array(ShopOrder), totalItems: z.int() })

const Variant = z.object({ id: Id, sku: z.string(), customFields: z.record(z.string(), z.unknown()).nullish() })
export type Variant = z.output<typeof Variant>

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
export type ShopCustomer = z.output<typeof Customer>

export type Operations = ReturnType<typeof createOperations>

/** Every document that the adapter sends; which custom fields they name, config says. */
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

  return {
    order: query('order', '$id: ID!, $history: HistoryEntryListOptions', 'id: $id', order, ShopOrder.nullable()),
    orders: query(
      'orders',
      '$options: OrderListOptions, $history: HistoryEntryListOptions',
      'options: $options',
      `totalItems items { ${order} }`,
      Orders,
    ),
    createDraft: mutation('createDraftOrder', '$history: HistoryEntryListOptions', '', order, ShopOrder),
    deleteDraft: mutation('deleteDraftOrder', '$orderId: ID!', 'orderId: $orderId', 'result', z.object({})),
    addNote: mutation('addNoteToOrder', '$input: AddNoteToOrderInput!', 'input: $input', 'id', WithId),
    setNumber: mutation(
      'setDraftOrderCustomFields',
      '$orderId: ID!, $input: UpdateOrderInput!',
      'orderId: $orderId, input: $input',
      'id',
      WithId,
    ),
    addItem: mutation(
      'addItemToDraftOrder',
      '$orderId: ID!, $input: AddItemToDraftOrderInput!',
      'orderId: $orderId, input: $input',
      `${onType('Order', 'id')} ... on InsufficientStockError { quantityAvailable }`,
      WithId,
    ),
    setCustomer: mutation(
      'setCustomerForDraftOrder',
      '$orderId: ID!, $customerId: ID, $input: CreateCustomerInput',
      'orderId: $orderId, customerId: $customerId, input: $input',
      onType('Order', 'id'),
      WithId,
    ),
    setShippingAddress: mutation(
      'setDraftOrderShippingAddress',
      '$orderId: ID!, $input: CreateAddressInput!',
      'orderId: $orderId, input: $input',
      'id',
      WithId,
    ),
    setBillingAddress: mutation(
      'setDraftOrderBillingAddress',
      '$orderId: ID!, $input: CreateAddressInput!',
      'orderId: $orderId, input: $input',
      'id',
      WithId,
    ),
    shippingMethods: query(
      'eligibleShippingMethodsForDraftOrder',
      '$orderId: ID!',
      'orderId: $orderId',
      'id code priceWithTax',
      z.array(z.object({ id: Id, code: z.string(), priceWithTax: z.int() })),
    ),
    setShippingMethod: mutation(
      'setDraftOrderShippingMethod',
      '$orderId: ID!, $shippingMethodId: ID!',
      'orderId: $orderId, shippingMethodId: $shippingMethodId',
      onType('Order', 'id'),
      WithId,
    ),
    transition: mutation(
      'transitionOrderToState',
      '$id: ID!, $state: String!, $history: HistoryEntryListOptions',
      'id: $id, state: $state',
      onType('Order', order),
      ShopOrder,
    ),
    pay: mutation(
      'addManualPaymentToOrder',
      '$input: ManualPaymentInput!, $history: HistoryEntryListOptions',
      'input: $input',
      onType('Order', order),
      ShopOrder,
    ),
    modify: mutation(
      'modifyOrder',
      '$input: ModifyOrderInput!, $history: HistoryEntryListOptions',
      'input: $input',
      onType('Order', order),
      ShopOrder,
    ),
    settlePayment: mutation('settlePayment', '$id: ID!', 'id: $id', onType('Payment', 'id state'), WithState),
    cancelPayment: mutation('cancelPayment', '$id: ID!', 'id: $id', onType('Payment', 'id state'), WithState),
    refund: mutation(
      'refundOrder',
      '$input: RefundOrderInput!',
      'input: $input',
      onType('Refund', 'id state'),
      WithState,
    ),
    settleRefund: mutation(
      'settleRefund',
      '$input: SettleRefundInput!',
      'input: $input',
      onType('Refund', 'id state'),
      WithState,
    ),
    cancel: mutation(
      'cancelOrder',
      '$input: CancelOrderInput!, $history: HistoryEntryListOptions',
      'input: $input',
      onType('Order', order),
      ShopOrder,
    ),
    fulfil: mutation(
      'addFulfillmentToOrder',
      '$input: FulfillOrderInput!',
      'input: $input',
      onType('Fulfillment', 'id state'),
      WithState,
    ),
    transitionFulfilment: mutation(
      'transitionFulfillmentToState',
      '$id: ID!, $state: String!',
      'id: $id, state: $state',
      onType('Fulfillment', 'id state'),
      WithState,
    ),
    paymentMethods: query(
      'paymentMethods',
      '$options: PaymentMethodListOptions',
      'options: $options',
      'totalItems',
      z.object({ totalItems: z.int() }),
    ),
    variants: query(
      'productVariants',
      '$options: ProductVariantListOptions',
      'options: $options',
      `items { id sku ${variantFields} }`,
      z.object({ items: z.array(Variant) }),
    ),
    stocked: query(
      'productVariants',
      '$options: ProductVariantListOptions',
      'options: $options',
      `totalItems items { id sku ${variantFields} trackInventory stockLevels { stockLocationId stockOnHand } }`,
      z.object({ items: z.array(Stocked), totalItems: z.int() }),
    ),
    // Null: nobody.
    me: query('me', '', '', 'channels { id permissions }', Channels.nullable()),
    channel: query('activeChannel', '', '', 'id code', z.object({ id: Id, code: z.string() })),
    settings: query('globalSettings', '', '', 'trackInventory', z.object({ trackInventory: z.boolean() })),
    stockLocations: query(
      'stockLocations',
      '$options: StockLocationListOptions',
      'options: $options',
      'items { id name }',
      z.object({ items: z.array(z.object({ id: Id, name: z.string() })) }),
    ),
    setStock: mutation(
      'updateProductVariants',
      '$input: [UpdateProductVariantInput!]!',
      'input: $input',
      'id',
      z.array(WithId.nullable()),
    ),
    customers: query(
      'customers',
      '$options: CustomerListOptions',
      'options: $options',
      `items { ${customer} }`,
      z.object({ items: z.array(Customer) }),
    ),
    notedCustomers: query(
      'customers',
      '$options: CustomerListOptions, $history: HistoryEntryListOptions',
      'options: $options',
      `items { ${customer} history(options: $history) { items { id data } } }`,
      z.object({ items: z.array(Customer) }),
    ),
    addCustomerNote: mutation('addNoteToCustomer', '$input: AddNoteToCustomerInput!', 'input: $input', 'id', WithId),
    updateCustomerNote: mutation(
      'updateCustomerNote',
      '$input: UpdateCustomerNoteInput!',
      'input: $input',
      'id',
      WithId,
    ),
    deleteCustomerNote: mutation(
      'deleteCustomerNote',
      '$id: ID!',
      'id: $id',
      'result',
      z.object({ result: z.string() }),
    ),
    createCustomer: mutation(
      'createCustomer',
      '$input: CreateCustomerInput!',
      'input: $input',
      onType('Customer', 'id'),
      WithId,
    ),
    updateCustomer: mutation(
      'updateCustomer',
      '$input: UpdateCustomerInput!',
      'input: $input',
      onType('Customer', 'id'),
      WithId,
    ),
    createAddress: mutation(
      'createCustomerAddress',
      '$customerId: ID!, $input: CreateAddressInput!',
      'customerId: $customerId, input: $input',
      'id',
      WithId,
    ),
    updateAddress: mutation('updateCustomerAddress', '$input: UpdateAddressInput!', 'input: $input', 'id', WithId),
    deleteAddress: mutation('deleteCustomerAddress', '$id: ID!', 'id: $id', 'success', z.object({})),
    deleteCustomer: mutation('deleteCustomer', '$id: ID!', 'id: $id', 'result', z.object({ result: z.string() })),
  }
}

/** The entries of an order's history that are read with it. */
export const HISTORY = {
  filter: { type: { in: ['ORDER_NOTE', 'ORDER_CANCELLATION', 'ORDER_PAYMENT_TRANSITION'] } },
  take: 100,
}

function onType(type: string, fields: string): string {
  return `... on ErrorResult { errorCode } ... on ${type} { ${fields} }`
}

function query<T>(field: string, variables: string, given: string, fields: string, schema: z.ZodType<T>): Operation<T> {
  return operation('query', { field, variables, given, fields, schema })
}

function mutation<T>(
  field: string,
  variables: string,
  given: string,
  fields: string,
  schema: z.ZodType<T>,
): Operation<T> {
  return operation('mutation', { field, variables, given, fields, schema })
}

interface Parts<T> {
  field: string
  variables: string
  given: string
  fields: string
  schema: z.ZodType<T>
}

function operation<T>(type: Operation<T>['type'], { field, variables, given, fields, schema }: Parts<T>): Operation<T> {
  const takes = given === '' ? '' : `(${given})`
  const declares = variables === '' ? '' : `(${variables})`
  const document = `${type}${declares} { ${field}${takes} { ${fields} } }`.replaceAll(/\s+/g, ' ')
  return { type, field, document, schema }
}
