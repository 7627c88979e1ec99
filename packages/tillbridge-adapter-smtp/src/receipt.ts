import { html, raw } from 'hono/html'
import {
  type Address,
  amountText,
  compareDecimals,
  type Decimal,
  isWithin,
  type Money,
  multiplyMoney,
  type ReceiptMessage,
  roundMoney,
  type Sale,
  type SaleLine,
  subtractMoney,
  sumMoney,
  texts,
  ZERO,
} from 'tillbridge/adapter'
import { type Wording, webLink } from 'tillbridge/adapter/messages'

type Formats = ReturnType<typeof createFormats>

/** Of a country (ISO 3166), else of the locale. */
function createFormats(country: string | null, fallback: string) {
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
    amount: (value: Money) => numbers(value, {}),
    money: (value: Money) => numbers(value, { style: 'currency', currency: value.currency }),
    quantity: (value: Decimal) => quantity.format(exact(value)),
    percent: (value: Decimal) => percent.format(exact(value)),
    date(wallClock: string): string {
      const shown = asUtc(wallClock)
      return shown ? date.format(shown) : wallClock
    },
    time(wallClock: string): string {
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
  ...texts('title storeName storeAddress organizationNumber pos salesPerson receiptNo orderNo date time customerName'),
  ...texts('total vatTotal savings receiptUrl signature keyVersion'),
  lines: ['name', 'details', 'quantity', 'unitPrice', 'fullPrice', 'total', 'vat', 'vatRate'],
  vatRates: ['rate', 'net', 'vat'],
  payments: ['name', 'amount'],
} as const

type Fields = typeof RECEIPT_FIELDS

export type ReceiptView = {
  -readonly [K in keyof Fields]: Fields[K] extends readonly (infer F extends string)[] ? Record<F, string>[] : string
}
type LineView = ReceiptView['lines'][number]

export function createReceiptView(message: ReceiptMessage, wording: Wording, shopName: string): ReceiptView {
  const { sale, name, signature } = message
  const formats = createFormats(sale.store.address?.countryCode ?? null, wording.locale)
  const { store } = sale
  const vat = sale.vatTotal ?? sumOfVat(sale.lines)
  return {
    title: compareDecimals(sale.total.amount, ZERO) < 0 ? wording.returned : wording.receipt,
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

const receiptStyle = `
body { margin: 0; padding: 24px 12px; background: #eef0f3; color: #1c2027;
  font: 16px/1.5 -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.paper { display: block; box-sizing: border-box; max-width: 600px; margin: 0 auto; padding: 32px; background: #fff;
  border-radius: 12px; overflow-wrap: anywhere; }
.logo { display: block; max-width: 180px; max-height: 72px; margin: 0 0 24px; }
.store { margin: 0 0 24px; font-size: 18px; font-weight: 700; }
h1 { margin: 0; font-size: 16px; font-weight: 400; color: #596170; }
.sum { margin: 0; font-size: 36px; line-height: 1.2; font-weight: 700; letter-spacing: -0.5px; }
.big { color: inherit; font-size: 30px; line-height: 1.2; font-weight: 700; letter-spacing: -0.3px; margin: 0 0 24px; }
.quiet { margin: 4px 0 24px; color: #596170; }
p.number { margin: 0; }
p { margin: 0 0 16px; }
h2 { margin: 28px 0 4px; font-size: 16px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 8px 0; vertical-align: top; border-top: 1px solid #e3e6eb; }
td[align=right], th[align=right] { padding-left: 16px; white-space: nowrap; }
thead th { border: 0; font-size: 14px; font-weight: 400; color: #596170; }
tbody th { font-weight: 400; }
.lines { margin-top: 8px; }
small { display: block; font-size: 14px; color: #596170; }
.sums th, .sums td, .vat td { padding: 4px 0; border: 0; }
.sums .total th, .sums .total td { padding-top: 12px; border-top: 2px solid #1c2027; font-size: 20px; font-weight: 700; }
.vat th { padding: 4px 0; }
.open { margin: 32px 0 0; }
.open a { display: inline-block; padding: 10px 20px; border: 1px solid #1c2027; border-radius: 8px; color: #1c2027;
  font-weight: 600; text-decoration: none; }
.facts { margin-top: 32px; padding-top: 16px; border-top: 1px solid #e3e6eb; font-size: 14px; color: #596170; }
.facts span { display: inline-block; margin-right: 16px; }
.facts p:last-child { margin: 0; }
@media (max-width: 480px) { body { padding: 0; background: #fff; } .paper { padding: 24px 16px; border-radius: 0; } }
@media (prefers-color-scheme: dark) {
  body { background: #101216; color: #e8eaee; }
  .paper { background: #1b1f26; }
  h1:not(.big), .quiet, small, thead th, .facts { color: #a6aebb; }
  th, td, .facts { border-color: #363c47; }
  .sums .total th, .sums .total td { border-color: #e8eaee; }
  .open a { border-color: #e8eaee; color: #e8eaee; }
}
@media (max-width: 480px) and (prefers-color-scheme: dark) { body { background: #1b1f26; } }
`

interface MailDocument {
  locale: string
  title: string
  storeName: string
  logo: string | null
  body: ReturnType<typeof html>
}

export async function mailDocument({ locale, title, storeName, logo, body }: MailDocument): Promise<string> {
  const head = logo
    ? html`<img class="logo" src="cid:${logo}" alt="${storeName}">`
    : html`<p class="store">${storeName}</p>`
  const document = await html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no">
<title>${title}</title>
<style>${raw(receiptStyle)}</style>
</head>
<body>
<main class="paper">
${head}
${body}
</main>
</body>
</html>
`
  return document.toString()
}

export interface Extras {
  wording: Wording
  logo: string | null
}

export async function receiptHtml(view: ReceiptView, { wording: words, logo }: Extras): Promise<string> {
  const body = html`<h1>${view.title}</h1>
<p class="sum">${view.total}</p>
<p class="quiet">${[view.date, view.time].filter(Boolean).join(' ')}</p>
<p>${greeting(view, words)}</p>
<table class="lines" width="100%" cellspacing="0">
<thead><tr><th scope="col" align="left">${words.articles}</th><th scope="col" align="right">${words.amount}</th></tr></thead>
<tbody>
${view.lines.map((line) => lineRow(line, words))}
</tbody>
</table>
<table class="sums" width="100%" cellspacing="0">
<tbody>
${sumRow(words.total, view.total, 'total')}
${view.vatTotal && sumRow(words.vatOfTotal, view.vatTotal)}
${view.savings && sumRow(words.savings, view.savings)}
</tbody>
</table>
${paymentTable(view, words)}
${vatTable(view, words)}
${view.receiptUrl && html`<p class="open"><a href="${view.receiptUrl}">${words.openReceipt}</a></p>`}
${facts(view, words)}`
  const { storeName, title, receiptNo } = view
  return await mailDocument({ locale: words.locale, title: `${title} ${receiptNo}`, storeName, logo, body })
}

function greeting({ customerName, title }: ReceiptView, words: Wording): string {
  const hello = customerName && `${words.hello} ${customerName}.`
  return [hello, title === words.receipt && words.thanks].filter(Boolean).join(' ')
}

function lineRow({ name, details, quantity, unitPrice, fullPrice, total }: LineView, words: Wording) {
  const before = fullPrice && html` (${words.before} <s>${fullPrice}</s>)`
  return html`<tr><td>${name}<small>${details && html`${details}<br>`}${quantity} × ${unitPrice}${before}</small></td><td align="right">${total}</td></tr>`
}

function paymentTable(view: ReceiptView, words: Wording) {
  if (view.payments.length === 0) return ''
  return html`<h2>${words.paidWith}</h2>
<table class="sums" width="100%" cellspacing="0"><tbody>
${view.payments.map(({ name, amount }) => sumRow(name, amount))}
</tbody></table>`
}

function vatTable(view: ReceiptView, words: Wording) {
  if (view.vatRates.length === 0) return ''
  const rows = view.vatRates.map(
    ({ rate, net, vat }) => html`<tr><td>${rate}</td><td align="right">${net}</td><td align="right">${vat}</td></tr>`,
  )
  return html`<h2>${words.vat}</h2>
<table class="vat" width="100%" cellspacing="0">
<thead><tr><th scope="col" align="left">${words.vatRate}</th><th scope="col" align="right">${words.net}</th><th scope="col" align="right">${words.vat}</th></tr></thead>
<tbody>${rows}</tbody></table>`
}

function facts(view: ReceiptView, words: Wording) {
  const known = [
    [words.number, view.receiptNo],
    [words.order, view.orderNo],
    ['', view.pos],
    [words.servedBy, view.salesPerson],
  ].filter(([, value]) => value)
  return html`<div class="facts">
<p>${known.map(([name, value]) => html`<span>${name} <b>${value}</b></span> `)}</p>
<p><b>${view.storeName}</b>${view.storeAddress && html`<br>${view.storeAddress}`}${view.organizationNumber && html`<br>${words.organization} ${view.organizationNumber}`}</p>
</div>`
}

function sumRow(name: string, amount: string, kind = '') {
  return html`<tr${kind && html` class="${kind}"`}><th scope="row" align="left">${name}</th><td align="right">${amount}</td></tr>`
}

const WIDTH = 56

export function receiptText(view: ReceiptView, words: Wording): string {
  const blocks = [
    [view.storeName, view.storeAddress, labelled(words.organization, view.organizationNumber)],
    [
      view.title,
      labelled(words.number, view.receiptNo),
      labelled(words.order, view.orderNo),
      labelled(words.time, [view.date, view.time].filter(Boolean).join(' ')),
      view.pos,
      labelled(words.servedBy, view.salesPerson),
    ],
    view.lines.flatMap((line) => lineText(line, words)),
    [
      inColumns(words.total, view.total),
      view.vatTotal && inColumns(words.vatOfTotal, view.vatTotal),
      view.savings && inColumns(words.savings, view.savings),
    ],
    view.payments.length > 0 ? [words.paidWith, ...view.payments.map((one) => inColumns(one.name, one.amount))] : [],
    view.vatRates.map(({ rate, net, vat }) => inColumns(`${words.vat} ${rate} (${words.net} ${net})`, vat)),
    [labelled(words.openReceipt, view.receiptUrl)],
    [view.title === words.receipt ? words.thanks : ''],
  ]
  const texts = blocks.map((lines) => lines.filter((line) => line !== '').join('\n'))
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`.replace(/[\u00a0\u202f]/g, ' ')
}

function lineText({ name, details, quantity, unitPrice, fullPrice, total }: LineView, words: Wording): string[] {
  const before = fullPrice && ` (${words.before} ${fullPrice})`
  return [details ? `${name}, ${details}` : name, inColumns(`  ${quantity} × ${unitPrice}${before}`, total)]
}

function labelled(label: string, value: string): string {
  return value && `${label}: ${value}`
}

function inColumns(left: string, right: string): string {
  return `${left} ${right.padStart(WIDTH - left.length - 1)}`
}

/** At most 900 characters: RFC 5322, 2.1.1. */
export function signatureHeaders({ signature, keyVersion }: ReceiptView): Record<string, string> {
  const headers = { 'x-receipt-signature': signature, 'x-receipt-signature-key-version': keyVersion }
  const written = Object.entries(headers).map(([name, value]) => [name, value.replace(/\s+/g, '')] as const)
  return Object.fromEntries(written.filter(([, value]) => /^[\x21-\x7e]{1,900}$/.test(value)))
}
