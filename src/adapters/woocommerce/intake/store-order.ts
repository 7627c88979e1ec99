import { splitPhone } from '../../../domain/people/phone.ts'
import { money, parseDecimal, subtractMoney, sumMoney } from '../../../domain/values/money.ts'
import { piecesOf } from '../../shared/pieces.ts'
import type { WooCommerceOptions } from '../options.ts'
import { type OrderedLine, orderedLines } from '../orders/taken-off.ts'
import type { ShopRefund } from '../people/shop-order.ts'
import { wasPaid } from '../refunds/was-paid.ts'
import { creditOf } from './credit.ts'
import { placedAt, type WholeOrder } from './order.ts'
import { gtinOf } from './order-line.ts'
import type { Errand } from './place.ts'
import { phoneIn, type ShopAddress } from './shop-address.ts'

/**
 * An order for a store in the form of `/v1/orders`. Without a shipping address the customer picks it up, without payment lines
 * the customer pays there (spec, "Omnichannel order"). `refunds`: those of the shop's people. Null: they gave back all of its goods.
 */
export function storeOrder(
  order: WholeOrder,
  { type }: Errand,
  options: WooCommerceOptions,
  refunds: readonly ShopRefund[] = [],
): Record<string, unknown> | null {
  const { billing, shipping, currency } = order
  const [ordered, lines] = [orderedLines(order), orderedLines(order, refunds)]
  if (lines.length === 0 && ordered.length > 0) return null
  const { prefix, number } = splitPhone(
    phoneIn(billing) ?? phoneIn({ ...shipping, country: shipping.country ?? billing.country }),
  )
  const paid = wasPaid({ options }, order)
  return withoutNothing({
    orderNo: order.number,
    saleDateTime: placedAt(order),
    customer: withoutNothing({
      email: billing.email,
      firstName: billing.first_name ?? shipping.first_name,
      lastName: billing.last_name ?? shipping.last_name,
      phone: number,
      phoneCountryCode: prefix,
    }),
    billingAddress: addressOf(billing),
    shippingAddress: type === 'ship' ? (addressOf(shipping) ?? addressOf(billing)) : null,
    orderLines: lines.flatMap((line) =>
      piecesOf(line.cost, line.quantity).map((pieces) => ({ gtin: gtinOf(line), ...pieces })),
    ),
    currency,
    paymentLines: paid ? payments() : null,
  })

  /** A gift card that lowered the total without a line is a payment of its own kind. */
  function payments() {
    const credit = creditOf(order)
    const all = [
      { amount: amountPaid(), currency, type: paymentOf(order) },
      ...(credit ? [{ amount: credit.amount, currency, type: options.creditPayment?.type }] : []),
    ]
    return credit ? all.filter(({ amount }) => amount !== parseDecimal(0)) : all
  }

  /** Less what the refunded pieces cost, and nothing else: what is left is paid, whatever else was given back. */
  function amountPaid() {
    const cost = (some: readonly OrderedLine[]) =>
      sumMoney(
        some.map((line) => line.cost),
        currency,
      )
    if (refunds.length === 0) return parseDecimal(order.total)
    return subtractMoney(money(order.total, currency), subtractMoney(cost(ordered), cost(lines))).amount
  }
}

function paymentOf({ payment_method_title, payment_method }: WholeOrder): string {
  return payment_method_title ?? (payment_method || 'Online')
}

/** Null: nothing of it is there but perhaps the country, which the shop fills in by itself. */
function addressOf(address: ShopAddress): Record<string, unknown> | null {
  const { country, ...rest } = address
  if (!rest.address_1 && !rest.city && !rest.postcode && !rest.last_name && !rest.company) return null
  return withoutNothing({
    firstName: address.first_name,
    lastName: address.last_name,
    companyName: address.company,
    address1: address.address_1,
    address2: address.address_2,
    city: address.city,
    province: address.state,
    postalCode: address.postcode,
    countryCode: country?.toUpperCase(),
  })
}

function withoutNothing(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))
}
