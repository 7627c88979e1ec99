import { createHash } from 'node:crypto'
import { mayBePersonal } from './erasing/personal-fields.ts'

/** The argument of a call for operators: each leaf by its path (`lines.0.gtin`), personal data and free text as their length. */
export function shownFields(argument: unknown): Record<string, string> {
  const fields: Record<string, string> = {}
  walk(argument, '', fields)
  return Object.fromEntries(Object.entries(fields).map(([path, value]) => [path, shownField(path, value)]))
}

function walk(value: unknown, path: string, fields: Record<string, string>): void {
  if (value === undefined) return
  if (value instanceof Uint8Array) {
    const hash = createHash('sha256').update(value).digest('hex').slice(0, 12)
    fields[path] = `${value.byteLength} bytes (${hash})`
  } else if (value === null || typeof value !== 'object') {
    fields[path] = String(value)
  } else {
    const entries = Object.entries(value)
    // What was there and is empty is told from what was not there.
    if (entries.length === 0) fields[path] = Array.isArray(value) ? '[]' : '{}'
    for (const [key, inner] of entries) walk(inner, path === '' ? key : `${path}.${key}`, fields)
  }
}

/** Words in a path behind which personal data may stand: whole subtrees of it. */
const PERSONAL =
  /customer|person|mail|phone|name|address|birth|formatted|signature|url|seller|cashier|employee|user|comment|note|text|(?:^|\.)to(?:\.|$)/i

/** Numbers, ids, codes and times: one word without anything that a mail address has. */
const PLAIN = /^[\p{L}\d._:/%+[\]{}()-]{1,60}$/u

/** The value of a field as it is shown to people: what may be of a person, or is free text, is told by its length alone. */
export function shownField(path: string, value: string): string {
  if (BYTES.test(value) || ['null', 'true', 'false'].includes(value)) return value
  const isPersonal = PERSONAL.test(path) || path.split('.').some(mayBePersonal)
  if (!isPersonal && PLAIN.test(value)) return value
  return `… (${[...value].length} signs)`
}

const BYTES = /^\d+ bytes \([\da-f]{12}\)$/
