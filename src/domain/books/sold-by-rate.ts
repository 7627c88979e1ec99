import { Big } from 'big.js'
import { PermanentError } from '../values/errors.ts'
import {
  addMoney,
  amountText,
  type Decimal,
  equalMoney,
  type Money,
  money,
  multiplyMoney,
  parseDecimal,
  roundMoney,
  subtractMoney,
  sumMoney,
} from '../values/money.ts'
import { type Accounts, areaRate, type VatArea } from './accounts.ts'
import type { Settlement, VatRate } from './settlement.ts'

/** Sales at one rate, in whole coins. */
export interface SoldAtRate {
  percent: Decimal
  /** Without VAT. */
  net: Money
  vat: Money
}

/**
 * The sales of a settlement at each rate; nets and VAT add up to its total exactly.
 *
 * Its fiscal report names each rate: it is taken where it is about the same total. Else there is the VAT of each area alone,
 * and what was sold is that divided by its rate. Throws PermanentError `no-account` for an area whose rate nobody knows,
 * `bad-settlement` where totals are missing.
 */
export function soldByRate(settlement: Settlement, accounts: Accounts): SoldAtRate[] {
  const { netTotal, grandTotal, vatRates, vatAreas } = settlement
  const vat = vatOf(settlement)
  const total = netTotal && vat ? roundMoney(addMoney(netTotal, vat)) : grandTotal && roundMoney(grandTotal)
  const reported = vatRates?.length ? inReport(vatRates, total, settlement.currency) : null
  if (reported) return reported
  if (!total || !vat)
    throw new PermanentError('the settlement has neither NetTotal with VATTotal, nor GrandTotal with one of them', {
      code: 'bad-settlement',
    })
  return withNets(ofAreas(vatAreas, vat, accounts), total, accounts)
}

/** Null: nobody says. That no area has any does not say that there was none. */
function vatOf({ grandTotal, netTotal, vatTotal, vatAreas, currency }: Settlement): Money | null {
  if (vatTotal) return vatTotal
  if (grandTotal && netTotal) return subtractMoney(grandTotal, netTotal)
  const known = vatAreas.flatMap((area) => area ?? [])
  return known.length > 0 ? sumMoney(known, currency) : null
}

/**
 * Whether the report's sales are with VAT is told by which of the two adds up (no source says so). Null: neither does. It may
 * leave out what was not paid at once, or write returns without a sign.
 */
function inReport(rates: readonly VatRate[], total: Money | null, currency: string): SoldAtRate[] | null {
  const rows = rates.map(({ rate, sales, vat }) => {
    return { percent: percentOf(rate), sales: roundMoney(sales), vat: roundMoney(vat) }
  })
  const sales = sumMoney(
    rows.map((row) => row.sales),
    currency,
  )
  const vat = sumMoney(
    rows.map((row) => row.vat),
    currency,
  )
  const isWithVat = total === null || equalMoney(sales, total)
  if (!isWithVat && !equalMoney(addMoney(sales, vat), total)) return null
  return rows.map((row) => ({
    percent: row.percent,
    net: isWithVat ? subtractMoney(row.sales, row.vat) : row.sales,
    vat: row.vat,
  }))
}

/** The VAT of each area, and what is in none, with their rates. */
function ofAreas(areas: Settlement['vatAreas'], whole: Money, accounts: Accounts): Omit<SoldAtRate, 'net'>[] {
  const { currency } = whole
  const given = areas.flatMap((vat, index) =>
    vat && vat.amount !== '0' ? [{ area: (index + 1) as VatArea, vat }] : [],
  )
  const inAreas = given.map(({ vat }) => vat)
  const left = subtractMoney(whole, sumMoney(inAreas, currency))
  // Areas and their total may each have been rounded by itself: a coin an area is not the VAT of another rate.
  const isNoise = isWithin(left, multiplyMoney(coinOf(currency), parseDecimal(given.length)))
  const all = isNoise ? addToLargest(given, 'vat', left) : [...given, { area: 'other' as const, vat: left }]
  return all.map(({ area, vat }) => ({ percent: areaRate(accounts, area, vat), vat: roundMoney(vat) }))
}

/**
 * Nets from VAT. VAT is rounded on each line of a receipt, so a net that is calculated back is some coins off; and what was
 * sold without VAT is in no area. The two cannot be told apart: what is left of the total was sold at 0 %, where that has an
 * account. Where it has none it is coins, and they belong to the largest net, or it is too much for that, and an account is
 * missing.
 */
function withNets(areas: readonly Omit<SoldAtRate, 'net'>[], total: Money, { vat: accounts }: Accounts): SoldAtRate[] {
  const { currency } = total
  const parts = areas.map(({ percent, vat }) => ({ percent, net: netOf(vat, percent), vat }))
  const parted = sumMoney(
    parts.flatMap(({ net, vat }) => [net, vat]),
    currency,
  )
  const rest = subtractMoney(total, parted)
  const isCoins =
    isWithin(rest, multiplyMoney(total, HUNDREDTH)) || isWithin(rest, multiplyMoney(coinOf(currency), HUNDRED))
  if (isCoins && parts.length > 0 && !Object.hasOwn(accounts, '0')) return addToLargest(parts, 'net', rest)
  return [...parts, { percent: parseDecimal(0), net: rest, vat: money(0, currency) }]
}

/** The VAT of a line of 5.00 that is half a coin off makes its net so much wrong, and hardly anything is cheaper. */
const HUNDREDTH = parseDecimal('0.01')
const HUNDRED = parseDecimal(100)

function netOf({ amount, currency }: Money, percent: Decimal): Money {
  return roundMoney(money(new Big(amount).times(100).div(percent).toFixed(), currency))
}

/** In percent, to four decimals: a fraction that was a JS number on its way may have a digit too many. */
function percentOf(fraction: Decimal): Decimal {
  return parseDecimal(new Big(fraction).times(100).round(4).toFixed())
}

function addToLargest<Key extends 'net' | 'vat', Part extends Record<Key, Money>>(
  parts: readonly Part[],
  key: Key,
  more: Money,
): Part[] {
  const largest = parts.reduce(
    (most: Part | undefined, part) => (most && isWithin(part[key], most[key]) ? most : part),
    undefined,
  )
  return parts.map((part) => (part === largest ? { ...part, [key]: addMoney(part[key], more) } : part))
}

/** Whether it is no larger, whatever the sign of either. */
function isWithin(amount: Money, limit: Money): boolean {
  return new Big(amount.amount).abs().lte(new Big(limit.amount).abs())
}

/** 0.01 NOK, 1 JPY. */
function coinOf(currency: string): Money {
  return money(amountText(money(0, currency)).replace(/0$/, '1'), currency)
}
