import type { OrderLineUpdate } from '../../domain/orders/order-update.ts'
import { keyPart } from '../../domain/queue/event.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import {
  compareDecimals,
  type Decimal,
  parseDecimal,
  subtractDecimals,
  sumDecimals,
} from '../../domain/values/money.ts'
import type { Known, Ledger } from '../flow.ts'

const ZERO = parseDecimal(0)

export function ledgerOf(
  kind: string,
  of: string,
  lines: readonly OrderLineUpdate[],
  part: string,
  effects: (key: string) => string,
): Ledger {
  const line = lineOf(lines, part)
  const { key, gtin } = line
  const same = lines.filter((other) => other.gtin === gtin)
  const article = gtin && {
    of: `${of}/`,
    key: keyPart(gtin),
    keys: same.map((other) => other.key),
    level: sumDecimals(same.flatMap(({ quantity }) => quantity ?? [])),
  }
  return { kind, id: `${of}/${key}`, level: quantityOf(line), effects: effects(key), article: article || null }
}

/** The call about what the destination was not told yet. */
export function rest<C>(line: OrderLineUpdate, { told }: Known, call: (quantity: Decimal) => C): C | null {
  const quantity = subtractDecimals(quantityOf(line), told)
  return compareDecimals(quantity, ZERO) > 0 ? call(quantity) : null
}

export function lineOf(lines: readonly OrderLineUpdate[], part: string): OrderLineUpdate {
  return lines.find(({ key }) => key === part) ?? unreadable(`the line ${part}`)
}

export function quantityOf({ quantity, key }: OrderLineUpdate): Decimal {
  return quantity ?? unreadable(`a quantity above 0 in the line ${key}`)
}

export function unreadable(what: string): never {
  throw new PermanentError(`the order lacks ${what}`, { code: 'bad-order' })
}
