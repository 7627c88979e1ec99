import type { Request, Response } from 'express'
import type { Row } from './filter.ts'

/** Sends rows in the envelope of odata version 3: JSON for those who accept it, XML for everybody else (spec, opening). */
export function answerRows(request: Request, response: Response, set: string, rows: readonly Row[]): void {
  const base = `${request.protocol}://${request.get('host')}/odata`
  if (wantsJson(request)) response.json({ 'odata.metadata': `${base}/$metadata#${set}`, value: rows })
  else response.type('application/atom+xml').send(feed(base, set, rows))
}

/** Sends an error in odata's own shape. */
export function answerError(request: Request, response: Response, status: number, message: string): void {
  response.status(status)
  if (wantsJson(request)) response.json({ 'odata.error': { code: '', message: { lang: 'en-US', value: message } } })
  else
    response
      .type('application/xml')
      .send(`${PROLOGUE}<m:error xmlns:m="${METADATA}"><m:code/><m:message>${escaped(message)}</m:message></m:error>`)
}

const PROLOGUE = '<?xml version="1.0" encoding="utf-8"?>'
const METADATA = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata'
const DATA = 'http://schemas.microsoft.com/ado/2007/08/dataservices'

function wantsJson(request: Request): boolean {
  return request.get('accept')?.toLowerCase().includes('application/json') ?? false
}

function feed(base: string, set: string, rows: readonly Row[]): string {
  const names = `xmlns="http://www.w3.org/2005/Atom" xmlns:d="${DATA}" xmlns:m="${METADATA}"`
  return `${PROLOGUE}<feed xml:base="${base}/" ${names}><title>${set}</title>${rows.map(entry).join('')}</feed>`
}

function entry(row: Row): string {
  const properties = Object.entries(row).map(([name, value]) =>
    value === null ? `<d:${name} m:null="true"/>` : `<d:${name}>${escaped(String(value))}</d:${name}>`,
  )
  return `<entry><content type="application/xml"><m:properties>${properties.join('')}</m:properties></content></entry>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
