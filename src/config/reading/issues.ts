import type { z } from 'zod'
import type { Path } from './path.ts'

export interface Disagreement {
  path: Path
  about: 'value' | 'name' | 'unknown-key'
  expected: string
}

/** Flattens zod's issues: each unknown key, and for a union the branch that was meant. */
export function issuesOf(issues: readonly z.core.$ZodIssue[], at: Path = []): Disagreement[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))]
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => ({
          path: [...path, key],
          expected: completed(issue.message),
          about: 'unknown-key' as const,
        }))
      case 'invalid_key':
        return [{ path, expected: completed(issue.message), about: 'name' as const }]
      case 'invalid_union':
        return unionIssues(issue, path)
      default:
        return [{ path, expected: completed(issue.message), about: 'value' as const }]
    }
  })
}

/** A branch that only complains about something deeper is the one meant; otherwise all are named. */
function unionIssues(issue: z.core.$ZodIssueInvalidUnion, path: Path): Disagreement[] {
  const meant = issue.errors.find((branch) => {
    return branch.length > 0 && branch.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys')
  })
  if (meant) return issuesOf(meant, path)
  const each = issue.errors.flatMap((branch) => issuesOf(branch).map(({ expected }) => expected))
  const expected = completed(issue.message) || [...new Set(each)].join(' or ') || 'another value'
  return [{ path, expected, about: 'value' }]
}

/**
 * Completes "found …, expected …" without repeating the value, which may be a secret. Passed to zod per parse, so a schema's own `error`
 * wins.
 */
export function plainWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue.expected, issue.input)
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_format':
      return formatWords(issue)
    case 'too_small':
      return bound(issue, Number(issue.minimum), issue.inclusive === false ? 'more than' : 'at least')
    case 'too_big':
      return bound(issue, Number(issue.maximum), issue.inclusive === false ? 'less than' : 'at most')
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return 'only keys that are known'
    case 'invalid_union':
      // Empty if the branches say it better: issuesOf() joins what they expect.
      return 'options' in issue && Array.isArray(issue.options) ? oneOf(issue.options) : ''
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues[0]?.message ?? 'another name'
    default:
      return 'another value'
  }
}

const TYPES = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['tuple', 'a list'],
  ['object', 'a map of keys and values'],
  ['record', 'a map of keys and values'],
  ['null', 'nothing'],
  ['undefined', 'nothing'],
  ['never', 'nothing'],
  ['nonoptional', 'a value'],
])

const IN_QUOTES = 'text: put it in quotes'

function typeWords(expected: string, input: unknown): string {
  if (expected === 'string' && ['number', 'boolean'].includes(typeof input)) return IN_QUOTES
  return TYPES.get(expected) ?? `a ${expected}`
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value)))
  return shown.length === 1 ? shown.join() : `one of ${shown.join(', ')}`
}

const FORMATS = new Map([
  ['url', 'a URL, such as https://example.com'],
  ['email', 'an e-mail address'],
  ['uuid', 'a UUID'],
  ['guid', 'a UUID'],
  ['date', 'a date, such as 2026-01-31'],
  ['time', 'a time, such as 09:30:00'],
  ['datetime', 'a date and time, such as 2026-01-31T09:30:00Z'],
  ['base64', 'base64'],
  ['ipv4', 'an IPv4 address'],
  ['ipv6', 'an IPv6 address'],
  ['lowercase', 'text in lower case'],
  ['uppercase', 'text in upper case'],
])

type Format = Extract<z.core.$ZodRawIssue, { code: 'invalid_format' }>

function formatWords(issue: Format): string {
  if ('prefix' in issue) return `text that begins with "${issue.prefix}"`
  if ('suffix' in issue) return `text that ends with "${issue.suffix}"`
  if ('includes' in issue) return `text that holds "${issue.includes}"`
  if (issue.format === 'regex') return `text that matches ${issue.pattern}`
  return FORMATS.get(issue.format) ?? `a valid ${issue.format}`
}

function bound(issue: { origin: string; exact?: boolean | undefined }, limit: number, words: string): string {
  const amount = `${issue.exact ? 'exactly' : words} ${limit}`
  if (issue.origin === 'string') return `${amount} character${limit === 1 ? '' : 's'}`
  if (issue.origin === 'array' || issue.origin === 'set') return `${amount} item${limit === 1 ? '' : 's'} in the list`
  return amount
}

/** In JSON terms: objects instead of maps. */
export function inJson(expected: string): string {
  if (expected === TYPES.get('object')) return 'an object'
  return expected === IN_QUOTES ? 'text, in quotes' : expected
}

/** Turns a schema's own sentence ("Must be a URL.") into a completion. */
export function completed(message: string): string {
  const text = message.replace(/\.$/, '')
  if (/^must be /i.test(text)) return text.slice('must be '.length)
  if (/^must /i.test(text)) return `a value that m${text.slice(1)}`
  return text === message ? message : `another value: ${text}`
}
