import { isCode, isName } from './refusal-words.ts'

/** Where APIs put the code of a refusal: RFC 9457 (`type`), RFC 6749 (`error`), and what is usual. */
const CODES = ['code', 'errorCode', 'error_code', 'category', 'type', 'error', 'status'] as const

/** Where they put what is refused, besides the answer itself. */
const WITHIN = ['error', 'odata.error', 'fault'] as const

/** Objects whose members are named after the fields that are wrong: WordPress, ASP.NET, Laravel. */
const BY_NAME = ['params', 'errors', 'ModelState', 'fields', 'fieldErrors'] as const

/** Lists with an entry for each fault. */
const LISTS = ['errors', 'details', 'detail', 'violations', 'invalid-params', 'issues', 'fieldErrors'] as const

/** How an entry of such a list, or a refusal of one field, says which field it is about. */
const PLACES = ['field', 'path', 'pointer', 'property', 'propertyPath', 'propertyName', 'param', 'parameter', 'loc']

/** More faults than this are not looked through. */
const MAX_FAULTS = 100

/** The machine codes of a refusal: that of the whole, else up to three of its list of errors. */
export function codesIn(answer: unknown): string[] {
  for (const part of partsOf(answer)) {
    const code = codeOf(part)
    if (code !== null) return [code]
  }
  const listed = entriesOf(answer, 'errors').flatMap(
    (entry) => codeOf(member(entry, 'extensions')) ?? codeOf(entry) ?? [],
  )
  return [...new Set(listed)].slice(0, 3)
}

/** The fields that a refusal lists as wrong, each once, in its order. */
export function namesIn(answer: unknown): string[] {
  const told = placesIn(partsWithData(answer))
  return [...new Set([...faultsIn(answer), ...told])].filter(isName)
}

/** The same, without what may be no field of the request: the `path` of a whole answer is mostly that of the URL. */
export function faultsIn(answer: unknown): string[] {
  const parts = partsWithData(answer)
  const keyed = parts.flatMap((part) => BY_NAME.flatMap((name) => keysOf(member(part, name))))
  const entries = parts.flatMap((part) => LISTS.flatMap((name) => entriesOf(part, name)))
  return [...new Set([...keyed, ...placesIn(entries)])].filter(isName)
}

function placesIn(parts: readonly unknown[]): string[] {
  return parts.flatMap((part) => [part, member(part, 'source')]).flatMap(placesOf)
}

function partsWithData(answer: unknown): unknown[] {
  const data = member(answer, 'data')
  return [...partsOf(answer), ...(data === undefined ? [] : [data])]
}

/** A refusal stands in the answer itself, or one member deeper; in a list, where a server wraps everything in one. */
function partsOf(answer: unknown): unknown[] {
  const whole = Array.isArray(answer) ? answer[0] : answer
  const within = WITHIN.map((name) => member(whole, name)).filter((part) => typeof part === 'object' && part !== null)
  return [...within, whole]
}

function codeOf(part: unknown): string | null {
  for (const name of CODES) {
    const code = member(part, name)
    if (typeof code === 'string' && isCode(code)) return code
    // `status: 400` says no more than the status line.
    if (typeof code === 'number' && Number.isInteger(code) && Math.abs(code) < 1e6 && name !== 'status')
      return String(code)
  }
  return null
}

function placesOf(part: unknown): string[] {
  return PLACES.flatMap((name) => {
    const place = member(part, name)
    if (typeof place === 'string') return place
    return Array.isArray(place) && place.length > 0 ? place.slice(0, 10).map(String).join('.') : []
  })
}

function keysOf(value: unknown): string[] {
  const isNamed = value !== null && typeof value === 'object' && !Array.isArray(value)
  return isNamed ? Object.keys(value).slice(0, MAX_FAULTS) : []
}

function entriesOf(value: unknown, name: string): unknown[] {
  const found = member(value, name)
  return Array.isArray(found) ? found.slice(0, MAX_FAULTS) : []
}

/** A member by its name, in any case: one API writes `Code`, another `code`. */
function member(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined
  if (Object.hasOwn(value, name)) return (value as Record<string, unknown>)[name]
  const key = Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : (value as Record<string, unknown>)[key]
}
