import { html, raw } from 'hono/html'
import type { Wording } from '../../wording/form.ts'
import { mailDocument } from '../mail-document.ts'
import type { LineView, ReceiptView } from './view.ts'

/** The most bytes of lines: with all the rest the mail stays below 60 KB, far below the 102 KB at which Gmail cuts. */
const LINES_BUDGET = 52_000

interface Extras {
  wording: Wording
  /** Content-ID of the shop's own picture. */
  logo: string | null
}

/** The receipt as an HTML document that needs nothing from elsewhere; `complete`: whether all lines had room. */
export async function receiptHtml(
  view: ReceiptView,
  { wording: words, logo }: Extras,
): Promise<{ document: string; complete: boolean }> {
  const rows = await Promise.all(view.lines.map(async (line) => (await lineRow(line, words)).toString()))
  const shown = withinBudget(rows)
  const left = rows.length - shown.length
  const body = html`<h1>${view.title}</h1>
<p class="sum">${view.total}</p>
<p class="quiet">${[view.date, view.time].filter(Boolean).join(' ')}</p>
<p>${greeting(view, words)}</p>
<table class="lines" width="100%" cellspacing="0">
<thead><tr><th scope="col" align="left">${words.articles}</th><th scope="col" align="right">${words.amount}</th></tr></thead>
<tbody>
${raw(shown.join('\n'))}
${left > 0 ? html`<tr><td colspan="2">… ${left} ${words.moreLines} ${words.moreAttached}</td></tr>` : ''}
</tbody>
</table>
<table class="sums" width="100%" cellspacing="0">
<tbody>
${sumRow(words.total, view.total, 'total')}
${view.vatTotal && sumRow(words.vatOfTotal, view.vatTotal)}
${view.savings && sumRow(words.savings, view.savings)}
</tbody>
</table>
${payments(view, words)}
${vatRates(view, words)}
${view.receiptUrl && html`<p class="open"><a href="${view.receiptUrl}">${words.openReceipt}</a></p>`}
${facts(view, words)}`
  const { locale } = words
  const { storeName, title, receiptNo } = view
  const document = await mailDocument({ locale, title: `${title} ${receiptNo}`, storeName, logo, body })
  return { document, complete: left === 0 }
}

function greeting({ customerName, title }: ReceiptView, words: Wording): string {
  const hello = customerName && `${words.hello} ${customerName}.`
  return [hello, title === words.receipt && words.thanks].filter(Boolean).join(' ')
}

function lineRow({ name, details, quantity, unitPrice, fullPrice, total }: LineView, words: Wording) {
  const before = fullPrice && html` (${words.before} <s>${fullPrice}</s>)`
  return html`<tr><td>${name}<small>${details && html`${details}<br>`}${quantity} × ${unitPrice}${before}</small></td><td align="right">${total}</td></tr>`
}

function payments(view: ReceiptView, words: Wording) {
  if (view.payments.length === 0) return ''
  return html`<h2>${words.paidWith}</h2>
<table class="sums" width="100%" cellspacing="0"><tbody>
${view.payments.map(({ name, amount }) => sumRow(name, amount))}
</tbody></table>`
}

function vatRates(view: ReceiptView, words: Wording) {
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
    ['', view.till],
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

function withinBudget(rows: string[]): string[] {
  let bytes = 0
  const end = rows.findIndex((row) => {
    bytes += Buffer.byteLength(row) + 1
    return bytes > LINES_BUDGET
  })
  return end === -1 ? rows : rows.slice(0, end)
}
