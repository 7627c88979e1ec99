import { type Misfit, MisfitError } from '../../domain/values/errors.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import { oneOf } from '../../lib/suggest.ts'
import { type AnswerMapping, type AnswerRead, isMapped } from './mapped-answer.ts'

/**
 * The source of what is known of an operation: the document that the preset follows (`spec`; `public`: the public documentation), the
 * operator's word in `config`, or a `guess`, also where the other platform's document shows it.
 */
type Source = 'spec' | 'public' | 'config' | 'guess'

export interface Known {
  /** The source of its method and path. */
  call: Source
  answer: Source
  /** The line of the specification that shows it; null: none does. */
  line: number | null
}

type HeaderValue = 'apiKey' | 'subscriptionKey' | 'storeId' | 'stockId'

/** One operation of the platform on the wire. It is data, so that an operator can change it where a platform differs. */
export interface Endpoint extends AnswerMapping {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The address, of the two, that the path is added to. */
  base: 'rest' | 'odata'
  /** Begins with `/`; `{name}` is filled in, URL-encoded, also behind a `?`. */
  path: string
  /** Header names, with what each carries. One whose value a call does not have is left out. */
  headers: Readonly<Record<string, HeaderValue>>
  /** How each parameter of the query is written; one that is not here is not sent. */
  query: QueryDialect
  /** Field names of the body: as documented, or each with a capital first letter. */
  casing: 'documented' | 'pascal'
  /** Fields of the body that are not sent, wherever in the body they stand. */
  omit?: readonly string[] | undefined
  /** Fields of the body that have another name than the documented one, wherever in the body they stand. */
  names?: Readonly<Record<string, string>> | undefined
  /** Orders only: prices, quantities and amounts as text, or as JSON numbers. */
  decimals?: 'text' | 'number' | undefined
  /** Orders only: the billing address as `billingAddress` of the order, or as `address` of its customer. */
  address?: 'order' | 'customer' | undefined
  /** Imported sales only: an instant as ISO 8601 in UTC, or as the wall clock of Central Europe, without a zone. */
  time?: 'utc' | 'cet' | undefined
  /**
   * Deliveries only: whether one `requestId` is carried out once, however often it is sent. `unknown`: nobody says so, and what
   * may have been carried out is not sent again.
   */
  requestId?: 'heeded' | 'unknown' | undefined
  /** Stock adjustments only: levels as any decimal, or as whole numbers only. */
  quantities?: 'decimal' | 'whole' | undefined
  /**
   * Stock levels only: all that is there (`total`); that, where it is asked for without reservations (`asked`); or what can be sold,
   * reservations taken off (`sellable`).
   */
  levels?: 'total' | 'asked' | 'sellable' | undefined
  /**
   * Odata by days only: how `from` and `to` are written, as days or as the first and the last second of days (local, without a
   * zone), each in single quotes or plain.
   */
  window?: 'quoted-day' | 'day' | 'quoted-datetime' | 'datetime' | undefined
  /** Milliseconds that one request of this operation may take, in place of what holds for all. */
  timeout?: number | undefined
  /** The operation moves much at once: where calls are limited by rate, all others go first. */
  bulk?: boolean | undefined
  /** The platform has no such operation, as config says: it is never called. */
  absent?: true | undefined
  /** The source of what is said here of the operation. */
  known: Known
}

/** How an operation is spoken, without where that is known from. */
export type Wire = Omit<Endpoint, 'known' | 'absent'>

/** Switches that only some operations heed: elsewhere they would be changed in vain. */
const SWITCHES = ['decimals', 'address', 'time', 'requestId', 'window', 'quantities', 'levels'] as const

/** The settings that say how an operation is called: whoever changes one of them decides that himself. */
const CALLED_BY = ['method', 'base', 'path', 'query'] as const

