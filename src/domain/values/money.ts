import { Big } from 'big.js'
import { PermanentError } from './errors.ts'

/**
 * An exact decimal as canonical text: no exponent, no plus, no trailing zeros, no -0 ("1.00" is kept as "1"). Two decimals
 * are equal exactly when their texts are (===), and they survive JSON and a database as they are.
 */
export type Decimal = string & { readonly kind: 'decimal' }

/** An amount in one currency. Any number of decimals: a unit price may have more than the currency's coins. */
export interface Money {
  amount: Decimal
  /** ISO 4217, in capitals: `NOK`. */
  currency: string
}

/** Own settings: a JS number is refused wherever one slips in, and a division is cut off, never rounded up. */
const Exact = Big()
Exact.strict = true
Exact.RM = Big.roundDown

const ZERO = new Exact('0')

/**
 * The platform writes "1399.50" and JSON numbers. A comma may be a decimal or a thousands sign, so it is never read. The smallest
 * JSON numbers, such as sums in binary leave where nothing should be, have some 340 decimals as text.
 */
const NUMERIC_TEXT = /^[+-]?\d{1,30}(\.\d{1,400})?$/

/** The same as it is kept. */
const CANONICAL = /^-?(0|[1-9]\d{0,29})(\.\d{0,399}[1-9])?$/

/**
 * Reads a decimal from the wire: a JSON number by its shortest decimal text (0.1 stays 0.1), or numeric text with a point,
 * blanks around it allowed ("1399.50", "-1").
 *
 * Throws PermanentError `not-a-decimal` on anything else: commas and other thousands signs, exponents in text, empty text,
 * null, NaN, and numbers beyond 2^53, whose digits JSON has already lost.
 */
export function parseDecimal(wire: unknown): Decimal {
  // A list has a million of them: what is written as it is to be need not be worked out.
  if (Number.isSafeInteger(wire)) return String(wire) as Decimal
  if (typeof wire === 'string' && CANONICAL.test(wire) && wire !== '-0') return wire as Decimal
  if (typeof wire === 'number' && Math.abs(wire) <= Number.MAX_SAFE_INTEGER) return canonical(new Exact(String(wire)))
  if (typeof wire === 'string' && NUMERIC_TEXT.test(wire.trim()))
    return canonical(new Exact(wire.trim().replace('+', '')))
  throw new PermanentError(`not a decimal: ${shown(wire)} (expected a number, or text such as "1399.50")`, {
    code: 'not-a-decimal',
  })
}

/** The sum of plain decimals (quantities); none make 0. */
export function sumDecimals(decimals: Iterable<Decimal>): Decimal {
  let total = ZERO
  for (const decimal of decimals) total = total.plus(decimal)
  return canonical(total)
}

/** a − b, exact. */
export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return canonical(new Exact(a).minus(b))
}

/** How far two decimals are from each other: never below 0. */
export function distanceBetween(a: Decimal, b: Decimal): Decimal {
  return canonical(new Exact(a).minus(b).abs())
}

/** a × b, exact and not rounded: a price and a quantity where no currency is named. */
export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return canonical(new Exact(a).times(b))
}

/** Below 0 when a is the smaller, above 0 when it is the larger, else 0: fit for `sort`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  return new Exact(a).cmp(b)
}

/**
 * The decimal as a JSON number, for interfaces that take nothing else; read again, it gives the same decimal.
 * Throws PermanentError `not-exact` where a number cannot hold all its digits.
 */
export function toNumber(decimal: Decimal): number {
  const number = Number(decimal)
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER && parseDecimal(number) === decimal) return number
  throw new PermanentError(`${decimal} has more digits than a JSON number can hold`, { code: 'not-exact' })
}

/**
 * Money from wire forms: the amount as parseDecimal reads it, the currency as three letters in any case.
 * Throws PermanentError `not-a-decimal` or `not-a-currency`.
 */
export function money(amount: unknown, currency: unknown): Money {
  const code = typeof currency === 'string' ? currency.trim().toUpperCase() : ''
  if (!/^[A-Z]{3}$/.test(code))
    throw new PermanentError(`not a currency: ${shown(currency)}`, { code: 'not-a-currency' })
  return { amount: parseDecimal(amount), currency: code }
}

/** a + b, exact. Throws PermanentError `mixed-currencies`. */
export function addMoney(a: Money, b: Money): Money {
  return { amount: canonical(new Exact(a.amount).plus(sameCurrency(a.currency, b))), currency: a.currency }
}

