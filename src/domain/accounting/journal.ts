import { Big } from 'big.js'
import { PermanentError } from '../values/errors.ts'
import {
  addMoney,
  amountText,
  compareDecimals,
  type Decimal,
  equalMoney,
  type Money,
  money,
  moneyText,
  multiplyDecimals,
  multiplyMoney,
  negateMoney,
  parseDecimal,
  roundMoney,
  subtractMoney,
  sumMoney,
  ZERO,
} from '../values/money.ts'
import { isWithin } from '../values/text.ts'
import type { Settlement, SettlementRow, VatRate } from './settlement.ts'

export interface Journal {
  lines: JournalLine[]
  difference: Money
}

export function journalOf(settlement: Settlement, accounts: Accounts): Journal {
  const lines = [...paid(settlement, accounts), ...sold(settlement, accounts), ...moved(settlement, accounts)]
  return closed(together(lines), settlement.currency)
}

export function differenceText({ difference }: Journal): string {
  const amount = `${amountText(difference).replace('-', '')} ${difference.currency}`
  if (difference.amount === '0') return 'debit and credit are the same'
  return !difference.amount.startsWith('-')
    ? `debit is ${amount} more than credit`
    : `credit is ${amount} more than debit`
}

export function withDifference({ lines, difference }: Journal, account: string, text: string): Journal {
  const line = { account, text, amount: negateMoney(difference), vatRate: null }
  return closed(difference.amount === '0' ? lines : [...lines, line], difference.currency)
}

function closed(lines: JournalLine[], currency: string): Journal {
  return { lines, difference: sumOf(currency, lines, ({ amount }) => amount) }
}

function sumOf<Row>(currency: string, rows: readonly Row[], amountOf: (row: Row) => Money): Money {
  return sumMoney(rows.map(amountOf), currency)
}

function together(lines: readonly JournalLine[]): JournalLine[] {
  const same = Map.groupBy(lines, ({ account, text }) => `${account}\n${text}`)
  return [...same.values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const amount = sumOf(first.amount.currency, all, (line) => line.amount)
    return amount.amount === '0' ? [] : [{ ...first, amount }]
  })
}

interface JournalLine {
  account: string
  text: string
  amount: Money
  vatRate: string | null
}

function paid({ payments }: Settlement, accounts: Accounts): JournalLine[] {
  if (payments === null) throw new PermanentError('the settlement names no payments', { code: 'bad-settlement' })
  return payments
    .filter(({ amount }) => amount.amount !== '0')
    .map((row) => ({
      account: paymentAccount(accounts, row),
      text: paymentText(row),
      amount: roundMoney(row.amount),
      vatRate: null,
    }))
}

function sold(settlement: Settlement, accounts: Accounts): JournalLine[] {
  const rates = soldByRate(settlement, accounts).toSorted((a, b) => compareDecimals(b.percent, a.percent))
  return rates.flatMap(({ percent, net, vat }) =>
    [
      { part: 'sales' as const, text: `Sales ${percent} %`, sum: net },
      { part: 'vat' as const, text: `VAT ${percent} %`, sum: vat },
    ]
      .filter(({ sum }) => sum.amount !== '0')
      .map(({ part, text, sum }) => ({
        account: rateAccount(accounts, percent, part),
        text,
        amount: negateMoney(sum),
        vatRate: multiplyDecimals(percent, HUNDREDTH),
      })),
  )
}

function moved(settlement: Settlement, accounts: Accounts): JournalLine[] {
  return cashMoves(settlement, accounts).flatMap(({ debit, credit, text, amount }) => {
    const sum = roundMoney(amount)
    return [
      { account: debit, text, amount: sum, vatRate: null },
      { account: credit, text, amount: negateMoney(sum), vatRate: null },
    ]
  })
}

