import type { Document, LineCounter, YAMLError } from 'yaml'
import type { Problem } from './config-error.ts'

/** Syntax errors in plain words, one a line, and the offset of the first. */
export function syntaxProblems(document: Document.Parsed, text: string, lines: LineCounter) {
  const [first, ...others] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])
  // Below something broken, a token in the wrong place is a symptom of it and no news.
  const told = first ? [first, ...others.filter((error) => error.code !== 'UNEXPECTED_TOKEN')] : []
  const byLine = new Map<number, Problem>()
  for (const error of told) {
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

/** Only messages without a piece of the file are passed on: what is written there may be a secret. */
function reason(error: YAMLError): string {
  switch (error.code) {
    case 'BAD_INDENT':
    case 'BAD_SCALAR_START':
    case 'MISSING_CHAR':
    case 'MULTILINE_IMPLICIT_KEY':
    case 'TAB_AS_INDENT':
      return error.message
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'Text that holds ": " needs quotes; nested keys go on lines of their own'
    case 'BAD_DQ_ESCAPE':
      return 'A backslash in "…" begins an escape: write \\\\, or use single quotes'
    case 'MULTIPLE_DOCS':
      return 'One document only: leave out the line with ---'
    case 'TAG_RESOLVE_FAILED':
      return 'A tag (!name) means nothing here; text that begins with ! needs quotes'
    case 'UNEXPECTED_TOKEN':
      return 'Something stands here that cannot; look at indentation, brackets and quotes'
    default:
      return error.code.toLowerCase().replaceAll('_', ' ')
  }
}
