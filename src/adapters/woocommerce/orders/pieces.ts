import { PermanentError } from '../../../domain/values/errors.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import { refundedOf, type ShopLine, type ShopOrder, type ShopRefund } from '../people/shop-order.ts'

/** How many pieces of a line were not given back yet. */
export function piecesLeft(line: ShopLine, refunds: readonly ShopRefund[]): number {
  const given = refunds.flatMap(({ line_items }) => line_items.filter((one) => refundedOf(one) === line.id))
  return line.quantity - given.reduce((pieces, { quantity }) => pieces + Math.abs(quantity), 0)
}

/**
 * Takes pieces from lines of one article, the first that have some. Throws PermanentError `more-than-ordered`, or
 * `not-in-pieces` for 1.5 of something.
 */
export function takePieces(
  lines: readonly ShopLine[],
  quantity: Decimal,
  { order, refunds, destination }: { order: ShopOrder; refunds: readonly ShopRefund[]; destination: string },
): { line: ShopLine; pieces: number }[] {
  const name = lines[0]?.name ?? 'the line'
  const what = `${destination}: order ${order.number}: ${quantity} of "${name}"`
  if (!/^[1-9]\d{0,8}$/.test(quantity))
    throw new PermanentError(`${what}: the shop counts in pieces. Do it in the shop, then skip this.`, {
      code: 'not-in-pieces',
    })
  let rest = Number(quantity)
  const taken = lines.flatMap((line) => {
    const pieces = Math.min(rest, Math.max(0, piecesLeft(line, refunds)))
    rest -= pieces
    return pieces > 0 ? [{ line, pieces }] : []
  })
  if (rest === 0) return taken
  const ordered = lines.reduce((sum, line) => sum + line.quantity, 0)
  const left = Number(quantity) - rest
  const given =
    ordered > left ? `${ordered} were ordered, ${left} of them are left to give back` : `${ordered} were ordered`
  throw new PermanentError(`${what} are more than there are: ${given}. Look at the refunds of the order.`, {
    code: 'more-than-ordered',
  })
}
