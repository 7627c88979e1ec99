import type { CostBooking, DeliveryBooking, ReceivedBooking } from '../../../domain/books/bookings.ts'
import type { Delivery } from '../../../domain/catalogue/goods.ts'
import { amount, currency, day, decimal, defineTables, flag, note, type TableColumn, text, time } from './columns.ts'

type OfDelivery = {
  country: string | null
  delivery: Omit<Delivery, 'lines'>
  storeNo: string | null
  stockId: string | null
  day: string | null
}

function placeOf({ storeNo, stockId, day, delivery }: OfDelivery) {
  return { storeNo, stockId: stockId ?? delivery.stockId, day }
}

function deliveryColumns<Booking extends OfDelivery>(): TableColumn<Booking>[] {
  return [
    text('delivery_id', ({ delivery }) => delivery.deliveryId),
    text('reference', ({ delivery }) => delivery.reference),
    text('stock_no', ({ delivery }) => delivery.stockNo),
    time('changed_at', ({ delivery }) => delivery.at),
    text('country', ({ country }) => country),
    text('company_id', ({ delivery }) => delivery.companyId),
  ]
}

export const receivedTables = defineTables<ReceivedBooking>(placeOf, ({ head }) => [
  head('received_goods', [
    ...deliveryColumns<ReceivedBooking>(),
    text('article', ({ line }) => line.article),
    text('gtin', ({ line }) => line.gtin),
    decimal('quantity', ({ quantity }) => quantity),
    decimal('received_in_all', ({ line }) => line.received),
    decimal('expected', ({ line }) => line.expected),
    currency('currency', ({ line }) => [line.cost]),
    amount('cost', ({ line }) => line.cost),
  ]),
])

export const costTables = defineTables<CostBooking>(placeOf, ({ head }) => [
  head('cost_changes', [
    ...deliveryColumns<CostBooking>(),
    text('article', ({ article }) => article),
    text('gtin', ({ gtin }) => gtin),
    currency('currency', ({ cost }) => [cost]),
    amount('cost', ({ cost }) => cost),
  ]),
])

export const deliveryTables = defineTables<DeliveryBooking>(placeOf, ({ head, lines }) => [
  head('deliveries', [
    ...deliveryColumns<DeliveryBooking>(),
    text('type', ({ delivery }) => delivery.type),
    text('status', ({ delivery }) => delivery.status),
    flag('is_completed', ({ delivery }) => delivery.isCompleted),
    day('expected_on', ({ delivery }) => delivery.expectedOn),
    note('comment', ({ delivery }) => delivery.comment),
    text('brand', ({ delivery }) => delivery.brand),
    text('season', ({ delivery }) => delivery.season),
    text('order_type', ({ delivery }) => delivery.orderType),
    decimal('expected_quantity', ({ delivery }) => delivery.expectedQuantity),
    decimal('expected_cost', ({ delivery }) => delivery.expectedCost),
    decimal('received_quantity', ({ delivery }) => delivery.receivedQuantity),
    decimal('received_cost', ({ delivery }) => delivery.receivedCost),
  ]),
  lines(
    'delivery_lines',
    ({ delivery }) => delivery.lines,
  )([
    text('article', ({ article }) => article),
    text('gtin', ({ gtin }) => gtin),
    decimal('expected', ({ expected }) => expected),
    decimal('received', ({ received }) => received),
    currency('currency', ({ cost }) => [cost]),
    amount('cost', ({ cost }) => cost),
    text('product_id', ({ productId }) => productId),
    note('name', ({ name }) => name),
    text('number', ({ number }) => number),
    text('variant', ({ variant }) => variant),
    note('color', ({ color }) => color),
    text('size', ({ label }) => label),
    note('description', ({ description }) => description),
  ]),
])
