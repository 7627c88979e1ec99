import type { PayloadDrift } from '../drift/payload-drift.ts'

/** `payments.type has a word that it never had: Swish (until now Card, Cash)`. */
export function driftText({ path, what, was, sample }: PayloadDrift): string {
  const field = fieldText(path)
  switch (what) {
    case 'field':
      return `${field} was never there before: ${sample}`
    case 'null':
      return `${field} is null, which it never was (until now ${was})`
    case 'type':
      return `${field} is of another type: ${sample} (until now ${was})`
    case 'word':
      return `${field} has a word that it never had: ${sample} (until now ${was})`
  }
}

/** The name of a field for people. */
export function fieldText(path: string): string {
  return path === '' ? 'the payload itself' : path
}
