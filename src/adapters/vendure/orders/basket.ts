import type { SaleLine } from '../../../domain/accounting/sale.ts'
import type { PosOrder } from '../../../domain/orders/order.ts'
import { type Money, sumDecimals, sumMoney } from '../../../domain/values/money.ts'
import { lineNameOf } from '../../shared/shop-orders.ts'
import type { Variant } from '../operations.ts'
import type { ShopLine, ShopOrder } from './shop-order.ts'

export interface Basket {
  /** One entry per variant, as in the shop. */
  goods: Goods[]
  /** Without a product, or not in whole pieces. */
  others: SaleLine[]
}

interface Goods {
  variantId: string
  quantity: number
  lines: [SaleLine, ...SaleLine[]]
}

export function basketOf({ lines }: PosOrder, variants: readonly (Variant | null)[]): Basket {
  const known = lines.flatMap((line, index) => {
    const variant = variants[index]
    return variant ? [{ line, variantId: variant.id }] : []
  })
  const goods: Goods[] = []
  const others = lines.filter((_, index) => !variants[index])
  for (const [variantId, found] of Map.groupBy(known, (one) => one.variantId)) {
    const same = found.map(({ line }) => line)
    const quantity = sumDecimals(same.map((line) => line.quantity))
    const [first, ...rest] = same
    if (first && /^[1-9]\d{0,5}$/.test(quantity))
      goods.push({ variantId, quantity: Number(quantity), lines: [first, ...rest] })
    else for (const line of same) others.push(line)
  }
  return { goods, others }
}

interface Surcharge {
  description: string
  sku?: string
  price: number
  priceIncludesTax: true
  taxRate?: number
  taxDescription?: string
}

const OWN_PRICE = 'Price at the POS: '

/** Vendure uses its own prices: surcharges make up the difference to what was paid. */
export function surchargesOf(order: ShopOrder, basket: Basket, paid: number, toShop: (amount: Money) => number) {
  const lines = basket.goods.flatMap((goods) => ofGoods(goods, lineOf(order, goods), toShop))
  const others = basket.others.map((line) => ofOther(line, toShop))
  const shipping = order.shippingWithTax === 0 ? [] : [plain('Shipping, as paid at the POS', -order.shippingWithTax)]
  const named = [...lines, ...others, ...shipping].filter(({ price }) => price !== 0)
  const rest = paid - order.totalWithTax - named.reduce((sum, { price }) => sum + price, 0)
  return rest === 0 ? named : [...named, plain('Difference to the amount paid at the POS', rest)]
}

/** The shop's price and a share of the POS's difference. */
export function priceOf(order: ShopOrder, line: ShopLine, quantity: number): number {
  const { sku } = line.productVariant
  const [own] = order.surcharges.filter(
    ({ description, sku: named }) => named === sku && description.startsWith(OWN_PRICE),
  )
  const placed = Number(/ \((\d+)\)$/.exec(own?.description ?? '')?.[1] ?? quantity)
  return line.proratedUnitPriceWithTax * quantity + Math.round(((own?.priceWithTax ?? 0) * quantity) / placed)
}

function ofGoods(goods: Goods, line: ShopLine | null, toShop: (amount: Money) => number): Surcharge[] {
  const [first] = goods.lines
  const paid = toShop(totalOf(goods.lines))
  const inLine = line?.quantity ?? 0
  const missing = goods.quantity - inLine
  const tax = taxOf(line?.taxRate ?? percent(first))
  const sku = line?.productVariant.sku ?? first.sku
  const named = sku === null ? {} : { sku }
  const forMissing = missing === 0 ? 0 : Math.round((paid * missing) / goods.quantity)
  const price = paid - forMissing - (line?.proratedLinePriceWithTax ?? 0)
  const gone = {
    description: `${missing} × ${lineNameOf(first)}: not in stock here`,
    price: forMissing,
    ...named,
    ...tax,
  }
  const differs = { description: `${OWN_PRICE}${lineNameOf(first)} (${inLine})`, price, ...named, ...tax }
  return [gone, differs].map((one) => ({ ...one, priceIncludesTax: true }))
}

function ofOther(line: SaleLine, toShop: (amount: Money) => number): Surcharge {
  const sku = line.sku ?? line.gtin
  return {
    description: `${line.quantity} × ${lineNameOf(line)}: no product here`,
    ...(sku === null ? {} : { sku }),
    price: toShop(line.total),
    priceIncludesTax: true,
    ...taxOf(percent(line)),
  }
}

function plain(description: string, price: number): Surcharge {
  return { description, price, priceIncludesTax: true }
}

function lineOf({ lines }: ShopOrder, { variantId }: Goods): ShopLine | null {
  return lines.find(({ productVariant }) => productVariant.id === variantId) ?? null
}

function totalOf(lines: readonly [SaleLine, ...SaleLine[]]): Money {
  return sumMoney(
    lines.map(({ total }) => total),
    lines[0].total.currency,
  )
}

function taxOf(taxRate: number): Pick<Surcharge, 'taxRate' | 'taxDescription'> {
  return taxRate === 0 ? {} : { taxRate, taxDescription: 'VAT' }
}

function percent({ vatRate }: SaleLine): number {
  return vatRate === null ? 0 : Number((Number(vatRate) * 100).toFixed(4))
}