/** Cash movements besides sales. Throws PermanentError `no-account`. */
function cashMoves(
  settlement: Settlement,
  accounts: Accounts,
): { debit: string; credit: string; text: string; amount: Money }[] {
  const drawer = (row: SettlementRow | null) => drawerAccount(accounts, row)
  const part = (name: Part) => accounts[name] ?? lacks(name, `add accounts.${name}`)
  const deposits = byDrawer(settlement.deposits).map((row) => {
    return { debit: drawer(row), credit: part('deposits'), text: 'Deposit', amount: row.amount }
  })
  const withdrawals = byDrawer(settlement.withdrawals).map((row) => {
    return { debit: part('withdrawals'), credit: drawer(row), text: 'Withdrawal', amount: row.amount }
  })
  const moves = [...deposits, ...withdrawals]
  const amount = discrepancyOf(settlement)
  if (amount.amount === '0') return moves
  return [...moves, { debit: drawer(null), credit: part('discrepancy'), text: 'Discrepancy', amount }]
}

/** Positive: surplus. */
function discrepancyOf(settlement: Settlement): Money {
  const { discrepancy, closingCashBalance, currency } = settlement
  if (discrepancy === null) return money(0, currency)
  const found = [false, true].flatMap((withForeign) => {
    const expected = expectedCash(settlement, withForeign)
    return closingCashBalance && expected ? [subtractMoney(closingCashBalance, expected)] : []
  })
  return found.find((each) => withoutSign(each).amount === withoutSign(discrepancy).amount) ?? discrepancy
}

function expectedCash(
  { openingCashBalance, payments, deposits, withdrawals, currency }: Settlement,
  withForeign: boolean,
): Money | null {
  if (!openingCashBalance || !payments || !deposits || !withdrawals) return null
  const cash = payments.filter((row) => isCash(row) && (withForeign || !isForeignCash(row)))
  const came = sumOf(currency, [...cash, ...byDrawer(deposits)], ({ amount }) => amount)
  const went = sumOf(currency, byDrawer(withdrawals), ({ amount }) => amount)
  return subtractMoney(addMoney(openingCashBalance, came), went)
}

/** One row a drawer. The list tells the direction, not the sign; one that was taken back is of the other sign. */
function byDrawer(rows: readonly SettlementRow[] | null): SettlementRow[] {
  const drawers = [...Map.groupBy(rows ?? [], isForeignCash).values()] as [SettlementRow, ...SettlementRow[]][]
  return drawers.flatMap(([first, ...others]) => {
    const amount = withoutSign(sumOf(first.amount.currency, [first, ...others], (row) => row.amount))
    return amount.amount === '0' ? [] : [{ ...first, amount }]
  })
}

function withoutSign({ amount, currency }: Money): Money {
  return money(amount.replace('-', ''), currency)
}

interface SoldAtRate {
  percent: Decimal
  net: Money
  vat: Money
}

function soldByRate(settlement: Settlement, accounts: Accounts): SoldAtRate[] {
  const { netTotal, grandTotal, vatRates, vatAreas } = settlement
  const vat = vatOf(settlement)
  const total = netTotal && vat ? roundMoney(addMoney(netTotal, vat)) : grandTotal && roundMoney(grandTotal)
  const reported = vatRates?.length ? inReport(vatRates, total, settlement) : null
  if (reported) return reported
  if (!total || !vat)
    throw new PermanentError('the settlement has neither NetTotal with VATTotal, nor GrandTotal with one of them', {
      code: 'bad-settlement',
    })
  return withNets(ofAreas(vatAreas, vat, accounts), total, accounts)
}

function vatOf({ grandTotal, netTotal, vatTotal, vatAreas, currency }: Settlement): Money | null {
  if (vatTotal) return vatTotal
  if (grandTotal && netTotal) return subtractMoney(grandTotal, netTotal)
  const known = vatAreas.flatMap((area) => area ?? [])
  return known.length > 0 ? sumMoney(known, currency) : null
}

