import { html, raw } from 'hono/html'
import type { ReceiptMessage } from '../../../ports/messages.ts'
import type { Wording } from '../../wording/form.ts'
import type { Content } from '../content.ts'
import { shopNameOf } from '../shop-name.ts'
import { LOGO, type Stationery } from '../stationery.ts'
import { escapeHtml, fillTemplate } from '../template.ts'
import { receiptHtml } from './html.ts'
import { createReceiptView, type LineView, type ReceiptView } from './view.ts'
import { readXml, type XmlElement } from './xml.ts'

const MOST_LINES = 4_000

const STYLE = `
body { margin: 0; padding: 24px 12px; background: #eef0f3; color: #1c2027; }
.paper { box-sizing: border-box; width: fit-content; min-width: min(100%, 320px); max-width: 100%; margin: 0 auto; padding: 24px;
  background: #fff; font: 1em/1.4 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
p { margin: 0; min-height: 1.4em; white-space: pre-wrap; overflow-wrap: anywhere; }
.strong { font-weight: 700; }
.center { text-align: center; }
.right { text-align: right; }
hr { margin: 0.7em 0; border: 0; border-top: 1px dashed #596170; }
.signature { max-width: 48ch; margin-top: 24px; font-size: max(9px, 0.8em); color: #596170; }
@media (max-width: 480px) { body { padding: 0; background: #fff; } .paper { padding: 16px; } }
@media (prefers-color-scheme: dark) {
  body { background: #101216; color: #e8eaee; }
  .paper { background: #1b1f26; }
  .signature { color: #a6aebb; }
  hr { border-color: #a6aebb; }
}
@media print { body, .paper { padding: 0; background: none; color: #000; } }
`

/** The most columns of a line; a longer one is broken: no till prints so much on a line. */
const MOST_COLUMNS = 56

/** How wide a letter is, to its height. */
const LETTER = 0.62

const WIDTH = 56

/** A header of more than this would break mail servers (RFC 5322, 2.1.1). */
const LONGEST_HEADER = 900

/** The content of the mail of a receipt. */
export async function receiptContent(message: ReceiptMessage, stationery: Stationery): Promise<Content> {
  const { wording, files, subject } = stationery
  const view = createReceiptView(message, wording, shopNameOf(stationery))
  const { document, complete } = await htmlOf(view, stationery)
  const text = receiptText(view, wording)
  const { page, note } = await printedPage(message.formatted, view, stationery)
  const name = `${wording.attachment}-${view.receiptNo.replace(/[^\w-]+/g, '_')}`
  return {
    subject: fillTemplate(subject, view, (value) => value),
    html: document,
    text: files.text ? fillTemplate(files.text, view, (value) => value) : text,
    attachments: [
      ...(complete ? [] : [{ filename: `${name}.txt`, content: text, contentType: 'text/plain; charset=utf-8' }]),
      ...(page === null ? [] : [{ filename: `${name}.html`, content: page, contentType: 'text/html; charset=utf-8' }]),
    ],
    headers: signatureHeaders(view),
    note,
  }
}

async function htmlOf(view: ReceiptView, { wording, files }: Stationery) {
  if (files.html) return { document: fillTemplate(files.html, view, escapeHtml), complete: true }
  return await receiptHtml(view, { wording, logo: files.logo ? LOGO : null })
}

/** The receipt as printed. A mail without it is better than none. */
async function printedPage(formatted: string | null, view: ReceiptView, { wording }: Stationery) {
  if (formatted === null || formatted.trim() === '') return { page: null, note: 'no receiptFormatted to attach' }
  const lines = readPrintLines(formatted)
  if (lines === null) return { page: null, note: 'receiptFormatted cannot be read and is not attached' }
  return { page: await printPage(lines, view, wording), note: 'receipt as printed attached' }
}

function signatureHeaders({ signature, keyVersion }: ReceiptView): Record<string, string> {
  const headers = { 'x-receipt-signature': signature, 'x-receipt-signature-key-version': keyVersion }
  const written = Object.entries(headers).map(([name, value]) => [name, value.replace(/\s+/g, '')] as const)
  return Object.fromEntries(
    written.filter(([, value]) => /^[\x21-\x7e]+$/.test(value) && value.length <= LONGEST_HEADER),
  )
}

