import type { Address, Sale, SaleLine } from '../../../domain/accounting/sale.ts'
import {
  amountText,
  compareDecimals,
  type Decimal,
  type Money,
  multiplyMoney,
  parseDecimal,
  roundMoney,
  subtractMoney,
  sumMoney,
} from '../../../domain/values/money.ts'
import { isWithin } from '../../../domain/values/text.ts'
import type { ReceiptMessage } from '../../../ports/ports.ts'
import type { Wording } from '../../wording/en.ts'
import { webLink } from '../../wording/file.ts'

interface Formats {
  amount(value: Money): string
  money(value: Money): string
  quantity(value: Decimal): string
  percent(value: Decimal): string
  date(wallClock: string): string
  time(wallClock: string): string
}

/** Of a country (ISO 3166), else of the locale. */
function createFormats(country: string | null, fallback: string): Formats {
  const locale = localeOf(country, fallback)
  const quantity = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const date = new Intl.DateTimeFormat(locale, { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: 'UTC' })
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

  function numbers(value: Money, options: Intl.NumberFormatOptions): string {
    const text = amountText(roundMoney(value))
    // Intl drops minor units that amounts may have (HUF).
    const digits = text.split('.')[1]?.length ?? 0
    const format = new Intl.NumberFormat(locale, {
      ...options,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
    return format.format(exact(text))
  }

  return {
    amount: (value) => numbers(value, {}),
    money: (value) => numbers(value, { style: 'currency', currency: value.currency }),
    quantity: (value) => quantity.format(exact(value)),
    percent: (value) => percent.format(exact(value)),
    date(wallClock) {
      const shown = asUtc(wallClock)
      return shown ? date.format(shown) : wallClock
    },
    time(wallClock) {
      const shown = asUtc(wallClock)
      return shown ? time.format(shown) : ''
    },
  }
}

function localeOf(country: string | null, fallback: string): string {
  const known = country !== null && /^[A-Z]{2}$/.test(country)
  const { baseName } = known ? new Intl.Locale(`und-${country}`).maximize() : new Intl.Locale(fallback)
  return `${baseName}-u-nu-latn-ca-gregory`
}

function exact(decimal: string): Intl.StringNumericLiteral {
  return decimal as Intl.StringNumericLiteral
}

function asUtc(wallClock: string): Date | null {
  const digits = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)/i.exec(wallClock)
  const date = new Date(`${digits?.[1]}T${digits?.[2]}:00Z`)
  return Number.isNaN(date.getTime()) ? null : date
}

/** Fields of templates; unknown ones are empty. */
export const RECEIPT_FIELDS = {
  title: 'text',
  storeName: 'text',
  storeAddress: 'text',
  organizationNumber: 'text',
  pos: 'text',
  salesPerson: 'text',
  receiptNo: 'text',
  orderNo: 'text',
  date: 'text',
  time: 'text',
  customerName: 'text',
  total: 'text',
  vatTotal: 'text',
  savings: 'text',
  receiptUrl: 'text',
  signature: 'text',
  keyVersion: 'text',
  lines: ['name', 'details', 'quantity', 'unitPrice', 'fullPrice', 'total', 'vat', 'vatRate'],
  vatRates: ['rate', 'net', 'vat'],
  payments: ['name', 'amount'],
} as const

type Fields = typeof RECEIPT_FIELDS

export type ReceiptView = {
  -readonly [K in keyof Fields]: Fields[K] extends readonly (infer F extends string)[] ? Record<F, string>[] : string
}
export type LineView = ReceiptView['lines'][number]

export function createReceiptView(message: ReceiptMessage, wording: Wording, shopName: string): ReceiptView {
  const { sale, name, signature } = message
  const formats = createFormats(sale.store.address?.countryCode ?? null, wording.locale)
  const { store } = sale
  const vat = sale.vatTotal ?? sumOfVat(sale.lines)
  return {
    title: compareDecimals(sale.total.amount, parseDecimal(0)) < 0 ? wording.returned : wording.receipt,
    storeName: store.name ?? shopName,
    storeAddress: addressText(store.address),
    organizationNumber: store.organizationNumber ?? '',
    pos: store.posName ?? (store.posId === null ? '' : `${wording.pos} ${store.posId}`),
    salesPerson: store.salesPerson ?? '',
    receiptNo: sale.receiptNo,
    orderNo: sale.orderNo ?? '',
    date: formats.date(sale.createdAt),
    time: formats.time(sale.createdAt),
    customerName: name ?? '',
    total: formats.money(sale.total),
    vatTotal: vat ? formats.money(vat) : '',
    savings: savingsText(sale, formats),
    receiptUrl: webLink(sale.receiptUrl),
    signature: signature?.signature ?? '',
    keyVersion: signature?.keyVersion ?? '',
    lines: sale.lines.map((line) => lineView(line, formats)),
    vatRates: vatRates(sale, formats),
    payments: sale.payments.map(({ type, subType, amount }) => ({
      name: [wording.payments[type.toLowerCase()] ?? type, subType].filter(Boolean).join(' · '),
      amount: formats.amount(amount),
    })),
  }
}

function lineView(line: SaleLine, formats: Formats): LineView {
  const details = [line.brand, line.color, line.size].filter((part) => part !== null && !isWithin(part, line.name))
  return {
    name: line.name,
    details: details.join(', '),
    quantity: formats.quantity(line.quantity),
    unitPrice: formats.amount(line.unitPrice),
    fullPrice: line.fullPrice && isCheaper(line) ? formats.amount(line.fullPrice) : '',
    total: formats.amount(line.total),
    vat: line.vat ? formats.amount(line.vat) : '',
    vatRate: line.vatRate === null ? '' : formats.percent(line.vatRate),
  }
}

function isCheaper({ fullPrice, unitPrice }: SaleLine): boolean {
  return fullPrice !== null && compareDecimals(unitPrice.amount, fullPrice.amount) < 0
}

function savingsText({ lines, total: { currency } }: Sale, formats: Formats): string {
  const saved = lines.flatMap((line) => {
    if (!line.fullPrice || !isCheaper(line) || line.quantity.startsWith('-')) return []
    return [subtractMoney(multiplyMoney(line.fullPrice, line.quantity), line.total)]
  })
  const sum = sumMoney(saved, currency)
  return sum.amount === '0' ? '' : formats.money(sum)
}

/** Empty where a line has no VAT: half a table would be wrong. */
function vatRates({ lines, total: { currency } }: Sale, formats: Formats): ReceiptView['vatRates'] {
  const byRate = new Map<Decimal, { rate: Decimal; nets: Money[]; vats: Money[] }>()
  for (const { vat, vatRate, total } of lines) {
    if (vat === null || vatRate === null) return []
    const row = byRate.get(vatRate) ?? { rate: vatRate, nets: [], vats: [] }
    row.nets.push(subtractMoney(total, vat))
    row.vats.push(vat)
    byRate.set(vatRate, row)
  }
  return [...byRate.values()]
    .sort((a, b) => compareDecimals(b.rate, a.rate))
    .map(({ rate, nets, vats }) => ({
      rate: formats.percent(rate),
      net: formats.amount(sumMoney(nets, currency)),
      vat: formats.amount(sumMoney(vats, currency)),
    }))
}

function sumOfVat(lines: SaleLine[]): Money | null {
  const vats = lines.map(({ vat }) => vat)
  const known = vats.filter((vat) => vat !== null)
  const [first] = known
  return first && known.length === vats.length ? sumMoney(known, first.currency) : null
}

function addressText(address: Address | null): string {
  if (!address) return ''
  const town = [address.postalCode, address.city].filter(Boolean).join(' ')
  return [address.address1, town].filter(Boolean).join(', ')
}
