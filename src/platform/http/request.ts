import { PermanentError } from '../../domain/values/errors.ts'
import type { HttpRequest } from '../../lib/http/http.ts'
import type { RowsIn } from '../odata/body.ts'
import { type Endpoint, hasPlaceFor, placesIn, type QueryValues, writeQuery, writtenValues } from './endpoint.ts'

/** The address of a platform, and the keys that it knows us by. */
export interface Target {
  /** Addresses without the slash at the end: paths begin with one. */
  bases: Readonly<Record<Endpoint['base'], string>>
  apiKey: string
  subscriptionKey: string
}

/** The values that one call gives to its operation. */
export interface Call {
  /** Values for the `{names}` of the path. */
  path?: Readonly<Record<string, string>>
  query?: QueryValues
  /** The query as the platform has written it for the next page, with its `?`: in place of the one above. */
  search?: string | undefined
  body?: object
  /** The store, or the stock, for the header that names one, where the endpoint has it. */
  storeId?: string
  stockId?: string
  /** Values that no error of this call may show, besides the keys. */
  secrets?: readonly string[]
  /** The answer is given row by row: its list can be gone through once, and is no array. */
  byRow?: RowsIn
  signal?: AbortSignal | undefined
}

/** The request of a call: pure. Throws a PermanentError where a value cannot stand in the path. */
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
      // Who says nothing may be answered in any packing.
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

/** The path with its query. A parameter that stands in the path is not written once more. */
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

/** Throws a PermanentError where a value that says what the call is about would not be sent. */
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
    // A dot segment would be taken out of the URL, and with it lead to another endpoint.
    if (value === undefined || /^\.{0,2}$/.test(value)) {
      const given = value === undefined ? 'nothing' : JSON.stringify(value)
      throw new PermanentError(`platform: ${operation} cannot be called with ${given} as {${name}} of its path.`, {
        code: 'invalid-request',
      })
    }
    return encodeURIComponent(value)
  })
}

/** The body with its fields, and their names, as this endpoint wants them. */
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

/** `nameOf` gives null for a field that is left out. */
function rename(value: unknown, nameOf: (name: string) => string | null): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, nameOf))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const written = nameOf(name)
      return written === null ? [] : [[written, rename(inner, nameOf)]]
    }),
  )
}
