import { formatInstant } from '../../domain/values/instant.ts'

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