/** With or without VAT: whichever adds up (undocumented). Null: neither, or its VAT is not that of the settlement. */
function inReport(
  rates: readonly VatRate[],
  total: Money | null,
  { currency, vatTotal }: Pick<Settlement, 'currency' | 'vatTotal'>,
): SoldAtRate[] | null {
  const rows = rates.map(({ rate, sales, vat }) => {
    // Binary fractions may have a digit too many.
    const percent = parseDecimal(new Big(rate).times(100).round(4).toFixed())
    return { percent, sales: roundMoney(sales), vat: roundMoney(vat) }
  })
  const sales = sumOf(currency, rows, (row) => row.sales)
  const vat = sumOf(currency, rows, (row) => row.vat)
  const roundings = multiplyMoney(coinOf(currency), parseDecimal(rows.length))
  if (vatTotal && !isAtMost(subtractMoney(vat, vatTotal), roundings)) return null
  const isWithVat = total === null || equalMoney(sales, total)
  if (!isWithVat && !equalMoney(addMoney(sales, vat), total)) return null
  return rows.map(({ percent, sales: net, vat }) => ({ percent, net: isWithVat ? subtractMoney(net, vat) : net, vat }))
}

function ofAreas(areas: Settlement['vatAreas'], whole: Money, accounts: Accounts): Omit<SoldAtRate, 'net'>[] {
  const { currency } = whole
  const given = areas.flatMap((vat, index) =>
    vat && vat.amount !== '0' ? [{ area: (index + 1) as VatArea, vat }] : [],
  )
  const known = sumOf(currency, given, ({ vat }) => vat)
  const left = subtractMoney(whole, known)
  // Independent rounding: a minor unit per area is no VAT of another rate.
  const isNoise = isAtMost(left, multiplyMoney(coinOf(currency), parseDecimal(given.length)))
  const all = isNoise ? addToLargest(given, 'vat', left) : [...given, { area: 'other' as const, vat: left }]
  return all.map(({ area, vat }) => ({ percent: areaRate(accounts, area, vat), vat: roundMoney(vat) }))
}

/** Nets computed from VAT are some minor units off per line, and zero-rated sales have no area. */
function withNets(areas: readonly Omit<SoldAtRate, 'net'>[], total: Money, { vat: accounts }: Accounts): SoldAtRate[] {
  const { currency } = total
  const netOf = (vat: Money, percent: Decimal) =>
    roundMoney(money(new Big(vat.amount).times(100).div(percent).toFixed(), currency))
  const parts = areas.map(({ percent, vat }) => ({ percent, net: netOf(vat, percent), vat }))
  const known = sumOf(currency, parts, ({ net, vat }) => addMoney(net, vat))
  const rest = subtractMoney(total, known)
  const isCoins =
    isAtMost(rest, multiplyMoney(total, HUNDREDTH)) || isAtMost(rest, multiplyMoney(coinOf(currency), HUNDRED))
  if (isCoins && parts.length > 0 && !Object.hasOwn(accounts, '0')) return addToLargest(parts, 'net', rest)
  return [...parts, { percent: ZERO, net: rest, vat: money(0, currency) }]
}

const HUNDREDTH = parseDecimal('0.01')
const HUNDRED = parseDecimal(100)

function addToLargest<Key extends 'net' | 'vat', Part extends Record<Key, Money>>(
  parts: readonly Part[],
  key: Key,
  more: Money,
): Part[] {
  let largest = parts[0]
  for (const part of parts) if (largest && !isAtMost(part[key], largest[key])) largest = part
  return parts.map((part) => (part === largest ? { ...part, [key]: addMoney(part[key], more) } : part))
}

function isAtMost(amount: Money, limit: Money): boolean {
  return new Big(amount.amount).abs().lte(new Big(limit.amount).abs())
}

function coinOf(currency: string): Money {
  return money(amountText(money(0, currency)).replace(/0$/, '1'), currency)
}

