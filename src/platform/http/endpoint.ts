import { type ConfigIssue, ConfigIssueError, PermanentError } from '../../domain/values/errors.ts'
import { field } from '../../domain/values/field.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import type { HttpRequest } from '../../lib/http/http.ts'
import { oneOf } from '../../lib/suggest.ts'
import type { RowsIn } from '../odata/body.ts'
import { isList, isRecord, NotJson, UnexpectedAnswer, type WireRecord } from './read.ts'

/** `guess`: the other platform's document included. */
type Source = 'spec' | 'public' | 'config' | 'guess'

export interface Provenance {
  call: Source
  answer: Source
  line: number | null
}

type HeaderValue = 'apiKey' | 'subscriptionKey' | 'storeId' | 'stockId'

/** Data that config may override. */
export interface Endpoint extends AnswerMapping {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  base: 'rest' | 'odata'
  /** `{name}` is filled in, URL-encoded, also behind a `?`. */
  path: string
  headers: Readonly<Record<string, HeaderValue>>
  query: QueryDialect
  casing: 'documented' | 'pascal'
  /** At any depth. */
  omit?: readonly string[] | undefined
  names?: Readonly<Record<string, string>> | undefined
  /** Orders: amounts as text or JSON numbers. */
  decimals?: 'text' | 'number' | undefined
  /** Orders: billing address as `billingAddress`, or as `address` of the customer. */
  address?: 'order' | 'customer' | undefined
  /** Imported sales: ISO 8601 in UTC, or Central European local time without zone. */
  time?: 'utc' | 'cet' | undefined
  /** Deliveries: whether a `requestId` makes them repeatable. */
  requestId?: 'heeded' | 'unknown' | undefined
  /** Stock adjustments. */
  quantities?: 'decimal' | 'whole' | undefined
  /** Stock levels: `total`; total if asked for without reservations (`asked`); net of reservations (`sellable`). */
  levels?: 'total' | 'asked' | 'sellable' | undefined
  /** Odata by days: days, or their first and last second (local, without zone), quoted or plain. */
  window?: 'quoted-day' | 'day' | 'quoted-datetime' | 'datetime' | undefined
  timeout?: number | undefined
  /** Yields to other calls under a rate limit. */
  bulk?: boolean | undefined
  /** By config: never called. */
  absent?: true | undefined
  known: Provenance
}

export type Wire = Omit<Endpoint, 'known' | 'absent'>

/** Heeded by some operations only. */
const SWITCHES = ['decimals', 'address', 'time', 'requestId', 'window', 'quantities', 'levels'] as const

/** Overriding one of these makes config the source. */
const CALLED_BY = ['method', 'base', 'path', 'query'] as const

interface Documented<Name extends string> {
  presets?: readonly Readonly<Record<Name, Endpoint>>[]
  fieldsOf: (name: Name) => readonly string[] | null
  keysOf: (name: Name) => readonly (readonly string[])[]
  answerOf: (name: Name) => AnswerRead | null
}

export type EndpointOverrides = Readonly<Record<string, { [Key in keyof Wire]?: Wire[Key] | undefined } | null>>

