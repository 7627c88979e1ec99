import type { z } from 'zod'
import { type ConfigIssue, UserError } from '../domain/values/errors.ts'
import { isMap } from '../lib/collections.ts'
import { withoutUrlSecrets } from '../lib/http/url.ts'
import { oneOf } from '../lib/suggest.ts'
import { holdsSecret, keysOf, type Path, pathText, type RootedSchema, schemasAt, valueAt } from './schema.ts'
import type { Problem, YamlFile } from './yaml-file.ts'

export interface ValidationIssue {
  path: Path
  about: 'value' | 'name' | 'unknown-key'
  expected: string
}

/** Flattens zod's issues: each unknown key, and for a union the branch that was meant. */
export function flattenIssues(issues: readonly z.core.$ZodIssue[], at: Path = []): ValidationIssue[] {
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
function unionIssues(issue: z.core.$ZodIssueInvalidUnion, path: Path): ValidationIssue[] {
  const meant = issue.errors.find((branch) => {
    return branch.length > 0 && branch.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys')
  })
  if (meant) return flattenIssues(meant, path)
  const each = issue.errors.flatMap((branch) => flattenIssues(branch).map(({ expected }) => expected))
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
      return valuesText(issue.values)
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
      // Empty if the branches say it better: flattenIssues() joins what they expect.
      return 'options' in issue && Array.isArray(issue.options) ? valuesText(issue.options) : ''
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

function valuesText(values: readonly unknown[]): string {
  const shown = values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value)))
  return shown.length === 1 ? shown.join() : `one of ${shown.join(', ')}`
}

const FORMATS = new Map([
  ['url', 'a URL, such as https://example.com'],
  ['email', 'an e-mail address'],
  ['date', 'a date, such as 2026-01-31'],
  ['datetime', 'a date and time, such as 2026-01-31T09:30:00Z'],
])

function formatWords(issue: Extract<z.core.$ZodRawIssue, { code: 'invalid_format' }>): string {
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

export type Report = ReturnType<typeof createReport>

/** `hidden`: texts hidden by another report of the same file. */
export function createReport(file: YamlFile, hidden = new Set<string>()) {
  const problems = new Map<string, Problem>()
  for (const problem of file.problems) problems.set(`${problem.line} ${problem.path} value`, problem)

  function add(about: string, path: Path, found: string, expected: string): void {
    const { line, end } = file.locationOf(path)
    const key = `${line} ${pathText(path)} ${about}`
    // Only the first issue of a value is its cause. Text that ends after a syntax error is guesswork.
    if (problems.has(key) || end >= file.brokenAt) return
    problems.set(key, { path: pathText(path), line, found, expected })
  }

  return {
    problem: (path: Path, found: string, expected: string) => add('value', path, found, expected),
    issue(issue: ConfigIssue & Partial<Pick<ValidationIssue, 'about'>>, schemas: readonly RootedSchema[]): void {
      const { path, found, expected, about = 'value' } = issue
      const name = String(path.at(-1))
      if (about === 'unknown-key') {
        const siblings = schemasAt(schemas, path.slice(0, -1)).schemas
        add('key', path, 'an unknown key', oneOf(name, keysOf(siblings), 'no keys'))
        return
      }
      const written = about === 'name' ? `the name "${name}"` : describeFound(valueAt(file.root, path), path, schemas)
      add('value', path, found ?? written, expected)
    },
    hide: (text: string) => void hidden.add(text),
    problems: (): Problem[] =>
      [...problems.values()].map((problem) => ({ ...problem, expected: withoutHidden(problem.expected, hidden) })),
  }
}

/** The written value if it may be shown: no secret, nothing from the environment. */
function describeFound(written: unknown, path: Path, schemas: readonly RootedSchema[]): string {
  if (written === undefined || written === null) return 'nothing'
  const known = schemasAt(schemas, path)
  if (known.secret) return '(secret)'
  if (Array.isArray(written)) return written.length === 0 ? 'an empty list' : 'a list'
  if (isMap(written)) return 'a map'
  if (known.schemas.some((schema) => holdsSecret(schema)))
    return typeof written === 'string' ? 'text' : `a ${typeof written}`
  if (typeof written !== 'string') return String(written)
  const begin = written.indexOf('${')
  const end = begin < 0 ? -1 : written.indexOf('}', begin)
  if (end >= 0)
    return begin === 0 && end === written.length - 1 ? `the value of ${written}` : `what "${written}" becomes`
  const shown = withoutUrlSecrets(written)
  return shown.length > 80 ? `${JSON.stringify(shown.slice(0, 77))}…` : JSON.stringify(shown)
}

/** An adapter's message may quote the value. Very short texts match by chance. */
function withoutHidden(text: string, hidden: ReadonlySet<string>): string {
  const longestFirst = [...hidden].filter((value) => value.length >= 4).sort((a, b) => b.length - a.length)
  return longestFirst.reduce((shown, value) => shown.replaceAll(value, '(secret)'), text)
}

export class ConfigError extends UserError {
  override name = 'ConfigError'
  readonly problems: readonly Problem[]
  readonly file: string

  constructor(file: string, problems: readonly Problem[]) {
    const sorted = problems.toSorted((a, b) => a.line - b.line)
    super(sorted.map((problem) => problemLine(file, problem)).join('\n'))
    this.problems = sorted
    this.file = file
  }
}

/** `tillbridge.yaml:3 server.port: found …, expected …`. */
export function problemLine(file: string, { path, line, found, expected }: Problem): string {
  const where = path === '' ? `${file}:${line}` : `${file}:${line} ${path}:`
  return `${where} found ${found}, expected ${expected}`
}
