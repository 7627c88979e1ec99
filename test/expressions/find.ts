import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { NOT_IN_LINES, TURNING } from '../../src/cli/shared/output.ts'

/** A regular expression of the program; the same one may stand in several places. */
export interface Expression {
  source: string
  flags: string
  /** `src/domain/values/money.ts:25` */
  places: string[]
}

interface Node {
  type: string
  start: number
  end: number
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What those are made of that are put together while the program runs, by the names of its variables. */
const GIVEN = {
  ...{ least: 16, shortest: 20, country: '47', quote: '"', TURNING, NOT_IN_LINES },
  ...{ any: 'zeb@example\\.com|41239876', key: '41239876', escaped: (text: string) => text },
  BEFORE: String.raw`(?<![\p{L}\p{N}]|[\p{L}\p{N}][-+._])`,
  AFTER: String.raw`(?![\p{L}\p{N}]|[-._@][\p{L}\p{N}])`,
}

const TAKES_EXPRESSION = ['match', 'matchAll', 'search']

/** Every regular expression that stands in the TypeScript of the hub and its packages, as a literal or put together. */
export function expressionsOfHub(): Expression[] {
  const files = globSync(['src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: ROOT })
  const all = files.flatMap((file) => expressionsIn(file, readFileSync(join(ROOT, file), 'utf8')))
  return [...Map.groupBy(all, ({ source, flags }) => `/${source}/${flags}`).values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, places: same.flatMap(({ places }) => places) }] : []
  })
}

/** Those of one file. Throws where one is put together of what is not in GIVEN. */
export function expressionsIn(file: string, text: string): Expression[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  return nodesIn(program).flatMap((node) => {
    const written = literalOf(node) ?? builtBy(node)
    if (written === null) return []
    const place = `${file}:${text.slice(0, node.start).split('\n').length}`
    return [{ ...(typeof written === 'string' ? evaluated(written, place) : written), places: [place] }]
  })

  /** The program's text of an expression that is put together; null: it is none. */
  function builtBy(node: Node): string | null {
    const { callee, arguments: given } = node as unknown as { callee?: Node; arguments?: Node[] }
    const [first] = given ?? []
    if (!callee || !first) return null
    if (text.slice(callee.start, callee.end) === 'RegExp') return text.slice(node.start, node.end)
    const method = (callee as unknown as { property?: { name?: string } }).property?.name ?? ''
    const isText = first.type === 'TemplateLiteral' || typeof Object(first).value === 'string'
    return TAKES_EXPRESSION.includes(method) && isText ? `new RegExp(${text.slice(first.start, first.end)})` : null
  }
}

/** All nodes of a tree, in one list: lists of lists would cost more than to parse. */
function nodesIn(value: unknown, found: Node[] = []): Node[] {
  if (value === null || typeof value !== 'object') return found
  if (typeof (value as Partial<Node>).type === 'string') found.push(value as Node)
  for (const inner of Object.values(value)) if (typeof inner === 'object') nodesIn(inner, found)
  return found
}

function literalOf(node: Node): Pick<Expression, 'source' | 'flags'> | null {
  const { regex } = node as unknown as { regex?: { pattern: string; flags: string } }
  return node.type === 'Literal' && regex ? { source: regex.pattern, flags: regex.flags } : null
}

function evaluated(written: string, place: string): Pick<Expression, 'source' | 'flags'> {
  try {
    const { source, flags } = new Function(...Object.keys(GIVEN), `return ${written}`)(
      ...Object.values(GIVEN),
    ) as RegExp
    return { source, flags }
  } catch (cause) {
    throw new Error(`${place}: nobody knows what this expression is made of: name it in GIVEN`, { cause })
  }
}
