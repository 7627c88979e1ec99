import { z } from 'zod'
import type { Path } from '../../../config/schema/schemas-at.ts'
import type { SubmittedSale } from '../../../domain/catalogue/submitted.ts'
import type { KnownStore } from '../../../domain/places/store-index.ts'
import { type Decimal as DecimalText, multiplyDecimals, sumDecimals } from '../../../domain/values/money.ts'
import { uuidOfName } from '../../../lib/uuid.ts'
import {
  type Checked,
  Currency,
  check,
  compact,
  Decimal,
  FreightFlag,
  Gtin,
  Key,
  Name,
  namesGoods,
  OptionalId,
  OptionalKey,
  partOf,
  Text,
  Time,
  unlessZero,
  VatRate,
} from '../fields.ts'
import { CountryCode, Customer, customerOf } from './customers.ts'
import { begunAtTillFault } from './endless-aisle.ts'
import { currencyFaults, type Reading, type ReadingContext, type Resource, single } from './resource.ts'

/** The mark of a line that changes no stock of the platform (spec, salesLines). */
const NO_STOCK = '-1'

/** The type of a payment that is not specified (spec, paymentLines). */
const UNSPECIFIED = 99

/** Under which names of sales are made into GUIDs. It must never change: the same order would become another sale. */
const SALES = '6f3f0c6e-6c0f-5b0c-9a55-3d6d6f5c1f52'

const StockId = z
  .union([z.int(), z.string().regex(/^-1$|^\w[\w-]{0,99}$/)], { error: 'the id of a stock; -1 for none' })
  .transform(String)

const GOODS = namesGoods('identity')

/** Spec: amount and type. Public facts: the others. */
const Payment = z.strictObject({
  amount: Decimal.describe('Negative where money was given back.'),
  paymentType: z
    .int()
    .default(UNSPECIFIED)
    .describe(
      '99 unspecified, 5 gift card, 6 invoice, 7 PayEx, 10 Vipps, 115 NetAxept, 116 Dibs, 117 cash on delivery, ' +
        '124 Klarna invoice, 125 Klarna account, 128 bonus points, 141 Collector.',
    ),
  extRef: OptionalKey.describe('The reference of the payment at whoever took it; of type 5, the id of the gift card.'),
  currency: Currency.nullish().describe('ISO 4217; all payments of a sale have the same.'),
  cardType: z.int().nullish().describe('0 none, 3 Visa, 4 Mastercard, 5 American Express, 6 Diners, 10000 BankAxept.'),
  responseBody: Text.nullish().describe('What the payment provider answered, as it is. Leave out card numbers.'),
})

/** Spec, "Online order imported as a sale". */
const Sale = z.strictObject({
  saleGuid: z
    .guid({ error: 'a GUID, such as 5a1f0b52-7a43-4f0e-9b39-0d6a6c2f7b11' })
    .toLowerCase()
    .nullish()
    .transform(unlessZero)
    .describe(
      'What the own system tells its sales apart by. Without it, one is made of the order, its stock and its part.',
    ),
  part: Name.nullish().describe(
    'Which part of the order it is, where it becomes several sales from one stock: the number of a delivery, or of a return.',
  ),
  orderNo: Key.describe('The number of the online order.'),
  theirId: OptionalKey.describe("The own system's id of the order, where it differs from orderNo."),
  country: CountryCode.nullish().describe(
    'Where the order was placed: it goes to the store that platform.saleStores names for it.',
  ),
  storeNo: Name.nullish().describe('The number of the store, instead of a country.'),
  storeId: OptionalId.describe("The platform's id of the store, instead."),
  stockId: StockId.nullish()
    .transform(unlessZero)
    .describe('Which stock the goods left, for all lines. Without it -1: no stock changes.'),
  stockNo: Name.nullish().describe('The number of the store whose stock it was, instead of stockId.'),
  saleDateTime: Time.describe('When the goods left, or came back.'),
  customer: Customer.nullish().describe('Is obtained or created first.'),
  customerId: OptionalId.describe("The platform's own id, instead of customer."),
  salesLines: z
    .array(
      z
        .strictObject({
          identity: Gtin.nullish().describe('The EAN or GTIN of the size, as text: it may begin with 0.'),
          freight: FreightFlag,
          price: Decimal.describe('Of one: discount taken off, VAT included.'),
          qty: Decimal.refine((qty) => Number(qty) !== 0, { error: 'a quantity: not 0' }).describe(
            'Negative for a return.',
          ),
          stockId: StockId.nullish()
            .transform(unlessZero)
            .describe('Which stock these left, where that is not the one of all lines.'),
          text: Text.nullish().describe('What the line is called in the history of the customer; for freight, a fee.'),
          vat: VatRate.nullish().describe(
            "The rate of VAT: 0.25 and 25 are both 25 percent. Without it, the product's.",
          ),
        })
        .refine(GOODS.check, GOODS.told),
    )
    .min(1)
    .describe('What was sold, or came back.'),
  paymentLines: z.array(Payment).min(1).describe('They add up to the lines exactly.'),
  comment: Text.nullish().describe('Kept with the sale.'),
  endlessAisle: z
    .boolean()
    .nullish()
    .describe(
      'Whether the order began at a till: the platform has its sale already, so that it is refused. Without it, the hub tells by what it knows; false: it did not, ' +
        'although an online system has another order of this number, which did.',
    ),
})

type ReadSale = z.output<typeof Sale>

export const sales: Resource = { ...single('sales', Sale, readSale), asksEndlessAisle: true }

function readSale(value: unknown, context: ReadingContext): Reading {
  const checked = check(Sale, value, isPrivate)
  if ('value' in checked) return saleOf(checked.value, context)
  return { faults: [...checked.faults, ...faultsBesides(value, context)] }
}

