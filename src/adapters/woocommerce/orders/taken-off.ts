import { z } from 'zod'
import { addMoney, allocateMoney, amountText, type Money, money, parseDecimal } from '../../../domain/values/money.ts'
import { text } from '../document.ts'
import {
  afterDiscount,
  costOf,
  discountOf,
  META,
  piecesBack,
  type ShopLine,
  type ShopOrder,
  type ShopRefund,
} from '../shop-order.ts'

/** `was`: the line before the decline. */
const TakenOff = z.object({
  id: z.number(),
  less: z.number(),
  was: z.object({ quantity: z.number(), total: z.string(), total_tax: z.string(), sku: text, global_unique_id: text }),
})

type TakenOff = z.output<typeof TakenOff>

type WrittenLine = Pick<ShopLine, 'quantity' | 'total' | 'total_tax' | 'sku' | 'global_unique_id'>

export interface OrderedLine extends Pick<ShopLine, 'quantity' | 'sku' | 'global_unique_id'> {
  cost: Money
}

const Remembered = z.object({ lines: z.array(TakenOff) })

/** Meta data `_tillbridge_declined_…` of an unpaid order. */
export function rememberTakenOff(key: string, taken: readonly { line: ShopLine; pieces: number }[]): string {
  const lines = taken.map(({ line, pieces }): TakenOff => {
    const { id, quantity, total, total_tax, sku, global_unique_id } = line
    return { id, less: pieces, was: { quantity, total, total_tax, sku, global_unique_id } }
  })
  return JSON.stringify({ key, lines })
}

/** Before our own declines, which are no change by the shop; less the pieces of `refunds`. */
export function orderedLines(
  order: Pick<ShopOrder, 'line_items' | 'fee_lines' | 'meta_data' | 'currency'>,
  refunds: readonly Pick<ShopRefund, 'line_items'>[] = [],
): OrderedLine[] {
  const { line_items, meta_data, currency } = order
  const off = Map.groupBy(
    meta_data.flatMap(({ key, value }) => (key.startsWith(META.declined) ? read(value) : [])),
    ({ id }) => id,
  )
  const lines = new Map<number, WrittenLine | null>(line_items.map((line) => [line.id, line]))
  for (const id of off.keys()) if (!lines.has(id)) lines.set(id, null)
  const whole = [...lines]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([id, line]) => {
      const written = withTaken(line, off.get(id) ?? [], currency)
      return written ? [{ id, written }] : []
    })
  const costs = afterDiscount(
    whole.map(({ written }) => costOf(written, currency)),
    discountOf(order),
  )
  return whole.flatMap(({ id, written }, index) => {
    const { quantity, sku, global_unique_id } = written
    const line = { quantity, sku, global_unique_id, cost: costs[index] ?? costOf(written, currency) }
    return withoutRefunded(line, piecesBack(id, refunds)) ?? []
  })
}

function withoutRefunded(line: OrderedLine, pieces: number): OrderedLine | null {
  if (pieces === 0) return line
  const quantity = line.quantity - pieces
  if (quantity <= 0) return null
  const [cost = line.cost] = allocateMoney(line.cost, [parseDecimal(quantity), parseDecimal(pieces)])
  return { ...line, quantity, cost }
}

function withTaken(line: WrittenLine | null, taken: readonly TakenOff[], currency: string): WrittenLine | null {
  const [first] = taken.toSorted((one, other) => other.was.quantity - one.was.quantity)
  if (!first) return line
  const less = taken.reduce((sum, one) => sum + one.less, 0)
  const left = line ?? { ...first.was, quantity: 0, total: '0', total_tax: '0' }
  const quantity = left.quantity + less
  // Recomputed taxes would give another price.
  if (quantity === first.was.quantity) return first.was
  const share = (whole: string) =>
    allocateMoney(money(whole, currency), [parseDecimal(less), parseDecimal(first.was.quantity - less)])[0] ??
    money(0, currency)
  const sum = (now: string, whole: string) => amountText(addMoney(money(now, currency), share(whole)))
  return {
    ...left,
    quantity,
    total: sum(left.total, first.was.total),
    total_tax: sum(left.total_tax, first.was.total_tax),
  }
}

function read(value: unknown): TakenOff[] {
  try {
    return Remembered.parse(JSON.parse(String(value))).lines
  } catch {
    // Anyone may write meta data.
    return []
  }
}
