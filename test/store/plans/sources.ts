import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesUnder, ROOT } from '../../house/imports.ts'

/** A statement as it stands in a file: its text, cut where something is put in. */
export interface Literal {
  file: string
  pieces: string[]
}

const VERB = /^\s*(?:select|insert|update|delete|with|lock|vacuum|analyze|truncate)\s/i

/** Every statement that is written out in a folder of `src`, whoever runs it. */
export function statementsIn(folder: string): Literal[] {
  return filesUnder(join(ROOT, folder)).flatMap((file) =>
    literalsOf(readFileSync(join(ROOT, folder, file), 'utf8'))
      .filter(([first = '']) => VERB.test(first))
      .map((pieces) => ({ file: join(folder, file), pieces })),
  )
}

/** Whether a statement that was run is this one, or has it for a part. */
export function isOf({ pieces }: Literal, statement: string): boolean {
  const text = plain(statement)
  let at = 0
  for (const piece of pieces.map(plain)) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return true
}

export function plain(statement: string): string {
  return statement.replace(/\s+/g, ' ').trim()
}

/** The texts of a source, each cut at its `${…}`. Comments are left out. */
function literalsOf(source: string): string[][] {
  const literals: string[][] = []
  let at = 0

  function text(quote: string): string[] {
    const pieces = ['']
    for (; at < source.length; at++) {
      const sign = source[at] ?? ''
      if (sign === quote) break
      if (sign === '\\') {
        at++
        pieces[pieces.length - 1] += source[at] ?? ''
      } else if (quote === '`' && source.startsWith('${', at)) {
        at += 2
        code('}')
        pieces.push('')
      } else pieces[pieces.length - 1] += sign
    }
    return pieces
  }

  function code(end: string | null) {
    for (let depth = 0; at < source.length; at++) {
      const sign = source[at] ?? ''
      if (sign === end && depth === 0) return
      if (source.startsWith('//', at)) at = endOf('\n')
      else if (source.startsWith('/*', at)) at = endOf('*/')
      else if (sign === '{') depth++
      else if (sign === '}') depth--
      else if (sign === "'" || sign === '"' || sign === '`') {
        at++
        const own = text(sign)
        literals.push(own)
      }
    }
  }

  function endOf(mark: string): number {
    const found = source.indexOf(mark, at)
    return found < 0 ? source.length : found + mark.length - 1
  }

  code(null)
  return literals
}
