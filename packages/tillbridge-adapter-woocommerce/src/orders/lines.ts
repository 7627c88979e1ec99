import {
  addMoney,
  allocateMoney,
  amountText,
  compareDecimals,
  type Decimal,
  type Money,
  money,
  PermanentError,
  parseDecimal,
} from 'tillbridge/adapter'
import { z } from 'zod'
import { text } from '../document.ts'
import {
  afterDiscount,
  costOf,
  discountOf,
  gtinOf,
  META,
  piecesBack,
  refundedOf,
  type ShopLine,
  type ShopOrder,
  type ShopRefund,
  shareOf,
} from '../shop-order.ts'

interface Bundle {
  container: ShopLine
  parts: ShopLine[]
}

type Bundling = Pick<ShopOrder, 'line_items' | 'currency'>

/** By `bundled_items` (Product Bundles) or `composite_children` (Composite Products); else a priced line without article contains the free articles after it. */
export function bundlesOf({ line_items: lines, currency }: Bundling): Bundle[] {
  return lines.flatMap((line, index) => {
    const parts = isContainer(line) ? partsWithin(line, lines) : isBare(line) ? freeAfter(index) : []
    const articles = parts.filter((part) => !isContainer(part) && gtinOf(part) !== '' && part.quantity > 0)
    return articles.length > 0 ? [{ container: line, parts: articles }] : []
  })
  function isBare(line: ShopLine): boolean {
    return gtinOf(line) === '' && !isFree(line, currency)
  }
  function freeAfter(index: number): ShopLine[] {
    const rest = lines.slice(index + 1)
    const end = rest.findIndex((line) => gtinOf(line) === '' || !isFree(line, currency))
    return end === -1 ? rest : rest.slice(0, end)
  }
}

function isContainer({ bundled_items, composite_children }: ShopLine): boolean {
  return bundled_items.length + composite_children.length > 0
}

function partsWithin(container: ShopLine, lines: readonly ShopLine[], above: readonly number[] = []): ShopLine[] {
  if (above.includes(container.id)) return []
  const ids = new Set([...container.bundled_items, ...container.composite_children])
  return lines
    .filter(({ id }) => id !== container.id && ids.has(id))
    .flatMap((part) => [part, ...partsWithin(part, lines, [...above, container.id])])
}

function isFree(line: ShopLine, currency: string): boolean {
  return costOf(line, currency).amount === parseDecimal(0)
}

/** The price of a container is shared among its parts, free ones first; containers and comment lines become notes. */
export function withoutContainers<Order extends Bundling>(order: Order): { order: Order; notes: string[] } {
  const { currency } = order
  const isComment = (line: ShopLine) => gtinOf(line) === '' && line.quantity === 0 && isFree(line, currency)
  const bundles = bundlesOf(order)
  const notes = [
    ...bundles.map(({ container }) => summaryOf(container, currency)),
    ...order.line_items.filter(isComment).flatMap(({ name }) => name ?? []),
  ]
  const gone = new Set([...bundles.map(({ container }) => container), ...order.line_items.filter(isComment)])
  const lines = new Map(order.line_items.filter((line) => !gone.has(line)).map((line) => [line.id, line]))
  for (const bundle of bundles) for (const part of shared(bundle, lines, currency)) lines.set(part.id, part)
  return { order: { ...order, line_items: [...lines.values()] }, notes }
}

function summaryOf(container: ShopLine, currency: string): string {
  const name = container.name ?? 'Bundle'
  return isFree(container, currency) ? name : `${name}: ${amountText(costOf(container, currency))} ${currency}`
}

function shared({ container, parts }: Bundle, lines: ReadonlyMap<number, ShopLine>, currency: string): ShopLine[] {
  if (isFree(container, currency)) return []
  const now = parts.map((part) => lines.get(part.id) ?? part)
  const free = now.filter((part) => isFree(part, currency))
  const targets = free.length > 0 ? free : now
  const weights = targets.map(
    (part): Decimal => (free.length > 0 ? parseDecimal(part.quantity) : costOf(part, currency).amount),
  )
  const net = allocateMoney(money(container.total, currency), weights)
  const tax = allocateMoney(money(container.total_tax, currency), weights)
  const plus = (amount: string, share = money(0, currency)) => amountText(addMoney(money(amount, currency), share))
  return targets.map((part, index) => ({
    ...part,
    total: plus(part.total, net[index]),
    total_tax: plus(part.total_tax, tax[index]),
  }))
}

/** Such a refund does not say for which of the parts. */
export function refundsContainer(order: Bundling, refunds: readonly ShopRefund[]): boolean {
  const ids = new Set(bundlesOf(order).map(({ container }) => container.id))
  return refunds.some(({ line_items }) => line_items.some((line) => ids.has(refundedOf(line) ?? 0)))
}

/** Throws PermanentError `part-of-bundle`: the price is on the container, so the shop would give nothing back. */
export function refusePartsOfBundle(order: ShopOrder, lines: readonly ShopLine[], destination: string): void {
  const bundle = bundlesOf(order).find(
    ({ container, parts }) =>
      compareDecimals(costOf(container, order.currency).amount, parseDecimal(0)) > 0 &&
      parts.some(({ id }) => lines.some((line) => line.id === id)),
  )
  if (!bundle) return
  const what = `"${lines[0]?.name ?? 'an article'}" of order ${order.number} is part of "${bundle.container.name ?? 'a bundle'}"`
  throw new PermanentError(
    `${destination}: ${what}, whose price stands on another line: what is due for it is for a person to say. Give it back in the shop, then skip this.`,
    { code: 'part-of-bundle' },
  )
}

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
  return { ...line, quantity, cost: shareOf(line.cost, quantity, pieces) }
}

function withTaken(line: WrittenLine | null, taken: readonly TakenOff[], currency: string): WrittenLine | null {
  const [first] = taken.toSorted((one, other) => other.was.quantity - one.was.quantity)
  if (!first) return line
  const less = taken.reduce((sum, one) => sum + one.less, 0)
  const left = line ?? { ...first.was, quantity: 0, total: '0', total_tax: '0' }
  const quantity = left.quantity + less
  // Recomputed taxes would give another price.
  if (quantity === first.was.quantity) return first.was
  const sum = (now: string, whole: string) =>
    amountText(addMoney(money(now, currency), shareOf(money(whole, currency), less, first.was.quantity - less)))
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
