import { PermanentError } from '../../domain/values/errors.ts'
import type { HttpRequest } from '../../lib/http/http.ts'
import type { RowsIn } from '../odata/body.ts'
import { type Endpoint, hasPlaceFor, placesIn, type QueryValues, writeQuery, writtenValues } from './endpoint.ts'

export interface Target {
  bases: Readonly<Record<Endpoint['base'], string>>
  apiKey: string
  subscriptionKey: string
}

export interface Call {
  path?: Readonly<Record<string, string>>
  query?: QueryValues
  /** The platform's own query for the next page; replaces `query`. */
  search?: string | undefined
  body?: object
  storeId?: string
  stockId?: string
  secrets?: readonly string[]
  /** The list is a stream, readable once. */
  byRow?: RowsIn
  signal?: AbortSignal | undefined
}

export function buildRequest(target: Target, operation: string, endpoint: Endpoint, call: Call): HttpRequest {
  const { origin, pathname } = new URL(target.bases[endpoint.base])
  const path = fillPath(operation, endpoint, call)
  const body = call.body === undefined ? null : Buffer.from(JSON.stringify(named(call.body, endpoint)))
  return {
    method: endpoint.method,
    origin,
    path: pathname.replace(/\/$/, '') + path,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'Tillbridge',
      ...(body && { 'content-type': 'application/json' }),
      ...headersOf(endpoint, { ...target, ...call }),
    },
    body,
    ...(call.signal && { signal: call.signal }),
  }
}

function headersOf(endpoint: Endpoint, values: Target & Call): Record<string, string> {
  const written = Object.entries(endpoint.headers).flatMap(([name, value]) => {
    const text = values[value]
    return text === undefined ? [] : [[name, text]]
  })
  return Object.fromEntries(written)
}

/** Parameters of the path are not repeated in the query. */
function fillPath(operation: string, endpoint: Endpoint, { path = {}, query = {}, search }: Call): string {
  const [route = '', own = ''] = endpoint.path.split(/\?(.*)/s)
  const inPath = placesIn(endpoint.path)
  const others = Object.fromEntries(Object.entries(endpoint.query).filter(([name]) => !inPath.includes(name)))
  const values = { ...writtenValues(endpoint.query, query), ...path }
  const filled = fillIn(operation, route, values)
  if (search !== undefined) return filled + search
  const written = writeQuery(others, query)
  if (own === '') return filled + written
  return `${filled}?${fillIn(operation, own, values)}${written.replace('?', '&')}`
}

export function checkKeysSent(
  operation: string,
  endpoint: Endpoint,
  keys: readonly (readonly string[])[],
  { path = {}, query = {} }: Call,
): void {
  const given: Record<string, unknown> = { ...query, ...path }
  const unsent = keys.flat().find((key) => given[key] !== undefined && !hasPlaceFor(endpoint, key))
  if (unsent === undefined) return
  const message = `platform: ${operation} cannot be called with a ${unsent}: platform.endpoints.${operation} has no {${unsent}} in its path.`
  throw new PermanentError(message, { code: 'invalid-request' })
}

function fillIn(operation: string, template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    // A dot segment would lead to another endpoint.
    if (value === undefined || /^\.{0,2}$/.test(value)) {
      const given = value === undefined ? 'nothing' : JSON.stringify(value)
      throw new PermanentError(`platform: ${operation} cannot be called with ${given} as {${name}} of its path.`, {
        code: 'invalid-request',
      })
    }
    return encodeURIComponent(value)
  })
}

export function named(
  value: unknown,
  { names = {}, omit = [], casing }: Pick<Endpoint, 'names' | 'omit' | 'casing'>,
): unknown {
  return rename(value, (name) => {
    if (omit.includes(name)) return null
    const known = Object.hasOwn(names, name) ? (names[name] ?? name) : name
    return casing === 'pascal' ? known.charAt(0).toUpperCase() + known.slice(1) : known
  })
}

function rename(value: unknown, newNameOf: (name: string) => string | null): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, newNameOf))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const written = newNameOf(name)
      return written === null ? [] : [[written, rename(inner, newNameOf)]]
    }),
  )
}
