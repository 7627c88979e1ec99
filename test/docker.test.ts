import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Each line of .dockerignore: a path, of which with `!` what is below comes along after all. The last one that fits counts. */
const RULES = read('.dockerignore').split('\n').filter(Boolean)

/** Whether a file comes into the image's context. */
function comesAlong(path: string): boolean {
  const fitting = RULES.filter((rule) => rule === '*' || `${path}/`.startsWith(`${rule.replace(/^!/, '')}/`))
  return fitting.at(-1)?.startsWith('!') === true
}

/** The files of the program that these import, themselves included; threads and processes are started by a URL. */
function importedBy(files: string[]): Set<string> {
  const found = new Set<string>()
  const open = [...files]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue
    found.add(file)
    for (const [, target = ''] of read(file).matchAll(/['"](\.{1,2}\/[^'"]+\.ts)['"]/g)) {
      const path = relative(ROOT, join(ROOT, dirname(file), target))
      if (existsSync(join(ROOT, path))) open.push(path)
    }
  }
  return found
}

test('When the image is built, then all that the Dockerfile copies comes along', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '))
  expect(copied).toContain('tools/compile-cache.mjs')
  expect(copied.filter((path) => !comesAlong(path) || !existsSync(join(ROOT, path)))).toEqual([])
})

test('When the hub or a command runs in the image, then each file that it imports is there', () => {
  const needed = importedBy(['src/main.ts', 'src/cli/tillbridge.ts'])
  expect(needed.size).toBeGreaterThan(400)
  expect([...needed].filter((path) => !comesAlong(path))).toEqual([])
})

test('When the image is built, then sandbox and demo are not in it, nor anything that is not asked for', () => {
  const all = readdirSync(join(ROOT, 'src'), { recursive: true }).map((path) => `src/${path}`)
  expect(all.filter((path) => /sandbox|src\/demo/.test(path) && comesAlong(path))).toEqual([])
  expect(['.env', 'data/tillbridge.db', 'test/hub.ts', 'config/tillbridge.yaml'].filter(comesAlong)).toEqual([])
})
