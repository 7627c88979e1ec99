import { Buffer } from 'node:buffer'
import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import type { HttpRequest } from '../../lib/http/http.ts'
import {
  at,
  fillText,
  fillTextOrNull,
  holds,
  MappingError,
  type RequestTemplate,
  resultOf,
  withAllDigits,
} from './mapping/template.ts'

export interface BuiltRequest extends Pick<HttpRequest, 'method' | 'path'> {
  headers: Record<string, string>
  body: Buffer | null
  shown: string
}

type Template = Omit<RequestTemplate, 'statuses' | 'refusedWhen' | 'laterWhen'>

export function buildRequest(template: Template, input: object): BuiltRequest {
  const { method, path, type, body } = template
  const sent = body === undefined ? null : at('body', () => bodyOf(body, type, input))
  const ownType = type === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
  return {
    method,
    path: withQuery(
      at('path', () => pathOf(path, input)),
      queryOf(template, input),
    ),
    shown: path.replace(/\?.*$/s, ''),
    headers: { ...(sent !== null && { 'content-type': ownType }), ...headersOf(template, input) },
    body: sent === null ? null : Buffer.from(sent),
  }
}

function pathOf(written: string, input: object): string {
  const path = fillText(written, input, (value) => encodeURIComponent(value.toWellFormed()))
  if (!/^[\x21\x22\x24-\x7e]+$/.test(path))
    throw new MappingError('has a sign that must be percent-encoded (a space, #, å)')
  const [folders = ''] = path.split('?')
  if (folders.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part)))
    throw new MappingError('leads to another folder (. or ..)')
  return path
}

function queryOf({ query = {} }: Template, input: object): string {
  const given = entriesOf('query', query, input)
  return given
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&')
}

function withQuery(path: string, query: string): string {
  if (query === '') return path
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}

function headersOf({ headers = {} }: Template, input: object): Record<string, string> {
  const given = entriesOf('headers', headers, input)
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), headerSafe(value)]))
}

function entriesOf(place: string, written: Record<string, string>, input: object): [name: string, value: string][] {
  return Object.entries(written).flatMap(([name, text]): [string, string][] => {
    const value = at(place, () => at(name, () => fillTextOrNull(text, input)))
    return value === null ? [] : [[name, value]]
  })
}

/** Percent-encoded: a line break would begin another header. */
function headerSafe(value: string): string {
  return value.toWellFormed().replace(/[^\x20-\x7e]/gu, (sign) => encodeURIComponent(sign))
}

function bodyOf(expression: string, type: 'json' | 'form', input: object): string {
  const value = resultOf(expression, input)
  if (value === undefined) throw new MappingError('it gives nothing')
  return type === 'json' ? JSON.stringify(value, exact) : formOf(value)
}

function exact(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? withAllDigits(value) : value
}

function formOf(value: unknown): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new MappingError('a form must be made of an object')
  const fields = Object.entries(value).flatMap(([name, each]) => [each].flat().map((one) => [name, one] as const))
  if (fields.some(([, one]) => one !== null && typeof one === 'object'))
    throw new MappingError('a form is flat: it has no objects in it')
  return new URLSearchParams(
    fields.filter(([, one]) => one !== null).map(([name, one]): [string, string] => [name, String(exact(name, one))]),
  ).toString()
}

export function refuseWhenSaid(where: string, template: RequestTemplate, over: object): void {
  const { refusedWhen, laterWhen } = template
  if (refusedWhen !== undefined && at('refusedWhen', () => holds(refusedWhen, over)))
    throw new PermanentError(`${where}: the answer says that it was refused`, { code: 'refused', mayBeWide: true })
  if (laterWhen !== undefined && at('laterWhen', () => holds(laterWhen, over)))
    throw new RetryLaterError(`${where}: the answer says that it may work later`, { code: 'refused-for-now' })
}
