import { field } from '../../domain/values/field.ts'
import { isRecord, NotJson, UnexpectedAnswer, type WireRecord } from './read.ts'

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
export function mappedAnswer(answer: unknown, mapping: AnswerMapping): unknown {
  const { list, record } = mapping
  if (!isMapped(mapping) || answer === null || answer === '') return answer
  const fields = fieldsOf(mapping.fields ?? {})
  const row = (value: unknown) => {
    const inner = record !== undefined && isRecord(value) ? at(value, record) : value
    return withFields(inner === undefined ? value : inner, fields)
  }
  if (list === undefined && isIterable(answer)) return eachOf(answer, row)
  const found = list === undefined ? field(answer, 'value') : at(answer, list)
  // .NET writes empty lists as null.
  const rows = found === null && list !== undefined ? [] : found
  if (isIterable(rows)) return isRecord(answer) ? { ...answer, value: eachOf(rows, row) } : eachOf(rows, row)
  if (list !== undefined) throw new UnexpectedAnswer(`there is no list in ${list}`)
  if (record !== undefined && at(answer, record) === undefined)
    throw new UnexpectedAnswer(`there is nothing in ${record}`)
  return row(answer)
}

export function nameInAnswer(name: string, { fields = {} }: AnswerMapping): string {
  return fields[name] ?? name
}

export function isMapped({ list, record, fields }: AnswerMapping): boolean {
  return list !== undefined || record !== undefined || fields !== undefined
}

function at(value: unknown, path: string): unknown {
  const whole = field(value, path)
  if (whole !== undefined) return whole
  return path.split('.').reduce(field, value)
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

function eachOf(rows: Iterable<unknown>, row: (value: unknown) => unknown): Iterable<unknown> {
  return Array.isArray(rows) ? rows.map(row) : lazily(rows, row)
}

function* lazily(rows: Iterable<unknown>, row: (value: unknown) => unknown): Generator<unknown> {
  for (const value of rows) yield value instanceof NotJson ? value : row(value)
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