/** Throws a ConfigIssueError with every wrong override. */
export function withOverrides<Name extends string>(
  preset: Readonly<Record<Name, Endpoint>>,
  overrides: EndpointOverrides,
  { presets = [preset], fieldsOf, keysOf, answerOf }: Documented<Name>,
): Readonly<Record<Name, Endpoint>> {
  const changed: Record<Name, Endpoint> = { ...preset }
  const configIssues: ConfigIssue[] = []
  for (const [name, override] of Object.entries(overrides)) {
    const where = ['platform', 'endpoints', name]
    if (!isNameOf(preset, name)) {
      const found = `the name "${name}"`
      configIssues.push({ path: where, found, expected: `an operation: ${oneOf(name, Object.keys(preset))}` })
      continue
    }
    if (override === null) {
      changed[name] = { ...preset[name], absent: true }
      continue
    }
    const given = Object.fromEntries(Object.entries(override).filter(([, value]) => value !== undefined))
    const { known } = preset[name]
    const call = CALLED_BY.some((key) => key in given) ? 'config' : known.call
    const answer = isMapped(override) ? 'config' : known.answer
    const keys = keysOf(name)
    const said: Endpoint = { ...preset[name], ...given, known: { ...known, call, answer } }
    const usual = presets.map((one) => one[name].path)
    const [only, ...others] = new Set([...keys.flat(), ...usual.flatMap(placesIn)])
    const path = only === undefined || others.length > 0 ? said.path : said.path.replaceAll('{id}', `{${only}}`)
    const endpoint = { ...said, path }
    const refuse = (at: (string | number)[], expected: string) =>
      void configIssues.push({ path: [...where, ...at], expected })
    for (const key of SWITCHES)
      if (endpoint[key] !== undefined && preset[name][key] === undefined)
        refuse([key], `nothing: ${name} has no such choice`)
    const parameters = [...new Set(presets.flatMap((one) => Object.keys(one[name].query)))]
    for (const key of Object.keys(override.query ?? {}))
      if (!parameters.includes(key)) refuse(['query', key], oneOf(key, parameters, `nothing: ${name} has no query`))
    const fields = fieldsOf(name)
    for (const key of ['names', 'omit'] as const)
      if (override[key] !== undefined && fields === null) refuse([key], `nothing: ${name} sends no body`)
    const isField = (field: string) => fields === null || fields.includes(field)
    for (const field of Object.keys(override.names ?? {}))
      if (!isField(field)) refuse(['names', field], oneOf(field, fields ?? []))
    for (const [index, field] of (override.omit ?? []).entries())
      if (!isField(field)) refuse(['omit', index], oneOf(field, fields ?? []))
    const places = [...new Set([...usual.flatMap(placesIn), ...keys.flat(), ...parameters])]
    const none = 'no place in braces: no call gives anything for it'
    for (const place of placesIn(path))
      if (!places.includes(place))
        configIssues.push({ path: [...where, 'path'], found: `{${place}}`, expected: oneOf(place, places, none) })
    for (const names of keys)
      if (!names.some((key) => hasPlaceFor(endpoint, key))) {
        const wanted = names.map((key) => `{${key}}`).join(' or ')
        refuse(['path'], `a path with ${wanted} in it, such as ${exampleOf(usual, names)}`)
      }
    configIssues.push(...answerConfigIssues(where, name, override, answerOf(name)))
    if (!endpoint.path.startsWith('/')) refuse(['path'], `a path that begins with /, such as ${preset[name].path}`)
    if (endpoint.timeout !== undefined && !(endpoint.timeout >= 1)) refuse(['timeout'], 'milliseconds, 1 or more')
    changed[name] = endpoint
  }
  if (configIssues.length > 0) throw new ConfigIssueError(configIssues)
  return changed
}

function exampleOf(usual: readonly string[], [key = '']: readonly string[]): string {
  const [first = ''] = usual
  return usual.find((path) => placesIn(path).includes(key)) ?? `${first}?${key}={${key}}`
}

export function placesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

export function hasPlaceFor({ path, query }: Pick<Endpoint, 'path' | 'query'>, name: string): boolean {
  return placesIn(path).includes(name) || Object.hasOwn(query, name)
}

function answerConfigIssues(
  path: ConfigIssue['path'],
  name: string,
  { list, record, fields }: AnswerMapping,
  read: AnswerRead | null,
): ConfigIssue[] {
  const issues: ConfigIssue[] = []
  const refuse = (at: string[], expected: string) => void issues.push({ path: [...path, ...at], expected })
  if (list !== undefined && !read?.isList) refuse(['list'], `nothing: ${name} answers no list that is read`)
  if (record !== undefined && !read) refuse(['record'], `nothing: of the answer of ${name}, nothing is read`)
  const none = `nothing: of the answer of ${name}, no field is read`
  for (const field of Object.keys(fields ?? {}))
    if (!read?.fields.includes(field)) refuse(['fields', field], oneOf(field, read?.fields ?? [], none))
  return issues
}

function isNameOf<Name extends string>(preset: Readonly<Record<Name, Endpoint>>, name: string): name is Name {
  return Object.hasOwn(preset, name)
}

/** `day`: `yyyy-mm-dd`; `day-and-time`: `yyyy-mm-dd hh:mm:ss.s`, in UTC. */
interface ParameterDialect {
  name: string
  format: 'plain' | 'day' | 'day-and-time'
  shift?: number | undefined
  /** Added unless the call knows the platform's zone (ms). */
  zone?: number | undefined
  /** Words for values (`{ true: 'OK' }`); others are not sent. */
  values?: Readonly<Record<string, string>> | undefined
}

type QueryDialect = Readonly<Record<string, ParameterDialect>>

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>

