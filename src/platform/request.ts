import { PermanentError } from '../domain/errors.ts'
import type { HttpRequest } from '../lib/http.ts'
import type { Endpoint } from './endpoint.ts'
import { type QueryValues, writeQuery } from './query.ts'

/** Where a platform is, and by what it knows us. */
export interface Target {
  /** Without the slash at its end: paths begin with one. */
  bases: Readonly<Record<Endpoint['base'], string>>
  apiKey: string
  subscriptionKey: string
}

/** What one call gives to its operation. */
export interface Call {
  /** Values for the `{names}` of the path. */
  path?: Readonly<Record<string, string>>
  query?: QueryValues
  body?: object
  /** For the header that says which store, or which stock, where the endpoint has one. */
  storeId?: string
  stockId?: string
  /** What no error of this call may show, besides the keys. */
  secrets?: readonly string[]
  signal?: AbortSignal | undefined
}

/** The request of a call: pure. Throws a PermanentError where a value cannot stand in the path. */
export function buildRequest(target: Target, operation: string, endpoint: Endpoint, call: Call): HttpRequest {
  const { origin, pathname } = new URL(target.bases[endpoint.base])
  const path = fillPath(operation, endpoint.path, call.path ?? {})
  const body = call.body === undefined ? null : Buffer.from(JSON.stringify(cased(call.body, endpoint.casing)))
  return {
    method: endpoint.method,
    origin,
    path: `${pathname.replace(/\/$/, '')}${path}${writeQuery(endpoint.query, call.query ?? {})}`,
    headers: {
      accept: 'application/json',
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

/** Field names as this endpoint wants them. */
function cased(value: unknown, casing: Endpoint['casing']): unknown {
  if (casing === 'documented') return value
  if (Array.isArray(value)) return value.map((item) => cased(item, casing))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.charAt(0).toUpperCase() + name.slice(1), cased(inner, casing)]),
  )
}
