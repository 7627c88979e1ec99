import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesUnder, importsOf, packagesOf, ROOT } from './imports.ts'

/** What a file says at its top when it is longer than MAX_LINES: `// Long because …`. */
const REASON = /^\/[/*].*\bLong because\b/m
const MAX_LINES = 600

const PACKAGES = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)

describe.each(['src', 'sandbox', ...PACKAGES.map((folder) => `${folder}/src`)])('the files of %s', (top) => {
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

const { dependencies, devDependencies } = manifestOf('.')

function manifestOf(folder: string) {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'devDependencies' | 'peerDependencies',
    Record<string, string>
  >
}

const ofHub = packagesIn('src')
const ofSandbox = packagesIn('sandbox')

test('when the hub imports a package, then a production install has it', () => {
  expect([...ofHub].filter((name) => !(name in dependencies))).toEqual([])
})

test('when a production install has a package, then the hub imports it', () => {
  expect(Object.keys(dependencies).filter((name) => !ofHub.has(name))).toEqual([])
})

test.each(PACKAGES)(
  'when %s is installed, then it has the packages that it imports, in the versions of the hub',
  (folder) => {
    const { dependencies: own, peerDependencies } = manifestOf(folder)
    expect(Object.keys({ ...own, ...peerDependencies }).sort()).toEqual([...packagesIn(`${folder}/src`)].sort())
    expect(Object.entries(own).filter(([name, version]) => (dependencies[name] ?? version) !== version)).toEqual([])
  },
)

test('when the sandbox imports a package, then an install for developers has it', () => {
  expect([...ofSandbox].filter((name) => !(name in { ...dependencies, ...devDependencies }))).toEqual([])
})

test('the main thread of a hub on SQLite loads no drizzle, which takes a second and 170 MB', () => {
  expect([...packagesLoadedBy('src/app/hub.ts')].filter((name) => name.startsWith('drizzle'))).toEqual([])
  expect(packagesLoadedBy('src/storage/sqlite/schema.ts')).toContain('drizzle-orm')
})

/** What a file loads at its start, by its imports and theirs; not what it imports later, nor types. */
function packagesLoadedBy(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>()
  seen.add(file)
  const imports = /^(?:import|export)(?! type\b)(?:[\w\s{},*]+from)?\s*['"]([^'"\s]+)['"]/gm
  for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(imports)) {
    const target = join(dirname(file), name)
    if (!name.startsWith('.')) packages.add(name)
    else if (!seen.has(target)) for (const one of packagesLoadedBy(target, seen)) packages.add(one)
  }
  return packages
}

/** The packages that a folder's files import, by the names that package.json has for them. */
function packagesIn(folder: string): Set<string> {
  const named = filesUnder(join(ROOT, folder)).flatMap((file) =>
    packagesOf(readFileSync(join(ROOT, folder, file), 'utf8')),
  )
  return new Set(
    named
      .filter((name) => /^[@a-z]/.test(name) && !name.startsWith('node:'))
      .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? ''),
  )
}