function writeQuery(dialect: QueryDialect, values: QueryValues): string {
  const written = writtenValues(dialect, values)
  // Not URLSearchParams: its + for a blank is not read back by every server.
  const parts = Object.entries(dialect).flatMap(([ours, { name }]) => {
    const text = written[ours]
    return text === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`]
  })
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function writtenValues(dialect: QueryDialect, values: QueryValues): Record<string, string> {
  const entries = Object.entries(values).flatMap(([ours, value]) => {
    if (value === undefined) return []
    const parameter = dialect[ours] ?? ({ name: ours, format: 'plain' } as const)
    const text = writeValue(parameter, value, values.sameClock === true)
    return text === undefined ? [] : [[ours, text] as const]
  })
  return Object.fromEntries(entries)
}

function writeValue(
  { format, shift = 0, zone = 0, values }: ParameterDialect,
  value: string | number | boolean,
  sameClock: boolean,
) {
  if (values) return values[String(value)]
  if (format === 'plain' || typeof value !== 'number') return String(value)
  // No answer shows whose clock a day is of.
  const isKnown = sameClock && format === 'day-and-time'
  const text = formatInstant(value + shift + (isKnown ? 0 : zone))
  return format === 'day' ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 21)}`
}

/** Where an answer differs from the documents, by config. */
export interface AnswerMapping {
  /** `data.rows`. */
  list?: string | undefined
  /** In the answer, or in each row. */
  record?: string | undefined
  /** By documented name: `{ id: 'subscriptionId', 'orderLines.gtin': 'ean' }`. */
  fields?: Readonly<Record<string, string>> | undefined
}

export interface AnswerRead {
  isList: boolean
  fields: readonly string[]
}

type Fields = Map<string, { path?: string; inner?: Fields }>

/** A mapped list becomes `value`. Throws an UnexpectedAnswer without the mapped list or record. */
export function applyResponseMapping(answer: unknown, mapping: AnswerMapping): unknown {
  const { list, record } = mapping
  if (!isMapped(mapping) || answer === null || answer === '') return answer
  const fields = fieldsOf(mapping.fields ?? {})
  const row = (value: unknown) => {
    const inner = record !== undefined && isRecord(value) ? at(value, record) : value
    return withFields(inner === undefined ? value : inner, fields)
  }
  if (list === undefined && isList(answer)) return eachOf(answer, row)
  const found = list === undefined ? field(answer, 'value') : at(answer, list)
  // .NET writes empty lists as null.
  const rows = found === null && list !== undefined ? [] : found
  if (isList(rows)) return isRecord(answer) ? { ...answer, value: eachOf(rows, row) } : eachOf(rows, row)
  if (list !== undefined) throw new UnexpectedAnswer(`there is no list in ${list}`)
  if (record !== undefined && at(answer, record) === undefined)
    throw new UnexpectedAnswer(`there is nothing in ${record}`)
  return row(answer)
}

export function nameInAnswer(name: string, { fields = {} }: AnswerMapping): string {
  return fields[name] ?? name
}

function isMapped({ list, record, fields }: AnswerMapping): boolean {
  return list !== undefined || record !== undefined || fields !== undefined
}

function at(value: unknown, path: string): unknown {
  const whole = field(value, path)
  if (whole !== undefined) return whole
  return path.split('.').reduce(field, value)
}

/** A stream stays one. */
function eachOf(rows: Iterable<unknown>, row: (value: unknown) => unknown): Iterable<unknown> {
  if (Array.isArray(rows)) return rows.map(row)
  return Iterator.from(rows).map((value) => (value instanceof NotJson ? value : row(value)))
}

function fieldsOf(paths: Readonly<Record<string, string>>): Fields {
  const fields: Fields = new Map()
  for (const [name, path] of Object.entries(paths)) {
    let level = fields
    const names = name.split('.')
    const last = names.pop() ?? ''
    for (const outer of names) {
      const known = level.get(outer) ?? {}
      known.inner ??= new Map()
      level.set(outer, known)
      level = known.inner
    }
    level.set(last, { ...level.get(last), path })
  }
  return fields
}

/** A mapped field that is missing is absent, even if another has its name. */
function withFields(value: unknown, fields: Fields): unknown {
  if (!isRecord(value) || fields.size === 0) return value
  const names = new Set([...fields.keys()].map((name) => name.toLowerCase()))
  const others = Object.entries(value).filter(([name]) => !names.has(name.toLowerCase()))
  const found = [...fields].map(([name, { path, inner }]) => [name, within(at(value, path ?? name), inner)])
  return Object.fromEntries([...others, ...found]) as WireRecord
}

function within(part: unknown, inner: Fields | undefined): unknown {
  if (inner === undefined) return part
  return Array.isArray(part) ? part.map((one) => withFields(one, inner)) : withFields(part, inner)
}

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
  const values = { ...target, ...call }
  const keys = Object.entries(endpoint.headers).map(([name, value]) => [name, values[value]] as const)
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
      ...(Object.fromEntries(keys.filter(([, text]) => text !== undefined)) as Record<string, string>),
    },
    body,
    ...(call.signal && { signal: call.signal }),
  }
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