interface Documented<Name extends string> {
  presets?: readonly Readonly<Record<Name, Endpoint>>[]
  /** The fields of its body; null: it sends none. */
  fieldsOf: (name: Name) => readonly string[] | null
  /** The values that say what it is about; of those in one list, a call gives one. */
  keysOf: (name: Name) => readonly (readonly string[])[]
  /** What is read of its answer; null: nothing. */
  answerOf: (name: Name) => AnswerRead | null
}

/**
 * Changes to single endpoints, by the name of the operation (`events.resend`): what is given replaces the preset's. Null: the platform
 * has no such operation.
 */
export type EndpointOverrides = Readonly<Record<string, { [Key in keyof Wire]?: Wire[Key] | undefined } | null>>

/**
 * The preset with an operator's changes. A parameter of the query may be any that one of `presets` has of the operation. Throws a
 * MisfitError that names every change that there cannot be.
 */
export function withOverrides<Name extends string>(
  preset: Readonly<Record<Name, Endpoint>>,
  overrides: EndpointOverrides,
  { presets = [preset], fieldsOf, keysOf, answerOf }: Documented<Name>,
): Readonly<Record<Name, Endpoint>> {
  const changed: Record<Name, Endpoint> = { ...preset }
  const misfits: Misfit[] = []
  for (const [name, override] of Object.entries(overrides)) {
    const path = ['platform', 'endpoints', name]
    if (!isNameOf(preset, name)) {
      const found = `the name "${name}"`
      misfits.push({ path, found, expected: `an operation: ${oneOf(name, Object.keys(preset))}` })
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
    const endpoint = { ...said, path: withKeyNamed(said.path, [...keys.flat(), ...usual.flatMap(placesIn)]) }
    for (const key of SWITCHES)
      if (endpoint[key] !== undefined && preset[name][key] === undefined)
        misfits.push({ path: [...path, key], expected: `nothing: ${name} has no such choice` })
    const parameters = [...new Set(presets.flatMap((one) => Object.keys(one[name].query)))]
    for (const key of Object.keys(override.query ?? {}))
      if (!parameters.includes(key))
        misfits.push({
          path: [...path, 'query', key],
          expected: oneOf(key, parameters, `nothing: ${name} has no query`),
        })
    const fields = fieldsOf(name)
    for (const key of ['names', 'omit'] as const)
      if (override[key] !== undefined && fields === null)
        misfits.push({ path: [...path, key], expected: `nothing: ${name} sends no body` })
    for (const field of Object.keys(override.names ?? {}))
      if (fields !== null && !fields.includes(field))
        misfits.push({ path: [...path, 'names', field], expected: oneOf(field, fields) })
    for (const [index, field] of (override.omit ?? []).entries())
      if (fields !== null && !fields.includes(field))
        misfits.push({ path: [...path, 'omit', index], expected: oneOf(field, fields) })
    misfits.push(...pathMisfits(path, endpoint, { usual, keys, parameters }))
    misfits.push(...answerMisfits(path, name, override, answerOf(name)))
    if (!endpoint.path.startsWith('/'))
      misfits.push({ path: [...path, 'path'], expected: `a path that begins with /, such as ${preset[name].path}` })
    if (endpoint.timeout !== undefined && !(endpoint.timeout >= 1))
      misfits.push({ path: [...path, 'timeout'], expected: 'milliseconds, 1 or more' })
    changed[name] = endpoint
  }
  if (misfits.length > 0) throw new MisfitError(misfits)
  return changed
}

/** `{id}` where there is one thing only that it can mean. */
function withKeyNamed(path: string, places: readonly string[]): string {
  const [only, ...others] = new Set(places)
  return only === undefined || others.length > 0 ? path : path.replaceAll('{id}', `{${only}}`)
}

function pathMisfits(
  path: Misfit['path'],
  endpoint: Endpoint,
  {
    usual,
    keys,
    parameters,
  }: { usual: readonly string[]; keys: readonly (readonly string[])[]; parameters: readonly string[] },
): Misfit[] {
  const known = [...new Set([...usual.flatMap(placesIn), ...keys.flat(), ...parameters])]
  const at = [...path, 'path']
  const unknown = placesIn(endpoint.path).filter((place) => !known.includes(place))
  const missing = keys.filter((names) => !names.some((key) => hasPlaceFor(endpoint, key)))
  return [
    ...unknown.map((place) => ({
      path: at,
      found: `{${place}}`,
      expected: oneOf(place, known, 'no place in braces: no call gives anything for it'),
    })),
    ...missing.map((names) => ({
      path: at,
      expected: `a path with ${names.map((key) => `{${key}}`).join(' or ')} in it, such as ${exampleOf(usual, names)}`,
    })),
  ]
}

function exampleOf(usual: readonly string[], [key = '']: readonly string[]): string {
  const [first = ''] = usual
  return usual.find((path) => placesIn(path).includes(key)) ?? `${first}?${key}={${key}}`
}

/** The names in braces in a path. */
export function placesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** Whether a value that a call gives reaches the platform in the path or in the query. */
export function hasPlaceFor({ path, query }: Pick<Endpoint, 'path' | 'query'>, name: string): boolean {
  return placesIn(path).includes(name) || Object.hasOwn(query, name)
}

function answerMisfits(
  path: Misfit['path'],
  name: string,
  { list, record, fields }: AnswerMapping,
  read: AnswerRead | null,
): Misfit[] {
  const misfits: Misfit[] = []
  if (list !== undefined && read?.isList !== true)
    misfits.push({ path: [...path, 'list'], expected: `nothing: ${name} answers no list that is read` })
  if (record !== undefined && read === null)
    misfits.push({ path: [...path, 'record'], expected: `nothing: of the answer of ${name}, nothing is read` })
  for (const field of Object.keys(fields ?? {}))
    if (!read?.fields.includes(field))
      misfits.push({
        path: [...path, 'fields', field],
        expected: oneOf(field, read?.fields ?? [], `nothing: of the answer of ${name}, no field is read`),
      })
  return misfits
}

function isNameOf<Name extends string>(preset: Readonly<Record<Name, Endpoint>>, name: string): name is Name {
  return Object.hasOwn(preset, name)
}

/**
 * How one parameter is written: `plain` as it is (true and false as these words), `day` as `yyyy-mm-dd`, `day-and-time` as
 * `yyyy-mm-dd hh:mm:ss.s`; instants are written in UTC.
 */
interface ParameterDialect {
  /** The parameter's name on the wire. */
  name: string
  format: 'plain' | 'day' | 'day-and-time'
  /** Milliseconds added to an instant first. */
  shift?: number | undefined
  /** The same, since the zone in which the platform reads it is not known: left out where a call says that it is. */
  zone?: number | undefined
  /** Words for single values (`{ true: 'OK' }`). A value without a word is then not sent. */
  values?: Readonly<Record<string, string>> | undefined
}

/** How a query is written, by our own names of its parameters. */
export type QueryDialect = Readonly<Record<string, ParameterDialect>>

/** The parameters of a call; an instant is a number. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>

/** The query with its `?`, or nothing where nothing is to be sent. */
export function writeQuery(dialect: QueryDialect, values: QueryValues): string {
  const parts: string[] = []
  for (const [ours, parameter] of Object.entries(dialect)) {
    const value = values[ours]
    const text = value === undefined ? undefined : writeValue(parameter, value, values.sameClock === true)
    // Not URLSearchParams: it writes a blank as +, which not every server reads back in a datetime.
    if (text !== undefined) parts.push(`${encodeURIComponent(parameter.name)}=${encodeURIComponent(text)}`)
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** The values as the dialect writes them, by our own names; one that has no dialect as it is. */
export function writtenValues(dialect: QueryDialect, values: QueryValues): Record<string, string> {
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
