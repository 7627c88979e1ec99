import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from './imports.ts'

const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')

/** Each change that must be easy, with the files that it takes and a word of each. */
const changes = page
  .slice(page.indexOf('## Common changes'), page.indexOf('## How the code reads'))
  .split('\n### ')
  .slice(1)
  .map((part) => {
    const [name = ''] = part.split('\n')
    const files = [...part.matchAll(/^- `([^`]+)` `([^`]+)`/gm)].map(([, file = '', word = '']) => ({ file, word }))
    return { name, files }
  })

/** How many files of the program a change may take at most, where that is said. */
const MAX: Readonly<Record<string, number>> = { 'A column of a delivery': 5, 'A retry rule': 1 }

test('each limit is of a change that is named', () => {
  expect(Object.keys(MAX).filter((name) => !changes.some((change) => change.name === name))).toEqual([])
})

describe.each(changes)('$name', ({ name, files }) => {
  test('when its files are opened, then each is there, and holds what it is said to', () => {
    expect(files.length).toBeGreaterThan(0)
    const untrue = files.filter(({ file, word }) => !existsSync(join(ROOT, file)) || !holds(file, word))
    expect(untrue).toEqual([])
  })

  test('when its files are counted, then they are few', () => {
    expect(files.filter(({ file }) => file.startsWith('src/')).length).toBeLessThanOrEqual(MAX[name] ?? 6)
  })
})

test('when a file is named anywhere on the page, then it is there', () => {
  const named = [...page.matchAll(/`((?:src|test|sandbox|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(60)
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('when a config of tests loads a file, then it is there', () => {
  const loaded = globSync('vitest*.config.ts', { cwd: ROOT }).flatMap((config) =>
    [...readFileSync(join(ROOT, config), 'utf8').matchAll(/URL\('\.\/([^']+)'/g)].map(([, file = '']) => file),
  )
  expect(loaded).toContain('tools/own-entry.mjs')
  expect(loaded.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

function holds(file: string, word: string): boolean {
  return readFileSync(join(ROOT, file), 'utf8').includes(word)
}
