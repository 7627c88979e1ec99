import type { Misfit } from '../../domain/values/errors.ts'
import { oneOf } from '../../lib/suggest.ts'
import { holdsSecret, keysOf, type RootedSchema, schemasAt } from '../schema/schemas-at.ts'
import { withoutUrlSecrets } from '../url-text.ts'
import type { Problem } from './config-error.ts'
import type { Disagreement } from './issues.ts'
import { isMap, type Path, pathText, valueAt } from './path.ts'
import type { YamlFile } from './yaml-file.ts'

export interface Report {
  problem(path: Path, found: string, expected: string): void
  disagreement(disagreement: Disagreement, schemas: readonly RootedSchema[]): void
  misfit(misfit: Misfit, schemas: readonly RootedSchema[]): void
  hide(text: string): void
  problems(): Problem[]
}

/** `hidden`: texts hidden by another report of the same file. */
export function createReport(file: YamlFile, hidden = new Set<string>()): Report {
  const problems = new Map<string, Problem>()
  for (const problem of file.problems) problems.set(`${problem.line} ${problem.path} value`, problem)

  function add(about: string, path: Path, found: string, expected: string): void {
    const { line, end } = file.placeOf(path)
    const key = `${line} ${pathText(path)} ${about}`
    // Only the first issue of a value is its cause. Text that ends after a syntax error is guesswork.
    if (problems.has(key) || end >= file.brokenAt) return
    problems.set(key, { path: pathText(path), line, found, expected })
  }

  function disagreement(one: Disagreement, schemas: readonly RootedSchema[]): void {
    const name = String(one.path.at(-1))
    if (one.about === 'unknown-key') {
      const siblings = schemasAt(schemas, one.path.slice(0, -1)).schemas
      add('key', one.path, 'an unknown key', oneOf(name, keysOf(siblings), 'no keys'))
    } else {
      const written = valueAt(file.root, one.path)
      const found = one.about === 'name' ? `the name "${name}"` : describeFound(written, one.path, schemas)
      add('value', one.path, found, one.expected)
    }
  }

  return {
    problem: (path, found, expected) => add('value', path, found, expected),
    disagreement,
    misfit({ path, found, expected }, schemas) {
      add('value', path, found ?? describeFound(valueAt(file.root, path), path, schemas), expected)
    },
    hide: (text) => {
      hidden.add(text)
    },
    problems: () =>
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