function faultsBesides(value: unknown, context: ReadingContext): string[] {
  const place = partOf(Sale, ['country', 'storeNo', 'storeId'], value)
  const sums = partOf(Sale, ['salesLines', 'paymentLines'], value)
  const origin = partOf(Sale, ['endlessAisle'], value)
  const goods = partOf(Sale, ['stockId', 'stockNo'], value)
  const buyer = partOf(Sale, ['customer', 'customerId'], value)
  const named = [
    place && storeOf(place, context.stores),
    goods && stockOf(goods, context.stores),
    buyer && whoBought(buyer),
  ]
  return [
    ...named.flatMap((checked) => (checked && 'faults' in checked ? checked.faults : [])),
    ...(sums ? [...unequalSums(sums), ...severalCurrencies(sums)] : []),
    ...(origin ? begunAtTill(origin) : []),
  ]
}

/** Whether a fault is in what may be personal. The whole may be, where it is not an object: a text may hold all that it should have been. */
function isPrivate([first]: Path): boolean {
  return first === undefined || first === 'customer'
}

function saleOf(sale: ReadSale, context: ReadingContext): Reading {
  const store = storeOf(sale, context.stores)
  const stock = stockOf(sale, context.stores)
  const customer = whoBought(sale)
  const faults = [store, stock, customer].flatMap((checked) => ('faults' in checked ? checked.faults : []))
  faults.push(
    ...unequalSums(sale),
    ...severalCurrencies(sale),
    ...currencyFaults(sale.paymentLines, store),
    ...begunAtTill(sale),
  )
  if (faults.length > 0 || 'faults' in store || 'faults' in stock || 'faults' in customer) return { faults }
  const payload = {
    saleGuid: sale.saleGuid ?? guidOf(sale, context.system, stock.value),
    orderNo: sale.orderNo,
    storeId: store.value.storeId,
    saleDateTime: sale.saleDateTime,
    customer: customer.value,
    lines: sale.salesLines.map(({ identity, price, qty, stockId, text, vat }) => {
      // Freight leaves no stock.
      const from = identity ? (stockId ?? stock.value) : NO_STOCK
      return { gtin: identity ?? '', price, quantity: qty, stockId: from, ...compact({ text, vat }) }
    }),
    payments: sale.paymentLines.map(({ amount, paymentType, ...more }) => ({
      amount,
      type: paymentType,
      ...compact(more),
    })),
    ...compact({ comment: sale.comment }),
  } satisfies SubmittedSale
  const { orderNo, theirId, endlessAisle } = sale
  return {
    kind: 'SaleSubmitted',
    payload,
    ...(theirId && { links: [{ kind: 'order', id: orderNo, theirId }] }),
    ...(endlessAisle === false && { beganOnline: true }),
  }
}

/** The whole order is named as it was before there were parts. */
function guidOf({ orderNo, part }: Pick<ReadSale, 'orderNo' | 'part'>, system: string, stockId: string): string {
  return uuidOfName(SALES, JSON.stringify(part ? [system, orderNo, stockId, part] : [system, orderNo, stockId]))
}

function storeOf(
  { country, storeNo, storeId }: Pick<ReadSale, 'country' | 'storeNo' | 'storeId'>,
  stores: ReadingContext['stores'],
): Checked<KnownStore> {
  const given = [country, storeNo, storeId].filter((name) => name !== null && name !== undefined)
  if (given.length !== 1)
    return { faults: [`found ${given.length} of country, storeNo and storeId, expected exactly one`] }
  if (country) return stores.ofCountry(country, ['country'])
  return storeNo ? stores.byNumber(storeNo, ['storeNo']) : stores.byId(storeId ?? '', ['storeId'])
}

/** A stock may be without a store (that of the online shop), so an id is taken as it is. */
function stockOf(
  { stockId, stockNo }: Pick<ReadSale, 'stockId' | 'stockNo'>,
  stores: ReadingContext['stores'],
): Checked<string> {
  if (!stockNo) return { value: stockId ?? NO_STOCK }
  if (stockId) return { faults: ['found both stockId and stockNo, expected one of them at most'] }
  const store = stores.byNumber(stockNo, ['stockNo'])
  if ('faults' in store) return store
  if (store.value.stockId !== null) return { value: store.value.stockId }
  return { faults: ['stockNo: this store has no stock, expected a stockId'] }
}

function whoBought({
  customer,
  customerId,
}: Pick<ReadSale, 'customer' | 'customerId'>): Checked<SubmittedSale['customer']> {
  if (customer && !customerId) return { value: customerOf(customer) }
  if (customerId && !customer) return { value: { customerId } }
  return { faults: [`found ${customer ? 'both' : 'neither'}, expected exactly one of customer and customerId`] }
}

function unequalSums({ salesLines, paymentLines }: Pick<ReadSale, 'salesLines' | 'paymentLines'>): string[] {
  const sold = sumDecimals(salesLines.map(({ price, qty }) => multiplyDecimals(price, qty)))
  const paid: DecimalText = sumDecimals(paymentLines.map(({ amount }) => amount))
  if (sold === paid) return []
  return [`salesLines add up to ${sold} (price × qty) and paymentLines to ${paid}, expected the same sum exactly`]
}

function severalCurrencies({ paymentLines }: Pick<ReadSale, 'paymentLines'>): string[] {
  const currencies = new Set(paymentLines.flatMap(({ currency }) => currency ?? []))
  if (currencies.size < 2) return []
  return [`paymentLines: found ${[...currencies].join(' and ')}, expected one currency: they are added up`]
}

function begunAtTill({ endlessAisle }: Pick<ReadSale, 'endlessAisle'>): string[] {
  return endlessAisle ? [begunAtTillFault('endlessAisle is true')] : []
}
