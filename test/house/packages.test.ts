import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { filesUnder, packagesOf, ROOT } from './imports.ts'

const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>

const ofHub = packagesIn('src')
const ofSandbox = packagesIn('sandbox')

test('when the hub imports a package, then a production install has it', () => {
  expect([...ofHub].filter((name) => !(name in dependencies))).toEqual([])
})

test('when a production install has a package, then the hub imports it', () => {
  expect(Object.keys(dependencies).filter((name) => !ofHub.has(name))).toEqual([])
})

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
