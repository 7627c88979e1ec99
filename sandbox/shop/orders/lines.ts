import { readAmount, ZERO } from '../amount.ts'
import type { NextId } from '../ids.ts'
import type { Catalogue, Product } from '../products/catalogue.ts'
import { RestError } from '../rest-error.ts'
import type { FeeLine, Meta, Order, ProductLine, ShippingLine } from './order.ts'
import type { FeeLineInput, MetaInput, OrderInput, ProductLineInput, ShippingLineInput } from './parameters.ts'
import { adjustStock } from './status.ts'
import { type Taxes, withoutTax } from './tax.ts'

interface Means {
  catalogue: Catalogue
  taxes: Taxes
  nextId: NextId
  now: number
}

/** Writes the lines of a request into an order. Throws RestError with the codes of WooCommerce. */
export function applyLines(order: Order, input: OrderInput, means: Means): void {
  const { nextId } = means
  const product = (line: ProductLine, given: ProductLineInput, isNew: boolean) =>
    fillProductLine(line, given, isNew, means)
  for (const given of input.line_items ?? []) applyLine(order.lines, given, () => newProductLine(nextId), product)
  for (const given of input.shipping_lines ?? [])
    applyLine(order.shippingLines, given, () => newShippingLine(nextId), fillShippingLine)
  for (const given of input.fee_lines ?? []) applyLine(order.feeLines, given, () => newFeeLine(nextId), fillFeeLine)

  /** A line without an id is new, one with an id is changed, and one that is nulled or has no pieces is taken out. */
  function applyLine<Line extends ProductLine | ShippingLine | FeeLine, Given extends LineInput>(
    lines: Line[],
    given: Given,
    create: () => Line,
    fill: (line: Line, given: Given, isNew: boolean) => void,
  ): void {
    const old = given.id ? lines.find((line) => line.id === given.id) : undefined
    const taken = isTakenOut(given)
    if ((given.id || taken) && !old) throw notOfThisOrder()
    if (old && taken) lines.splice(lines.indexOf(old), 1)
    else {
      const line = old ?? create()
      fill(line, given, !old)
      applyMeta(line.meta, given.meta_data ?? [], nextId)
      if (!old) lines.push(line)
      else if ('quantity' in line) adjustStock(order, line, means)
    }
  }
}

type LineInput = ProductLineInput | ShippingLineInput | FeeLineInput

/** Adds meta, or changes what has the same key; a null takes it away. */
export function applyMeta(meta: Meta[], given: readonly MetaInput[], nextId: NextId): void {
  for (const { key, value } of given) {
    if (key === undefined) continue
    const at = meta.findIndex((one) => one.key === key)
    const old = meta[at]
    if (value === null || value === undefined) {
      if (old) meta.splice(at, 1)
    } else if (old) old.value = value
    else meta.push({ id: nextId(), key, value })
  }
}

function fillProductLine(line: ProductLine, given: ProductLineInput, isNew: boolean, means: Means): void {
  const product = productOf(given, isNew, means.catalogue)
  // A product that the shop does not have is no error: the line stays without one, and costs what the request says.
  if (product && product.id !== (line.variationId || line.productId)) {
    line.name = product.name
    line.productId = product.type === 'variation' ? product.parentId : product.id
    line.variationId = product.type === 'variation' ? product.id : 0
    line.taxClass = product.taxClass
    if (isNew) {
      line.total = withoutTax(product.price.times(Math.max(0, given.quantity ?? 1)), product.taxClass, means.taxes)
      line.subtotal = line.total
    }
  }
  if (given.name !== undefined) line.name = String(given.name)
  if (given.quantity !== undefined) line.quantity = given.quantity
  if (given.total !== undefined) line.total = readAmount(given.total)
  if (line.subtotal.lt(line.total)) line.subtotal = line.total
  if (given.subtotal !== undefined) line.subtotal = readAmount(given.subtotal)
  if (given.tax_class !== undefined) line.taxClass = given.tax_class
}

/** A SKU goes before a variation, and that before a product. */
function productOf(given: ProductLineInput, isNew: boolean, catalogue: Catalogue): Product | undefined {
  if (given.sku) return catalogue.bySku(given.sku)
  const id = given.variation_id || Number.parseInt(String(given.product_id ?? ''), 10) || 0
  if (id === 0 && isNew)
    throw new RestError(400, 'woocommerce_rest_required_product_reference', 'Product ID or SKU is required.')
  return catalogue.get(id)
}

function fillShippingLine(line: ShippingLine, given: ShippingLineInput, isNew: boolean): void {
  if (isNew && !given.method_id)
    throw new RestError(400, 'woocommerce_rest_invalid_shipping_item', 'Shipping method ID is required.')
  if (given.method_id !== undefined) line.methodId = String(given.method_id)
  if (given.method_title !== undefined) line.methodTitle = String(given.method_title)
  if (given.instance_id !== undefined) line.instanceId = given.instance_id
  if (given.total !== undefined) line.total = readAmount(given.total)
}

function fillFeeLine(line: FeeLine, given: FeeLineInput, isNew: boolean): void {
  if (isNew && !given.name) throw new RestError(400, 'woocommerce_rest_invalid_fee_item', 'Fee name is required.')
  if (given.name !== undefined) line.name = String(given.name)
  if (given.tax_class !== undefined) line.taxClass = given.tax_class
  if (given.tax_status !== undefined) line.taxStatus = given.tax_status
  if (given.total !== undefined) line.total = readAmount(given.total)
}

function isTakenOut(given: LineInput): boolean {
  const named = [
    'product_id' in given && given.product_id,
    'method_id' in given && given.method_id,
    'method_title' in given && given.method_title,
    'name' in given && given.name,
  ]
  return named.includes(null) || ('quantity' in given && given.quantity === 0)
}

function notOfThisOrder(): RestError {
  const message = 'Order item ID provided is not associated with order.'
  return new RestError(400, 'woocommerce_rest_invalid_item_id', message)
}

function newLine(nextId: NextId) {
  return { id: nextId(), total: ZERO, taxes: [], totalTax: ZERO, meta: [] }
}

function newProductLine(nextId: NextId): ProductLine {
  const product = { name: '', productId: 0, variationId: 0, quantity: 1, taxClass: '' }
  return { ...newLine(nextId), ...product, subtotal: ZERO, subtotalTax: ZERO, reducedStock: 0, restocked: 0 }
}

function newShippingLine(nextId: NextId): ShippingLine {
  return { ...newLine(nextId), methodId: '', methodTitle: '', instanceId: '' }
}

function newFeeLine(nextId: NextId): FeeLine {
  return { ...newLine(nextId), name: '', taxClass: '', taxStatus: 'taxable' }
}
