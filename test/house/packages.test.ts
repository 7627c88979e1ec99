import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