export interface Accounts {
  payments: Readonly<Record<string, string>>
  rounding?: string | undefined
  vat: Readonly<Record<string, RateAccounts>>
  areas: Readonly<Partial<Record<VatArea, number | undefined>>>
  discrepancy?: string | undefined
  deposits?: string | undefined
  withdrawals?: string | undefined
  differences?: string | undefined
}

interface RateAccounts {
  sales: string
  vat?: string | undefined
}

type VatArea = 1 | 2 | 3 | 'other'
type Part = 'discrepancy' | 'deposits' | 'withdrawals'
const CASH = 'cash'
const FOREIGN_CASH = 'foreigncash'

type Named = Omit<SettlementRow, 'amount'>

/** Debit account. Throws PermanentError `no-account`. */
function paymentAccount({ payments, rounding }: Accounts, payment: Named): string {
  const type = typeOf(payment)
  const name = payment.subType === null ? type : `${type}/${payment.subType}`
  // Rounding is not in the drawer: never the account of its type.
  const [other, remedy] = isRounding(payment)
    ? [rounding, 'add accounts.rounding']
    : [accountOf(payments, type), 'add it under accounts.payments']
  return accountOf(payments, name) ?? other ?? lacks(`payment "${name}"`, remedy)
}

function drawerAccount({ payments }: Accounts, moved: Named | null): string {
  const foreign = moved && isForeignCash(moved) ? accountOf(payments, `${CASH}/${FOREIGN_CASH}`) : null
  return (
    foreign ??
    accountOf(payments, `${CASH}/${CASH}`) ??
    accountOf(payments, CASH) ??
    lacks('the cash in the drawer', 'add "Cash" under accounts.payments')
  )
}

function rateAccount({ vat }: Accounts, percent: Decimal, part: keyof RateAccounts): string {
  const what = `${part === 'vat' ? 'VAT' : 'sales'} at ${percent} %`
  const accounts = Object.hasOwn(vat, percent) ? vat[percent] : undefined
  if (!accounts) return lacks(what, `add "${percent}" under accounts.vat`)
  return accounts[part] ?? lacks(what, `add vat to "${percent}" under accounts.vat`)
}

/** In percent. Throws PermanentError `no-account`. */
function areaRate({ areas }: Accounts, area: VatArea, vat: Money): Decimal {
  const percent = areas[area]
  if (percent !== undefined) return parseDecimal(percent)
  const place = area === 'other' ? 'none of the areas' : `VATArea${area}`
  return lacks(`${moneyText(vat)} of VAT in ${place}`, `add its rate as ${area} under accounts.areas`)
}

function isRounding({ subType }: Named): boolean {
  return plain(subType) === 'rounding'
}

function isCash(named: Named): boolean {
  return plain(named.type) === CASH && !isRounding(named)
}

function isForeignCash(named: Named): boolean {
  return isCash(named) && plain(named.subType) === FOREIGN_CASH
}

function paymentText(payment: Named): string {
  const { subType } = payment
  const type = typeOf(payment)
  if (subType === null) return type
  return isWithin(plain(type), plain(subType)) || isRounding(payment) ? subType : `${type} ${subType}`
}

export function plainName(written: string): string {
  return written.split('/').map(plain).join('/')
}

function typeOf({ type, paymentTypeId }: Named): string {
  return type ?? paymentTypeId ?? 'unknown'
}

function accountOf(payments: Accounts['payments'], name: string): string | null {
  const wanted = plainName(name)
  return Object.entries(payments).find(([written]) => plainName(written) === wanted)?.[1] ?? null
}

function plain(written: string | null): string {
  return (written ?? '').trim().replace(/\s+/g, ' ').toLowerCase()
}

function lacks(what: string, remedy: string): never {
  throw new PermanentError(`no account for ${what}: ${remedy}`, { code: 'no-account' })
}
