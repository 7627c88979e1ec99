import { html, raw } from 'hono/html'
import type { Wording } from '../../wording/en.ts'
import type { LineView, ReceiptView } from './view.ts'

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

type Markup = ReturnType<typeof html>

interface MailDocument {
  locale: string
  title: string
  storeName: string
  logo: string | null
  body: Markup
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

interface Extras {
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
${payments(view, words)}
${vatRates(view, words)}
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