/** a − b, exact. Throws PermanentError `mixed-currencies`. */
export function subtractMoney(a: Money, b: Money): Money {
  return { amount: canonical(new Exact(a.amount).minus(sameCurrency(a.currency, b))), currency: a.currency }
}

/** A unit price times a quantity (pieces, kilograms; negative for a return), exact and not rounded. */
export function multiplyMoney(price: Money, quantity: Decimal): Money {
  return { amount: multiplyDecimals(price.amount, quantity), currency: price.currency }
}

/** The exact sum, in this currency even when there is nothing to add. Throws PermanentError `mixed-currencies`. */
export function sumMoney(moneys: Iterable<Money>, currency: string): Money {
  let total = ZERO
  for (const each of moneys) total = total.plus(sameCurrency(currency, each))
  return { amount: canonical(total), currency }
}

/** Rounded to the coins of its currency, a half away from zero: 2.345 NOK is 2.35, −0.5 JPY is −1. */
export function roundMoney(value: Money): Money {
  return {
    amount: canonical(new Exact(value.amount).round(minorDigits(value.currency), Big.roundHalfUp)),
    currency: value.currency,
  }
}

/** Same currency and same amount, however either was written (1.0 = 1.00). Different currencies are never equal. */
export function equalMoney(a: Money, b: Money): boolean {
  return a.currency === b.currency && new Exact(a.amount).eq(b.amount)
}

/**
 * Splits a whole by weights (one payment over the stores that ship the lines). Each share is cut down to coins, toward zero,
 * and the last line that has a weight takes what remains, so that the shares add up to the whole exactly and none of
 * positive weights turns negative. Throws PermanentError `not-allocatable` when there is something to split and the
 * weights add up to nothing.
 */
export function allocateMoney(whole: Money, weights: readonly Decimal[]): Money[] {
  const total = new Exact(sumDecimals(weights))
  if (total.eq(ZERO) && !new Exact(whole.amount).eq(ZERO))
    throw new PermanentError(`cannot split ${whole.amount} ${whole.currency} by weights that add up to 0`, {
      code: 'not-allocatable',
    })
  const digits = minorDigits(whole.currency)
  const last = weights.findLastIndex((weight) => !new Exact(weight).eq(ZERO))
  let rest = new Exact(whole.amount)
  const shares = weights.map((weight, index) => {
    if (index === last || total.eq(ZERO)) return ZERO
    const share = new Exact(whole.amount).times(weight).div(total).round(digits, Big.roundDown)
    rest = rest.minus(share)
    return share
  })
  return shares.map((share, index) => ({ amount: canonical(index === last ? rest : share), currency: whole.currency }))
}

/** The amount with at least the currency's decimals, for people and for wires that want them: "1399.50". Drops no digit. */
export function amountText(value: Money): string {
  const decimals = value.amount.split('.')[1]?.length ?? 0
  return new Exact(value.amount).toFixed(Math.max(decimals, minorDigits(value.currency)))
}

/** ISO 4217 currencies without coins. Intl also drops the coins that nobody uses (HUF, COP …), which would lose money. */
const WITHOUT_COINS = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '))

const digitsOf = new Map<string, number>()

/** How many decimals the coins of a currency have: NOK 2, JPY 0, KWD 3. A code that nobody knows has 2. */
function minorDigits(currency: string): number {
  if (WITHOUT_COINS.has(currency)) return 0
  const known = digitsOf.get(currency)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = Math.max(format.resolvedOptions().maximumFractionDigits ?? 2, 2)
  digitsOf.set(currency, digits)
  return digits
}

function sameCurrency(currency: string, other: Money): Decimal {
  if (other.currency === currency) return other.amount
  throw new PermanentError(`cannot add ${other.amount} ${other.currency} to ${currency}: currencies differ`, {
    code: 'mixed-currencies',
  })
}

/** toFixed() without an argument: all digits, never an exponent, no trailing zeros, no -0. */
function canonical(value: Big): Decimal {
  return value.toFixed() as Decimal
}

/** A list or an object may be of any size and depth: it is not written out. */
function shown(wire: unknown): string {
  if (typeof wire === 'object' && wire !== null) return Array.isArray(wire) ? 'a list' : 'an object'
  return typeof wire === 'string' ? JSON.stringify(wire.slice(0, 60)).slice(0, 60) : String(wire)
}
