/*
 * The part of the Admin API that the adapter uses, as a server of Vendure 3.7.3 describes itself by introspection
 * (2026-11-21; https://docs.vendure.io/reference/graphql-api/admin/queries/). `npm run test:vendure` compares it with a real one.
 * Custom fields are those of the shop that the sandbox has.
 */
/** Stands for every other error that a union may be. */
export const REFUSED = 'AnyRefusal'

export const SCHEMA = `
type Query {
  me: CurrentUser
  activeChannel: Channel!
  order(id: ID!): Order
  orders(options: OrderListOptions): OrderList!
  eligibleShippingMethodsForDraftOrder(orderId: ID!): [ShippingMethodQuote!]!
  paymentMethods(options: PaymentMethodListOptions): PaymentMethodList!
  productVariants(options: ProductVariantListOptions): ProductVariantList!
  globalSettings: GlobalSettings!
  stockLocations(options: StockLocationListOptions): StockLocationList!
  customers(options: CustomerListOptions): CustomerList!
}
type Mutation {
  login(username: String!, password: String!, rememberMe: Boolean): NativeAuthenticationResult!
  createDraftOrder: Order!
  deleteDraftOrder(orderId: ID!): DeletionResponse!
  addNoteToOrder(input: AddNoteToOrderInput!): Order!
  setDraftOrderCustomFields(orderId: ID!, input: UpdateOrderInput!): Order!
  addItemToDraftOrder(orderId: ID!, input: AddItemToDraftOrderInput!): UpdateOrderItemsResult!
  setCustomerForDraftOrder(orderId: ID!, customerId: ID, input: CreateCustomerInput): SetCustomerForDraftOrderResult!
  setDraftOrderShippingAddress(orderId: ID!, input: CreateAddressInput!): Order!
  setDraftOrderBillingAddress(orderId: ID!, input: CreateAddressInput!): Order!
  setDraftOrderShippingMethod(orderId: ID!, shippingMethodId: ID!): SetOrderShippingMethodResult!
  transitionOrderToState(id: ID!, state: String!): TransitionOrderToStateResult
  addManualPaymentToOrder(input: ManualPaymentInput!): AddManualPaymentToOrderResult!
  modifyOrder(input: ModifyOrderInput!): ModifyOrderResult!
  settlePayment(id: ID!): SettlePaymentResult!
  cancelPayment(id: ID!): CancelPaymentResult!
  refundOrder(input: RefundOrderInput!): RefundOrderResult!
  settleRefund(input: SettleRefundInput!): SettleRefundResult!
  cancelOrder(input: CancelOrderInput!): CancelOrderResult!
  addFulfillmentToOrder(input: FulfillOrderInput!): AddFulfillmentToOrderResult!
  transitionFulfillmentToState(id: ID!, state: String!): TransitionFulfillmentToStateResult!
  updateProductVariants(input: [UpdateProductVariantInput!]!): [ProductVariant]!
  createCustomer(input: CreateCustomerInput!, password: String): CreateCustomerResult!
  updateCustomer(input: UpdateCustomerInput!): UpdateCustomerResult!
  createCustomerAddress(customerId: ID!, input: CreateAddressInput!): Address!
  updateCustomerAddress(input: UpdateAddressInput!): Address!
  deleteCustomerAddress(id: ID!): Success!
  deleteCustomer(id: ID!): DeletionResponse!
  addNoteToCustomer(input: AddNoteToCustomerInput!): Customer!
  updateCustomerNote(input: UpdateCustomerNoteInput!): HistoryEntry!
  deleteCustomerNote(id: ID!): DeletionResponse!
}
type Order {
  id: ID! code: String! state: String! type: OrderType! createdAt: DateTime! updatedAt: DateTime! orderPlacedAt: DateTime
  currencyCode: CurrencyCode! totalWithTax: Money! shippingWithTax: Money!
  customer: Customer shippingAddress: OrderAddress billingAddress: OrderAddress
  lines: [OrderLine!]! surcharges: [Surcharge!]! shippingLines: [ShippingLine!]!
  payments: [Payment!] fulfillments: [Fulfillment!]
  history(options: HistoryEntryListOptions): HistoryEntryList!
  customFields: OrderCustomFields
}
type OrderList { items: [Order!]! totalItems: Int! }
type OrderCustomFields { posNumber: String pickupStore: String }
type OrderAddress {
  fullName: String company: String streetLine1: String streetLine2: String city: String province: String
  postalCode: String country: String countryCode: String phoneNumber: String
}
type OrderLine {
  id: ID! quantity: Int! proratedUnitPriceWithTax: Money! proratedLinePriceWithTax: Money! taxRate: Float!
  productVariant: ProductVariant! fulfillmentLines: [FulfillmentLine!]
}
type FulfillmentLine { quantity: Int! fulfillment: Fulfillment! }
type Fulfillment { id: ID! updatedAt: DateTime! state: String! trackingCode: String }
type Surcharge { description: String! sku: String priceWithTax: Money! }
type ShippingLine { shippingMethod: ShippingMethod! }
type ShippingMethod { id: ID! code: String! }
type ShippingMethodQuote { id: ID! code: String! priceWithTax: Money! }
type Payment {
  id: ID! method: String! amount: Money! state: String! transactionId: String metadata: JSON refunds: [Refund!]!
}
type Refund { id: ID! total: Money! state: String! reason: String transactionId: String lines: [RefundLine!]! }
type RefundLine { orderLineId: ID! quantity: Int! }
type HistoryEntryList { items: [HistoryEntry!]! }
type HistoryEntry { id: ID! type: HistoryEntryType! isPublic: Boolean! data: JSON! }
type Success { success: Boolean! }
type DeletionResponse { result: DeletionResult! }
type ProductVariantList { items: [ProductVariant!]! totalItems: Int! }
type ProductVariant {
  id: ID! sku: String! name: String! trackInventory: GlobalFlag! stockLevels: [StockLevel!]!
  customFields: ProductVariantCustomFields
}
type StockLevel { stockLocationId: ID! stockOnHand: Int! stockAllocated: Int! }
type GlobalSettings { trackInventory: Boolean! }
type ProductVariantCustomFields { gtin: String }
type StockLocationList { items: [StockLocation!]! }
type StockLocation { id: ID! name: String! }
type PaymentMethodList { totalItems: Int! }
type CustomerList { items: [Customer!]! }
type Customer {
  id: ID! firstName: String! lastName: String! emailAddress: String! phoneNumber: String addresses: [Address!]
  history(options: HistoryEntryListOptions): HistoryEntryList!
}
type Address {
  id: ID! company: String streetLine1: String! city: String postalCode: String country: Country! phoneNumber: String
  defaultBillingAddress: Boolean
}
type Country { code: String! }
type CurrentUser { id: ID! channels: [CurrentUserChannel!]! }
type CurrentUserChannel { id: ID! code: String! permissions: [Permission!]! }
type Channel { id: ID! code: String! }
interface ErrorResult { errorCode: ErrorCode! }
type InsufficientStockError implements ErrorResult { errorCode: ErrorCode! quantityAvailable: Int! }
type ${REFUSED} implements ErrorResult { errorCode: ErrorCode! }
union NativeAuthenticationResult = CurrentUser | ${REFUSED}
union UpdateOrderItemsResult = Order | InsufficientStockError | ${REFUSED}
union SetCustomerForDraftOrderResult = Order | ${REFUSED}
union SetOrderShippingMethodResult = Order | ${REFUSED}
union TransitionOrderToStateResult = Order | ${REFUSED}
union AddManualPaymentToOrderResult = Order | ${REFUSED}
union ModifyOrderResult = Order | ${REFUSED}
union CancelOrderResult = Order | ${REFUSED}
union SettlePaymentResult = Payment | ${REFUSED}
union CancelPaymentResult = Payment | ${REFUSED}
union RefundOrderResult = Refund | ${REFUSED}
union SettleRefundResult = Refund | ${REFUSED}
union AddFulfillmentToOrderResult = Fulfillment | ${REFUSED}
union TransitionFulfillmentToStateResult = Fulfillment | ${REFUSED}
union CreateCustomerResult = Customer | ${REFUSED}
union UpdateCustomerResult = Customer | ${REFUSED}
scalar Money scalar DateTime scalar JSON
scalar CurrencyCode scalar DeletionResult scalar ErrorCode scalar GlobalFlag scalar HistoryEntryType scalar OrderType scalar Permission
enum SortOrder { ASC DESC }
input OrderListOptions { skip: Int take: Int sort: OrderSortParameter filter: OrderFilterParameter }
input OrderSortParameter { id: SortOrder createdAt: SortOrder updatedAt: SortOrder }
input OrderFilterParameter {
  code: StringOperators state: StringOperators createdAt: DateOperators updatedAt: DateOperators
  orderPlacedAt: DateOperators posNumber: StringOperators pickupStore: StringOperators
}
input StringOperators { eq: String notEq: String in: [String!] }
input DateOperators { after: DateTime isNull: Boolean }
input IDOperators { eq: String }
input HistoryEntryListOptions { take: Int filter: HistoryEntryFilterParameter }
input HistoryEntryFilterParameter { type: StringOperators }
input PaymentMethodListOptions { take: Int filter: PaymentMethodFilterParameter }
input PaymentMethodFilterParameter { code: StringOperators }
input ProductVariantListOptions {
  skip: Int take: Int sort: ProductVariantSortParameter filter: ProductVariantFilterParameter
}
input ProductVariantSortParameter { id: SortOrder }
input ProductVariantFilterParameter { sku: StringOperators gtin: StringOperators }
input StockLocationListOptions { take: Int }
input CustomerListOptions { take: Int filter: CustomerFilterParameter }
input CustomerFilterParameter { id: IDOperators emailAddress: StringOperators phoneNumber: StringOperators }
input AddNoteToOrderInput { id: ID! note: String! isPublic: Boolean! }
input AddNoteToCustomerInput { id: ID! note: String! isPublic: Boolean! }
input UpdateCustomerNoteInput { noteId: ID! note: String! }
input UpdateOrderInput { id: ID! customFields: UpdateOrderCustomFieldsInput }
input UpdateOrderCustomFieldsInput { posNumber: String pickupStore: String }
input AddItemToDraftOrderInput { productVariantId: ID! quantity: Int! }
input CreateCustomerInput { firstName: String! lastName: String! emailAddress: String! phoneNumber: String }
input UpdateCustomerInput { id: ID! firstName: String lastName: String emailAddress: String phoneNumber: String }
input CreateAddressInput {
  fullName: String company: String streetLine1: String! city: String postalCode: String countryCode: String!
  phoneNumber: String defaultShippingAddress: Boolean defaultBillingAddress: Boolean
}
input UpdateAddressInput {
  id: ID! company: String streetLine1: String city: String postalCode: String countryCode: String
}
input ManualPaymentInput { orderId: ID! method: String! transactionId: String metadata: JSON }
input ModifyOrderInput {
  dryRun: Boolean! orderId: ID! surcharges: [SurchargeInput!] note: String refund: AdministratorRefundInput
}
input SurchargeInput {
  description: String! sku: String price: Money! priceIncludesTax: Boolean! taxRate: Float taxDescription: String
}
input AdministratorRefundInput { paymentId: ID! reason: String amount: Money }
input RefundOrderInput {
  lines: [OrderLineInput!] shipping: Money adjustment: Money amount: Money paymentId: ID! reason: String
}
input OrderLineInput { orderLineId: ID! quantity: Int! }
input SettleRefundInput { id: ID! transactionId: String! }
input CancelOrderInput { orderId: ID! lines: [OrderLineInput!] cancelShipping: Boolean reason: String }
input FulfillOrderInput { lines: [OrderLineInput!]! handler: ConfigurableOperationInput! }
input ConfigurableOperationInput { code: String! arguments: [ConfigArgInput!]! }
input ConfigArgInput { name: String! value: String! }
input UpdateProductVariantInput { id: ID! stockLevels: [StockLevelInput!] }
input StockLevelInput { stockLocationId: ID! stockOnHand: Int! }
`
