import { createHash } from 'node:crypto'
import { PERSONAL_FIELDS, plainName } from './personal-fields.ts'

/** The argument of a call for operators: leaves by path (`lines.0.gtin`), personal data and free text as their length. */
export function shownFields(argument: unknown): Record<string, string> {
  const fields: Record<string, string> = {}
  add(argument, '')
  return fields

  function add(value: unknown, path: string): void {
    if (value === undefined) return
    if (value === null || typeof value !== 'object' || value instanceof Uint8Array) {
      fields[path] = shown(value, path)
      return
    }
    const entries = Object.entries(value)
    // Present but empty.
    if (entries.length === 0) fields[path] = Array.isArray(value) ? '[]' : '{}'
    for (const [key, inner] of entries) add(inner, path === '' ? key : `${path}.${key}`)
  }
}

/** Paths under which personal data may be. */
const PERSONAL =
  /customer|person|mail|phone|name|address|birth|formatted|signature|url|seller|cashier|employee|user|comment|note|text|(?:^|\.)to(?:\.|$)/i

/** Numbers, ids, codes and times. */
const PLAIN = /^[\p{L}\d._:/%+[\]{}()-]{1,60}$/u

function shown(value: unknown, path: string): string {
  if (value instanceof Uint8Array)
    return `${value.byteLength} bytes (${createHash('sha256').update(value).digest('hex').slice(0, 12)})`
  const text = String(value)
  if (value === null || typeof value === 'boolean') return text
  const isPersonal = PERSONAL.test(path) || path.split('.').some((name) => PERSONAL_FIELDS.has(plainName(name)))
  return !isPersonal && PLAIN.test(text) ? text : `… (${[...text].length} signs)`
}
