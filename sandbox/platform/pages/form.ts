import type { Request } from 'express'
import { Refusal } from '../refusal.ts'

/** The fields of a form. What people wrote wrongly is a Refusal that names the field as the page does. */
export interface Form {
  /** Without blanks around it; empty, if it was left empty or is not in the form. */
  text(name: string): string
  /** A whole number within these bounds. */
  whole(name: string, label: string, least: number, most: number): number
  has(name: string): boolean
  all(): Readonly<Record<string, string>>
  /** The fields whose names begin so, with the rest of the name; those that were left empty are not in it. */
  starting(prefix: string): Map<string, string>
}

/** The form that a page sent, or that stands in an address. */
export function readForm(fields: Request['body'] | Request['query']): Form {
  const texts = new Map(Object.entries(fields ?? {}).map(([name, value]) => [name, textOf(value)]))
  const text = (name: string) => texts.get(name) ?? ''
  return {
    text,
    whole: (name, label, least, most) => wholeNumber(text(name), label, least, most),
    has: (name) => texts.has(name),
    all: () => Object.fromEntries(texts),
    starting: (prefix) =>
      new Map(
        [...texts]
          .filter(([name, value]) => name.startsWith(prefix) && value !== '')
          .map(([name, value]) => [name.slice(prefix.length), value]),
      ),
  }
}

/** A whole number as people write it. */
export function wholeNumber(text: string, label: string, least: number, most: number): number {
  const number = /^[+-]?\d{1,7}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new Refusal(400, `${label} must be a whole number from ${least} to ${most}.`)
}

/** The last one counts, as in an address that has a name twice. */
function textOf(value: unknown): string {
  const last = Array.isArray(value) ? value.at(-1) : value
  return typeof last === 'string' ? last.trim() : ''
}
