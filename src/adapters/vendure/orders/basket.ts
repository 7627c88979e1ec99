import type { SaleLine } from '../../../domain/books/sale.ts'
import type { TillOrder } from '../../../domain/orders/order.ts'
import { sumDecimals } from '../../../domain/values/money.ts'
import type { Variant } from '../operations.ts'

/** An order of the till in the shop's terms. */
export interface Basket {
  /** The goods, each variant once, as the shop has one line for each. */
  goods: Goods[]
  /** The lines that can be none here: the shop has no product for them, or they are no number of pieces. */
  others: SaleLine[]
}

export interface Goods {
  variantId: string
  quantity: number
  lines: [SaleLine, ...SaleLine[]]
}

export function basketOf({ lines }: TillOrder, variants: readonly (Variant | null)[]): Basket {
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

export function nameOf({ name, color, size }: SaleLine): string {
  return [name, color, size].filter(Boolean).join(', ')
}
