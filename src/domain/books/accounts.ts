import { PermanentError } from '../values/errors.ts'
import { amountText, type Decimal, type Money, multiplyDecimals, parseDecimal } from '../values/money.ts'
import { isWithin } from '../values/text-within.ts'

/** Account numbers by part of a settlement; missing: none. */
export interface Accounts {
  /** By `type` or `type/subtype` (wins), case-insensitive. */
  payments: Readonly<Record<string, string>>
  rounding?: string | undefined
  /** By rate in percent. */
  vat: Readonly<Record<string, RateAccounts>>
  /** Rate in percent of each VAT area, and of VAT outside all areas. */
  areas: Readonly<Partial<Record<VatArea, number | undefined>>>
  discrepancy?: string | undefined
  /** Contra accounts of cash deposits and withdrawals. */
  deposits?: string | undefined
  withdrawals?: string | undefined
  /** For released journals that do not balance. */
  differences?: string | undefined
}

interface RateAccounts {
  /** Without VAT. */
  sales: string
  vat?: string | undefined
}

export type VatArea = 1 | 2 | 3 | 'other'

type Part = 'discrepancy' | 'deposits' | 'withdrawals'

const CASH = 'cash'
const FOREIGN_CASH = 'foreigncash'

export interface Named {
  paymentTypeId: string | null
  type: string | null
  subType: string | null
}

/** Debit account. Throws PermanentError `no-account`. */
export function paymentAccount({ payments, rounding }: Accounts, payment: Named): string {
  const { own, general } = namesOf(payment)
  if (isRounding(payment))
    // Rounding is not in the drawer: never the account of its type.
    return accountOf(payments, own) ?? rounding ?? lacks(`payment "${shown(payment)}"`, 'add accounts.rounding')
  return (
    accountOf(payments, own) ??
    accountOf(payments, general) ??
    lacks(`payment "${shown(payment)}"`, 'add it under accounts.payments')
  )
}

/** Foreign cash may have its own. */
export function drawerAccount({ payments }: Accounts, moved: Named | null): string {
  const foreign = moved && isForeignCash(moved) ? accountOf(payments, `${CASH}/${FOREIGN_CASH}`) : null
  return (
    foreign ??
    accountOf(payments, `${CASH}/${CASH}`) ??
    accountOf(payments, CASH) ??
    lacks('the cash in the drawer', 'add "Cash" under accounts.payments')
  )
}

/** Throws PermanentError `no-account`. */
export function partAccount(accounts: Accounts, part: Part): string {
  return accounts[part] ?? lacks(part, `add accounts.${part}`)
}

/** Throws PermanentError `no-account`. */
export function rateAccount({ vat }: Accounts, percent: Decimal, part: keyof RateAccounts): string {
  const what = `${part === 'vat' ? 'VAT' : 'sales'} at ${percent} %`
  const accounts = Object.hasOwn(vat, percent) ? vat[percent] : undefined
  if (!accounts) return lacks(what, `add "${percent}" under accounts.vat`)
  return accounts[part] ?? lacks(what, `add vat to "${percent}" under accounts.vat`)
}

/** In percent. Throws PermanentError `no-account`. */
export function areaRate({ areas }: Accounts, area: VatArea, vat: Money): Decimal {
  const percent = areas[area]
  if (percent !== undefined) return parseDecimal(percent)
  const place = area === 'other' ? 'none of the areas' : `VATArea${area}`
  return lacks(`${amountText(vat)} ${vat.currency} of VAT in ${place}`, `add its rate as ${area} under accounts.areas`)
}

/** 25 → 0.25. */
export function fractionOf(percent: Decimal): Decimal {
  return multiplyDecimals(percent, parseDecimal('0.01'))
}

function isRounding({ subType }: Named): boolean {
  return plain(subType) === 'rounding'
}

/** Rounding is not cash. */
export function isCash(named: Named): boolean {
  return plain(named.type) === CASH && !isRounding(named)
}

export function isForeignCash(named: Named): boolean {
  return isCash(named) && plain(named.subType) === FOREIGN_CASH
}

export function paymentText(payment: Named): string {
  const { subType } = payment
  const type = typeOf(payment)
  if (subType === null) return type
  return isWithin(plain(type), plain(subType)) || isRounding(payment) ? subType : `${type} ${subType}`
}

/** Trimmed and case-folded. */
export function plainName(written: string): string {
  const [type = '', ...subType] = written.split('/')
  return subType.length === 0 ? plain(type) : `${plain(type)}/${plain(subType.join('/'))}`
}

function namesOf(payment: Named) {
  const general = plain(typeOf(payment))
  return { general, own: payment.subType === null ? general : `${general}/${plain(payment.subType)}` }
}

/** Imported sales may give only a number. */
function typeOf({ type, paymentTypeId }: Named): string {
  return type ?? paymentTypeId ?? 'unknown'
}

function accountOf(payments: Accounts['payments'], name: string): string | null {
  return Object.entries(payments).find(([written]) => plainName(written) === name)?.[1] ?? null
}

function shown(payment: Named): string {
  const type = typeOf(payment)
  return payment.subType === null ? type : `${type}/${payment.subType}`
}

function plain(written: string | null): string {
  return (written ?? '').trim().replace(/\s+/g, ' ').toLowerCase()
}

function lacks(what: string, remedy: string): never {
  throw new PermanentError(`no account for ${what}: ${remedy}`, { code: 'no-account' })
}
