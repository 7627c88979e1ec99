import {
  type Document,
  isAlias,
  isScalar,
  isSeq,
  isMap as isYamlMap,
  LineCounter,
  parseDocument,
  type Scalar,
  type YAMLError,
} from 'yaml'
import { type Path, pathText } from './schema.ts'

interface TextPlace {
  line: number
  end: number
}

/** Placeholders unfilled. */
export interface YamlFile {
  root: unknown
  /** For a missing value: the place of its parent. */
  locationOf(path: Path): TextPlace
  problems: Problem[]
  /** Offset of the first syntax error; nothing after it can be trusted. */
  brokenAt: number
}

/** Reads YAML 1.2 (`yes` and `on` are text) with positions. */
export function parseYamlFile(text: string): YamlFile {
  const lines = new LineCounter()
  // The schema is fixed, whatever a %YAML directive says. Duplicate keys are found below.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, schema: 'core' })
  const { problems, brokenAt } = syntaxProblems(document, text, lines)
  const places = new Map<string, TextPlace>()
  const tree = readTree(document, {
    place: (path, start, end) => places.set(pathText(path), { line: lines.linePos(start).line, end }),
    problem: (path, start, found, expected) => {
      if (start < brokenAt) problems.push({ path: pathText(path), line: lines.linePos(start).line, found, expected })
    },
    lineAt: (path) => places.get(pathText(path))?.line ?? 1,
  })
  const whole: TextPlace = { line: 1, end: document.contents?.range?.[1] ?? 0 }
  const locationOf = (path: Path): TextPlace => {
    return path.length === 0 ? whole : (places.get(pathText(path)) ?? locationOf(path.slice(0, -1)))
  }
  return { root: tree ?? {}, locationOf, problems, brokenAt }
}

interface Notes {
  place(path: Path, start: number, end: number): void
  problem(path: Path, start: number, found: string, expected: string): void
  lineAt(path: Path): number
}

function readTree(document: Document.Parsed, notes: Notes): unknown {
  // An alias inside its own anchor would never end.
  const open = new Set<unknown>()

  function read(node: unknown, path: Path): unknown {
    if (isScalar(node)) return node.value
    if (isAlias(node)) {
      const target = node.resolve(document)
      if (target !== undefined && !open.has(target)) return read(target, path)
      notes.problem(path, rangeOf(node)[0], 'an alias', 'an alias of an anchor (&name) that is written above it')
      return undefined
    }
    open.add(node)
    const value = isSeq(node) ? readList(node.items, path) : isYamlMap(node) ? readMap(node.items, path) : undefined
    open.delete(node)
    return value
  }

  function readList(items: unknown[], path: Path): unknown[] {
    return items.map((item, index) => {
      const here = [...path, index]
      notes.place(here, ...rangeOf(item))
      return read(item, here)
    })
  }

  function readMap(pairs: { key: unknown; value: unknown }[], path: Path): Record<string, unknown> {
    const entries = new Map<string, unknown>()
    for (const { key, value } of pairs) {
      // Numeric keys stay as written: store 0101 is not 101, and no digits are lost.
      const name = isScalar(key) ? String(isNumeric(key) ? key.source : key.value) : null
      const [start, keyEnd] = rangeOf(key)
      if (name === null || name === '__proto__') {
        notes.problem(path, start, 'a key that cannot be a name', 'plain text as the key')
        continue
      }
      const here = [...path, name]
      if (entries.has(name)) {
        notes.problem(here, start, `a second "${name}"`, `each key once (the first is in line ${notes.lineAt(here)})`)
        continue
      }
      notes.place(here, start, Math.max(keyEnd, rangeOf(value)[1]))
      entries.set(name, read(value, here))
    }
    return Object.fromEntries(entries)
  }

  return read(document.contents, [])
}

function isNumeric({ value, source = '' }: Scalar): boolean {
  return typeof value === 'number' && /^\d+$/.test(source)
}

function rangeOf(node: unknown): [start: number, end: number] {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : null
  return Array.isArray(range) ? [Number(range[0]), Number(range[1])] : [0, 0]
}

function syntaxProblems(document: Document.Parsed, text: string, lines: LineCounter) {
  const [first, ...others] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])
  // After a syntax error an unexpected token is a consequence.
  const reported = first ? [first, ...others.filter((error) => error.code !== 'UNEXPECTED_TOKEN')] : []
  const byLine = new Map<number, Problem>()
  for (const error of reported) {
    const { line } = lines.linePos(error.pos[0])
    const problem = { path: '', line, found: 'text that is not YAML', expected: expectation(error, text) }
    if (!byLine.has(line)) byLine.set(line, problem)
  }
  return { problems: [...byLine.values()], brokenAt: first?.pos[0] ?? Number.POSITIVE_INFINITY }
}

function expectation(error: YAMLError, text: string): string {
  const at = error.pos[0]
  if (text.slice(at - 1, at + 1) === '${') return `quotes around a placeholder inside { } or [ ]: "\${NAME}"`
  return `valid YAML (${reason(error)})`
}

/** Messages that quote nothing of the file, which may be a secret. */
const HARMLESS = ['BAD_INDENT', 'BAD_SCALAR_START', 'MISSING_CHAR', 'MULTILINE_IMPLICIT_KEY', 'TAB_AS_INDENT']

const REASONS: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'Text that holds ": " needs quotes; nested keys go on lines of their own',
  BAD_DQ_ESCAPE: 'A backslash in "…" begins an escape: write \\\\, or use single quotes',
  MULTIPLE_DOCS: 'One document only: leave out the line with ---',
  TAG_RESOLVE_FAILED: 'A tag (!name) means nothing here; text that begins with ! needs quotes',
  UNEXPECTED_TOKEN: 'Something stands here that cannot; look at indentation, brackets and quotes',
}

function reason({ code, message }: YAMLError): string {
  if (HARMLESS.includes(code)) return message
  return REASONS[code] ?? code.toLowerCase().replaceAll('_', ' ')
}

/** One config issue, without secrets. */
export interface Problem {
  /** `destinations.bus.url`; empty if the file itself is broken. */
  path: string
  line: number
  found: string
  expected: string
}
