import { Big } from 'big.js'
import { PermanentError } from './errors.ts'
import { field } from './field.ts'

/** Exact decimal in canonical text: no exponent, plus, trailing zeros or -0. Equal if the texts are (===). */
export type Decimal = string & { readonly kind: 'decimal' }

export interface Money {
  amount: Decimal
  currency: string
}

const Exact = Big()
Exact.strict = true
Exact.RM = Big.roundDown

const BIG_ZERO = new Exact('0')
export const ZERO = '0' as Decimal

/** Commas are ambiguous and refused. Tiny JSON numbers (binary sums) have some 340 decimals as text. */
const NUMERIC_TEXT = /^[+-]?\d{1,30}(\.\d{1,400})?$/
const CANONICAL = /^-?(0|[1-9]\d{0,29})(\.\d{0,399}[1-9])?$/

/** Parses a JSON number by its shortest text (0.1 stays 0.1), or numeric text with a point, blanks allowed. */
export function parseDecimal(wire: unknown): Decimal {
  return decimalOrNull(wire) ?? notDecimal(wire)
}

/** Null: not a decimal. */
export function decimalOrNull(wire: unknown): Decimal | null {
  // Fast path: lists have a million of them.
  if (Number.isSafeInteger(wire)) return String(wire) as Decimal
  const isNumber = typeof wire === 'number' && Math.abs(wire) <= Number.MAX_SAFE_INTEGER
  if (!isNumber && typeof wire !== 'string') return null
  const text = String(wire).trim()
  if (CANONICAL.test(text) && text !== '-0') return text as Decimal
  return isNumber || NUMERIC_TEXT.test(text) ? canonical(new Exact(text.replace('+', ''))) : null
}

function notDecimal(wire: unknown): never {
  throw new PermanentError(`not a decimal: ${shown(wire)} (expected a number, or text such as "1399.50")`, {
    code: 'not-a-decimal',
  })
}

export function sumDecimals(decimals: Iterable<Decimal>): Decimal {
  let total = BIG_ZERO
  for (const decimal of decimals) total = total.plus(decimal)
  return canonical(total)
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return canonical(new Exact(a).minus(b))
}

export function distanceBetween(a: Decimal, b: Decimal): Decimal {
  return canonical(new Exact(a).minus(b).abs())
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return canonical(new Exact(a).times(b))
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  return new Exact(a).cmp(b)
}

/** Lossless JSON number. Throws PermanentError `not-exact`. */
export function toNumber(decimal: Decimal): number {
  const number = Number(decimal)
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER && parseDecimal(number) === decimal) return number
  throw new PermanentError(`${decimal} has more digits than a JSON number can hold`, { code: 'not-exact' })
}

/** Currency in any case. Throws PermanentError `not-a-decimal` or `not-a-currency`. */
export function money(amount: unknown, currency: unknown): Money {
  const code = currencyCode(currency)
  return { amount: parseDecimal(amount), currency: code }
}

/** In capitals. Throws PermanentError `not-a-currency`. */
export function currencyCode(currency: unknown): string {
  const code = typeof currency === 'string' ? currency.trim().toUpperCase() : ''
  if (/^[A-Z]{3}$/.test(code)) return code
  throw new PermanentError(`not a currency: ${shown(currency)}`, { code: 'not-a-currency' })
}

/** a + b, exact. Throws PermanentError `mixed-currencies`. */
export function addMoney(a: Money, b: Money): Money {
  return { amount: canonical(new Exact(a.amount).plus(sameCurrency(a.currency, b))), currency: a.currency }
}

/** a − b, exact. Throws PermanentError `mixed-currencies`. */
export function subtractMoney(a: Money, b: Money): Money {
  return { amount: canonical(new Exact(a.amount).minus(sameCurrency(a.currency, b))), currency: a.currency }
}

export function negateMoney(value: Money): Money {
  return { amount: canonical(BIG_ZERO.minus(value.amount)), currency: value.currency }
}

export function multiplyMoney(price: Money, quantity: Decimal): Money {
  return { amount: canonical(new Exact(price.amount).times(quantity)), currency: price.currency }
}

/** To four decimals, half away from zero. Of no pieces: the whole. */
export function divideMoney(whole: Money, pieces: Decimal): Money {
  if (pieces === ZERO) return whole
  return money(new Big(whole.amount).div(pieces).round(4).toFixed(), whole.currency)
}

export function sumMoney(moneys: Iterable<Money>, currency: string): Money {
  let total = BIG_ZERO
  for (const each of moneys) total = total.plus(sameCurrency(currency, each))
  return { amount: canonical(total), currency }
}

/** To minor units, half away from zero: 2.345 NOK is 2.35, −0.5 JPY is −1. */
export function roundMoney(value: Money): Money {
  return {
    amount: canonical(new Exact(value.amount).round(minorDigits(value.currency), Big.roundHalfUp)),
    currency: value.currency,
  }
}

export function equalMoney(a: Money, b: Money): boolean {
  return a.currency === b.currency && new Exact(a.amount).eq(b.amount)
}

export function allocateMoney(whole: Money, weights: readonly Decimal[]): Money[] {
  const total = new Exact(sumDecimals(weights))
  if (total.eq(BIG_ZERO) && !new Exact(whole.amount).eq(BIG_ZERO))
    throw new PermanentError(`cannot split ${whole.amount} ${whole.currency} by weights that add up to 0`, {
      code: 'not-allocatable',
    })
  const digits = minorDigits(whole.currency)
  const last = weights.findLastIndex((weight) => !new Exact(weight).eq(BIG_ZERO))
  let rest = new Exact(whole.amount)
  const shares = weights.map((weight, index) => {
    if (index === last || total.eq(BIG_ZERO)) return BIG_ZERO
    const share = new Exact(whole.amount).times(weight).div(total).round(digits, Big.roundDown)
    rest = rest.minus(share)
    return share
  })
  return shares.map((share, index) => ({ amount: canonical(index === last ? rest : share), currency: whole.currency }))
}

export function amountText(value: Money): string {
  const decimals = value.amount.split('.')[1]?.length ?? 0
  return new Exact(value.amount).toFixed(Math.max(decimals, minorDigits(value.currency)))
}

/** `249.00 NOK` */
export function moneyText(value: Money): string {
  return `${amountText(value)} ${value.currency}`
}

/** Without minor units. Intl also drops unused ones (HUF, COP …), which would lose money. */
const WITHOUT_COINS = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '))
const digitsOf = new Map<string, number>()

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

function canonical(value: Big): Decimal {
  return value.toFixed() as Decimal
}

function shown(wire: unknown): string {
  if (typeof wire === 'object' && wire !== null) return Array.isArray(wire) ? 'a list' : 'an object'
  return typeof wire === 'string' ? JSON.stringify(wire.slice(0, 60)).slice(0, 60) : String(wire)
}

export function readDecimal(value: unknown, name: string, refuse?: () => never): Decimal | null {
  const found = field(value, name)
  if (found === undefined || found === null || (typeof found === 'string' && found.trim() === '')) return null
  return decimalOrNull(found) ?? (refuse ? refuse() : notDecimal(found))
}

/** Error if two systems use different currencies, naming both: amounts are never carried over. */
export function otherCurrency(
  given: string | null | undefined,
  kept: string | null | undefined,
  whose: string,
): string | null {
  if (!given || !kept || given.toUpperCase() === kept.toUpperCase()) return null
  return `the money is in ${given.toUpperCase()}, and ${whose} counts in ${kept.toUpperCase()}`
}
