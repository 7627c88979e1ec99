import { formatInstant, type Instant } from './instant.ts'

/** A sentence for readers of several languages: which one, and what stands in it. */
export interface Message<Id extends string = string> {
  id: Id
  values: Values<Id>
}

export type Values<Id extends string = string> = Readonly<Record<string, Value<Id>>>

/** `amount`: a number with so many decimals, grouped. */
type Value<Id extends string> = string | number | { at: Instant } | { amount: number; decimals?: number } | Message<Id>

export interface Reader<Id extends string> {
  text(id: Id): string
  number(value: number): string
  amount(value: number, decimals: number): string
  time(at: Instant): string
}

/** Two forms of a text, of one `n` and of others, stand on the sides of a bar. An id is not grouped. */
export function rendered<Id extends string>({ id, values }: Message<Id>, reader: Reader<Id>): string {
  const [one = '', many = one] = reader.text(id).split('|')
  return (values.n === 1 ? one : many).replace(/\{(\w+)\}/g, (_, name: string) => shown(name, values[name] ?? ''))

  function shown(name: string, value: Value<Id>): string {
    if (typeof value === 'string') return value
    if (typeof value === 'number') return name === 'id' ? String(value) : reader.number(value)
    if ('id' in value) return rendered(value, reader)
    return 'at' in value ? reader.time(value.at) : reader.amount(value.amount, value.decimals ?? 0)
  }
}

/** For the command line, logs and alarms. */
export function englishOf<Id extends string>(texts: Readonly<Record<Id, string>>): (said: Message<Id>) => string {
  const reader: Reader<Id> = {
    text: (id) => texts[id],
    number: String,
    amount: (value, decimals) =>
      value.toLocaleString('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
    time: formatInstant,
  }
  return (said) => rendered(said, reader)
}
