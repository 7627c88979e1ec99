import type { NextId } from '../ids.ts'
import type { Catalogue } from '../products/catalogue.ts'
import { type Order, type ProductLine, STATUSES, type Status } from './order.ts'
import { needsProcessing, PAYABLE, productOf } from './payment.ts'

interface Means {
  catalogue: Catalogue
  nextId: NextId
  now: number
}

const TAKES_STOCK: readonly Status[] = ['processing', 'completed', 'on-hold']
/** Is paid when the customer has the goods: no status before says that it is. */
const CASH_ON_DELIVERY = 'cod'
const GIVES_STOCK: readonly Status[] = ['cancelled', 'pending']

/** Marks an order as paid: transaction, date, status, and with the status the stock. */
export function completePayment(order: Order, transactionId: string | null | undefined, means: Means): void {
  if (!PAYABLE.includes(order.status)) return
  if (transactionId) order.transactionId = transactionId
  order.paidAt ??= means.now
  setStatus(order, paidStatus(order, means.catalogue), means)
}

/** Moves an order to a status, with what WooCommerce does along: dates, a note, stock. */
export function setStatus(order: Order, status: Status, means: Means): void {
  if (order.status === status) return
  const from = order.status
  order.status = status
  const { catalogue, now } = means
  if (status === paidStatus(order, catalogue) || status === 'completed') order.paidAt ??= now
  if (status === 'completed') order.completedAt = now
  if (TAKES_STOCK.includes(status) && !order.stockReduced) moveStock(order, 'reduced', means)
  if (GIVES_STOCK.includes(status) && order.stockReduced) moveStock(order, 'increased', means)
  addNote(order, `Order status changed from ${STATUSES[from]} to ${STATUSES[status]}.`, false, means)
}

export function addNote(order: Order, text: string, forCustomer: boolean, { nextId, now }: Omit<Means, 'catalogue'>) {
  const note = { id: nextId(), text, forCustomer, createdAt: now }
  order.notes.push(note)
  return note
}

function paidStatus(order: Order, catalogue: Catalogue): Status {
  if (order.paymentMethod === CASH_ON_DELIVERY) return 'completed'
  return needsProcessing(order, catalogue) ? 'processing' : 'completed'
}

/**
 * A line that is named by a change of its order takes its pieces at once, whatever the status, and releases those that it has no more.
 * The order counts as one that has taken stock from then on: its payment takes none for the other lines.
 */
export function adjustStock(
  order: Order,
  line: ProductLine,
  { catalogue, now }: Pick<Means, 'catalogue' | 'now'>,
): void {
  const product = productOf(line, catalogue)
  const holder = product && catalogue.stockHolder(product)
  const due = line.quantity - line.restocked
  if (!holder || holder.stock === null || due === line.reducedStock) return
  holder.stock += line.reducedStock - due
  holder.modifiedAt = now
  line.reducedStock = due
  order.stockReduced = true
}

/** The stock of each line's product moves once. It may fall below zero: nothing is refused. */
function moveStock(order: Order, way: 'reduced' | 'increased', means: Means): void {
  const moves: string[] = []
  for (const line of order.lines) {
    const product = productOf(line, means.catalogue)
    const holder = product && means.catalogue.stockHolder(product)
    if (!product || !holder || holder.stock === null) continue
    const before = holder.stock
    const taken = way === 'reduced' ? line.quantity : 0
    holder.stock = before + line.reducedStock - taken
    line.reducedStock = taken
    holder.modifiedAt = means.now
    if (holder.stock !== before)
      moves.push(`${product.name} (${product.sku || `#${product.id}`}) ${before}→${holder.stock}`)
  }
  order.stockReduced = way === 'reduced'
  if (moves.length > 0) addNote(order, `Stock levels ${way}: ${moves.join(', ')}`, false, means)
}
