import { Refusal } from '../../refusal.ts'

/** The form that the text of a parameter must have; `texts`: it may come more than once. */
type Kind = 'text' | 'texts' | 'whole' | 'flag' | 'day' | 'time' | 'instant'

/** A parameter; `!`: it must be there. */
export type Parameter = Kind | `${Kind}!`

const SHAPES: Readonly<Record<Kind, RegExp>> = {
  text: /^.+$/s,
  texts: /^.+$/s,
  whole: /^\d{1,9}$/,
  flag: /^(true|false)$/i,
  day: /^\d{4}-\d\d-\d\d$/,
  time: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+$/,
  instant: /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/,
}

const MEANT: Readonly<Record<Kind, string>> = {
  text: 'a text',
  texts: 'texts',
  whole: 'a whole number',
  flag: 'true or false',
  day: 'yyyy-mm-dd',
  time: 'yyyy-mm-dd hh:mm:ss.s',
  instant: 'a date or a datetime',
}

/** Refuses a parameter that the documentation does not list, one that is not what it says, and the lack of one that must be there. */
export function checkQuery(
  query: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, Parameter>>,
): Readonly<Record<string, unknown>> {
  for (const [name, value] of Object.entries(query)) {
    const parameter = known[name]
    if (parameter === undefined)
      throw new Refusal(400, `${name}: there is no such parameter. ${listed(Object.keys(known))}`)
    const kind = parameter.replace('!', '') as Kind
    const values = [value].flat()
    if (values.length > 1 && kind !== 'texts') throw new Refusal(400, `${name} must be given once.`)
    if (!values.every((one) => typeof one === 'string' && SHAPES[kind].test(one)))
      throw new Refusal(400, `${name} must be ${MEANT[kind]}.`)
  }
  const missing = Object.entries(known).find(([name, kind]) => kind.endsWith('!') && query[name] === undefined)
  if (missing) throw new Refusal(400, `${missing[0]} is required.`)
  return query
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'There are none.' : `There are ${names.join(', ')}.`
}
