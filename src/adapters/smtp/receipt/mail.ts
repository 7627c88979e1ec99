import type { ReceiptMessage } from '../../../ports/messages.ts'
import type { Content } from '../content.ts'
import { shopNameOf } from '../shop-name.ts'
import { LOGO, type Stationery } from '../stationery.ts'
import { escapeHtml, fillTemplate } from '../template.ts'
import { receiptHtml } from './html.ts'
import { readPrintLines } from './print-lines.ts'
import { printPage } from './print-page.ts'
import { receiptText } from './text.ts'
import { createReceiptView, type ReceiptView } from './view.ts'

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
