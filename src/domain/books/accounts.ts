import { PermanentError } from '../values/errors.ts'
import { amountText, type Decimal, type Money, multiplyDecimals, parseDecimal } from '../values/money.ts'
import { isWithin } from '../values/text-within.ts'

/** Where the parts of a settlement stand in the books, by the numbers of accounts. What is left out has none. */
export interface Accounts {
  /** By `type` or `type/subtype` of a payment; the second wins. Case does not count. */
  payments: Readonly<Record<string, string>>
  rounding?: string | undefined
  /** By rate, in percent. */
  vat: Readonly<Record<string, RateAccounts>>
  /** The rate, in percent, of what each VAT area has, and of VAT that is in none of them. */
  areas: Readonly<Partial<Record<VatArea, number | undefined>>>
  discrepancy?: string | undefined
  /** Where cash that is put into the drawer comes from, and where cash that is taken out goes. */
  deposits?: string | undefined
  withdrawals?: string | undefined
  /** Takes what does not balance, where a person lets it go. */
  differences?: string | undefined
}

interface RateAccounts {
  /** Without VAT. */
  sales: string
  vat?: string | undefined
}

export type VatArea = 1 | 2 | 3 | 'other'

/** Parts of a settlement that have an account of their own. */
type Part = 'discrepancy' | 'deposits' | 'withdrawals'

/** The drawer's own coins and notes. */
const CASH = 'cash'
const FOREIGN_CASH = 'foreigncash'

/** How a payment or a movement of the drawer is named. */
export interface Named {
  paymentTypeId: string | null
  type: string | null
  subType: string | null
}

/** The account that a payment is debited to. Throws PermanentError `no-account`. */
export function paymentAccount({ payments, rounding }: Accounts, payment: Named): string {
  const { own, general } = namesOf(payment)
  if (isRounding(payment))
    // Never the account of its type: what is rounded away is not in the drawer.
    return accountOf(payments, own) ?? rounding ?? lacks(`payment "${shown(payment)}"`, 'add accounts.rounding')
  return (
    accountOf(payments, own) ??
    accountOf(payments, general) ??
    lacks(`payment "${shown(payment)}"`, 'add it under accounts.payments')
  )
}

/** The account of the coins and notes that were put into the drawer or taken out: foreign ones may have their own. */
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

/** The rate of the VAT in an area, in percent. Throws PermanentError `no-account`. */
export function areaRate({ areas }: Accounts, area: VatArea, vat: Money): Decimal {
  const percent = areas[area]
  if (percent !== undefined) return parseDecimal(percent)
  const place = area === 'other' ? 'none of the areas' : `VATArea${area}`
  return lacks(`${amountText(vat)} ${vat.currency} of VAT in ${place}`, `add its rate as ${area} under accounts.areas`)
}

/** 25 as a fraction: 0.25. */
export function fractionOf(percent: Decimal): Decimal {
  return multiplyDecimals(percent, parseDecimal('0.01'))
}

function isRounding({ subType }: Named): boolean {
  return plain(subType) === 'rounding'
}

/** Whether it is the drawer's: what is rounded away is not. */
export function isCash(named: Named): boolean {
  return plain(named.type) === CASH && !isRounding(named)
}

export function isForeignCash(named: Named): boolean {
  return isCash(named) && plain(named.subType) === FOREIGN_CASH
}

/** In a few words: `Card Visa`, `Cash`, `Giftcard in`. */
export function paymentText(payment: Named): string {
  const { subType } = payment
  const type = typeOf(payment)
  if (subType === null) return type
  return isWithin(plain(type), plain(subType)) || isRounding(payment) ? subType : `${type} ${subType}`
}

/** How `type/subtype` is looked for: without case, and blanks at the ends. */
export function plainName(written: string): string {
  const [type = '', ...subType] = written.split('/')
  return subType.length === 0 ? plain(type) : `${plain(type)}/${plain(subType.join('/'))}`
}

function namesOf(payment: Named) {
  const general = plain(typeOf(payment))
  return { general, own: payment.subType === null ? general : `${general}/${plain(payment.subType)}` }
}

/** The type of a payment; an imported sale may give but a number. */
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
