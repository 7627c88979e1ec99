import type { Address, Sale, SaleLine } from '../../../domain/books/sale.ts'
import type { Decimal, Money } from '../../../domain/values/money.ts'
import { compareDecimals, multiplyMoney, parseDecimal, subtractMoney, sumMoney } from '../../../domain/values/money.ts'
import { isWithin } from '../../../domain/values/text-within.ts'
import type { ReceiptMessage } from '../../../ports/messages.ts'
import type { Wording } from '../../wording/form.ts'
import { createFormats, type Formats } from './formats.ts'

/**
 * Every field of a receipt that a template can show. Texts are ready to be read; an empty one: the sale does not say.
 * The value tells what a field is, for the page and for the check of templates.
 */
export const RECEIPT_FIELDS = {
  title: 'text',
  storeName: 'text',
  storeAddress: 'text',
  organizationNumber: 'text',
  till: 'text',
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

/** A receipt as it is shown, in one language and one country's formats. */
export type ReceiptView = {
  -readonly [K in keyof Fields]: Fields[K] extends readonly (infer F extends string)[] ? Record<F, string>[] : string
}
export type LineView = ReceiptView['lines'][number]

/** The content of a receipt, in words and numbers. `shopName`: who sends, where the sale names no store. */
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
    till: store.posName ?? (store.posId === null ? '' : `${wording.till} ${store.posId}`),
    salesPerson: store.salesPerson ?? '',
    receiptNo: sale.receiptNo,
    orderNo: sale.orderNo ?? '',
    date: formats.date(sale.createdAt),
    time: formats.time(sale.createdAt),
    customerName: name ?? '',
    total: formats.money(sale.total),
    vatTotal: vat ? formats.money(vat) : '',
    savings: savingsText(sale, formats),
    receiptUrl: webUrl(sale.receiptUrl),
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

/** Payloads are data of others: only a web address may become a link. */
function webUrl(text: string | null): string {
  const url = URL.parse(text ?? '')
  return url && /^https?:$/.test(url.protocol) ? url.href : ''
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

/** The money that the customer did not pay for what was bought; goods that came back are no saving. */
function savingsText({ lines, total: { currency } }: Sale, formats: Formats): string {
  const saved = lines.flatMap((line) => {
    if (!line.fullPrice || !isCheaper(line) || line.quantity.startsWith('-')) return []
    return [subtractMoney(multiplyMoney(line.fullPrice, line.quantity), line.total)]
  })
  const sum = sumMoney(saved, currency)
  return sum.amount === '0' ? '' : formats.money(sum)
}

/** VAT by rate, the highest first. Empty where a line does not say its VAT: half a table would be wrong. */
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