/** The receipt as plain text: the same facts, amounts in a column. */
function receiptText(view: ReceiptView, words: Wording): string {
  const blocks = [
    [view.storeName, view.storeAddress, labelled(words.organization, view.organizationNumber)],
    [
      view.title,
      labelled(words.number, view.receiptNo),
      labelled(words.order, view.orderNo),
      labelled(words.time, [view.date, view.time].filter(Boolean).join(' ')),
      view.till,
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

/** The receipt as the till prints it: a page that needs nothing from elsewhere, and may load and run nothing. */
async function printPage(lines: readonly PrintLine[], view: ReceiptView, words: Wording): Promise<string> {
  const { title, receiptNo, signature, keyVersion } = view
  const version = keyVersion && ` (${words.keyVersion} ${keyVersion})`
  const page = await html`<!doctype html>
<html lang="${words.locale}">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} ${receiptNo}</title>
<style>${raw(STYLE + fitting(lines))}</style>
</head>
<body>
<main class="paper">
<h1>${title} ${receiptNo}</h1>
${lines.map(printed)}
${signature && html`<p class="signature">${words.signature}${version}: ${signature}</p>`}
</main>
</body>
</html>
`
  return page.toString()
}

/** Letters so small that the longest line of print has room on a phone, too. */
function fitting(lines: readonly PrintLine[]): string {
  const columns = Math.min(Math.max(...lines.map(({ value }) => value.length), 24), MOST_COLUMNS)
  return `body { font-size: clamp(9px, calc((100vw - 40px) / ${Math.ceil(columns * LETTER)}), 14px); }\n`
}

function printed({ look, align, value }: PrintLine) {
  if (look === 'rule') return html`<hr>\n`
  return html`<p class="${look} ${align}">${value}</p>\n`
}

/** One line of a receipt as the till's printer has it. */
interface PrintLine {
  /** `space`: nothing; `rule`: a line across; `strong`: larger or bold. */
  look: 'plain' | 'strong' | 'rule' | 'space'
  align: 'left' | 'center' | 'right'
  value: string
}

/**
 * The print lines of `receiptFormatted`: "an XML document of print lines, each with a type and a value" (spec, "Sale
 * payload"). The names of its elements are not shown, so what has a type and a value is a line, be they attributes, elements
 * or its text. Null where there is none to be read.
 */
export function readPrintLines(formatted: string): PrintLine[] | null {
  const root = readXml(formatted.trim())
  const lines = root ? linesIn(root) : []
  const shown = lines.slice(0, MOST_LINES).flatMap(({ type, value }) => lineOf(type, value) ?? [])
  return shown.some(({ value }) => value.trim() !== '') ? shown : null
}

interface Typed {
  type: string
  value: string
}

function linesIn(element: XmlElement): Typed[] {
  const type = partOf(element, /^(line)?type$/i)
  const value = partOf(element, /^(line)?(value|text|content|data)$/i)
  const isLeaf = element.children.length === 0
  if (type !== null && (value !== null || isLeaf)) return [{ type, value: value ?? element.text }]
  const inside = element.children.flatMap(linesIn)
  // A line of several parts, such as a left and a right one.
  if (type !== null && inside.length === 0) return [{ type, value: leavesOf(element).join('  ') }]
  return inside
}

/** An attribute or a child by its name. */
function partOf({ attributes, children }: XmlElement, name: RegExp): string | null {
  for (const [key, value] of attributes) if (name.test(key)) return value
  return children.find((child) => child.children.length === 0 && name.test(child.name))?.text ?? null
}

function leavesOf({ children }: XmlElement): string[] {
  return children
    .filter(({ name }) => !/^(line)?type$/i.test(name))
    .flatMap((child) => (child.children.length > 0 ? leavesOf(child) : child.text.trim()))
    .filter((text) => text !== '')
}

/** How a line looks, by what its type is called. Null: what paper does not show, or a picture. */
function lineOf(type: string, written: string): PrintLine | null {
  if (/image|logo|bitmap|picture|graphic/i.test(type)) return null
  const value = written
    .replace(/^[\r\n]+/, '')
    .trimEnd()
    .replace(/[^\P{C}\n\t]/gu, '')
  if (value === '') {
    if (/cut|drawer|pulse/i.test(type)) return null
    return { look: /rule|line|separat|divid|dash/i.test(type) ? 'rule' : 'space', align: 'left', value }
  }
  const look = /bold|head|title|strong|large|big|double|emph/i.test(type) ? 'strong' : 'plain'
  const align = /cent(er|re)|barcode|qr/i.test(type) ? 'center' : /right/i.test(type) ? 'right' : 'left'
  return { look, align, value }
}
