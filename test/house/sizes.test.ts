import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesUnder, importsOf, ROOT } from './imports.ts'

/** What a file says at its top when it is longer than MAX_LINES: `// Long because …`. */
const REASON = /^\/[/*].*\bLong because\b/m
const MAX_LINES = 600

describe.each(['src', 'sandbox'])('the files of %s', (top) => {
  const files = filesUnder(join(ROOT, top))

  test('a file of more than 600 lines gives the reason at its top', () => {
    const unexplained = files.filter((file) => {
      const lines = readFileSync(join(ROOT, top, file), 'utf8').split('\n')
      return lines.length - 1 > MAX_LINES && !REASON.test(lines.slice(0, 5).join('\n'))
    })
    expect(unexplained).toEqual([])
  })

  test('imports, those of types too, lead in no circle', () => {
    expect(circlesAmong(top, files)).toEqual([])
  })
})

/** Files that lead back to themselves, each group of them in the order of their names (Tarjan). */
function circlesAmong(top: string, files: readonly string[]): string[][] {
  const known = new Set(files)
  // Who starts a thread names its file, and the thread may know its types: that is no import.
  const sourceOf = (file: string) => readFileSync(join(ROOT, top, file), 'utf8').replace(/new URL\([^)]*\)/g, '')
  const next = (file: string) =>
    importsOf(file, sourceOf(file))
      .map(({ to }) => to)
      .filter((to) => known.has(to))
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []

  function visit(file: string): number {
    const own = index.size
    index.set(file, own)
    low.set(file, own)
    stack.push(file)
    for (const to of next(file)) {
      const reached = index.has(to) ? (stack.includes(to) ? (index.get(to) ?? own) : own) : visit(to)
      low.set(file, Math.min(low.get(file) ?? own, reached))
    }
    if (low.get(file) === own) {
      const group = stack.splice(stack.indexOf(file))
      if (group.length > 1) circles.push(group.sort())
    }
    return low.get(file) ?? own
  }

  for (const file of files) if (!index.has(file)) visit(file)
  return circles
}
