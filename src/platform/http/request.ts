import { PermanentError } from '../../domain/values/errors.ts'
import type { HttpRequest } from '../../lib/http/http.ts'
import type { RowsIn } from '../odata/body.ts'
import type { Endpoint } from './endpoint.ts'
import { type QueryValues, writeQuery } from './query.ts'

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
  const path = fillPath(operation, endpoint.path, call.path ?? {})
  const body = call.body === undefined ? null : Buffer.from(JSON.stringify(named(call.body, endpoint)))
  return {
    method: endpoint.method,
    origin,
    path: `${pathname.replace(/\/$/, '')}${path}${call.search ?? writeQuery(endpoint.query, call.query ?? {})}`,
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

function fillPath(operation: string, template: string, values: Readonly<Record<string, string>>): string {
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

/** The body with its field names as this endpoint wants them. */
export function named(value: unknown, { names = {}, casing }: Pick<Endpoint, 'names' | 'casing'>): unknown {
  return rename(value, (name) => {
    const known = Object.hasOwn(names, name) ? (names[name] ?? name) : name
    return casing === 'pascal' ? known.charAt(0).toUpperCase() + known.slice(1) : known
  })
}

function rename(value: unknown, nameOf: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, nameOf))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [nameOf(name), rename(inner, nameOf)]))
}
