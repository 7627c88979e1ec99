import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesUnder, importsOf, ROOT } from './imports.ts'

/** Lists of what there is, which nobody reads from the top: they may be as long as what they list. */
const SCHEMAS = ['config/config.ts', 'store/postgres/schema.ts', 'store/sqlite/schema.ts']

describe.each(['src', 'sandbox'])('the files of %s', (top) => {
  const files = filesUnder(join(ROOT, top))
  const lines = new Map(files.map((file) => [file, readFileSync(join(ROOT, top, file), 'utf8').split('\n').length - 1]))

  test('when they are counted, then half have at most 60 lines, nine of ten at most 150, and none more than 350', () => {
    const sizes = [...lines.values()].sort((a, b) => a - b)
    expect(sizes[Math.floor(sizes.length * 0.5)]).toBeLessThanOrEqual(60)
    expect(sizes[Math.floor(sizes.length * 0.9)]).toBeLessThanOrEqual(150)
    const long = [...lines].filter(([file, count]) => count > 350 && !SCHEMAS.includes(file))
    expect(long).toEqual([])
  })

  test('when a folder is opened, then at most 25 files stand in it beside each other', () => {
    const folders = Map.groupBy(files, (file) => dirname(file))
    expect([...folders].filter(([, within]) => within.length > 25).map(([folder]) => folder)).toEqual([])
  })

  test('when one file is followed to those that it imports, types too, then it is never met again', () => {
    expect(circlesAmong(top, files)).toEqual([])
  })
})

describe.each(['test', 'bench', 'tools'])('what stands beside it: %s', (top) => {
  test('when a folder is opened, then at most 25 files stand in it beside each other', () => {
    const folders = Map.groupBy(
      filesUnder(join(ROOT, top)).filter((file) => !file.includes('node_modules')),
      (file) => dirname(file),
    )
    expect([...folders].filter(([, within]) => within.length > 25).map(([folder]) => folder)).toEqual([])
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
