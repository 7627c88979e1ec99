import { readdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { availableAdapters, loadAdapter } from '../../src/adapters/index.ts'
import { installedNames } from '../../src/adapters/packages.ts'
import { PermanentError, UserError } from '../../src/domain/values/errors.ts'
import { OWN_VERSION } from '../../src/lib/own-version.ts'
import { createFolder } from '../hub.ts'

/** A stranger's package, below the node_modules of a folder that has nothing to do with this checkout. */
const SOURCE = `import { defineAdapter, PermanentError } from 'tillbridge/adapter'
const options = { shape: {}, safeParse() {} }
export default defineAdapter({ name: 'x', options, create() { throw new PermanentError('by identity') } })`

interface Given {
  name: string
  range?: string | null
  source?: string
}

async function install(folder: string, { name, range = `^${OWN_VERSION}`, source = SOURCE }: Given): Promise<void> {
  const at = join(folder, 'node_modules', name)
  await mkdir(at, { recursive: true })
  const peerDependencies = range === null ? undefined : { tillbridge: range }
  const manifest = { name, version: '2.1.0', type: 'module', exports: { import: './index.js' }, peerDependencies }
  await writeFile(join(at, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(at, 'index.js'), source)
}

async function refusal(name: string, folder: string): Promise<string> {
  const error = await loadAdapter(name, folder).catch((thrown: unknown) => thrown)
  if (!(error instanceof UserError)) throw new Error(`No UserError: ${error}`)
  return error.message
}

describe('a package', () => {
  test.each([
    ['x', 'tillbridge-adapter-x'],
    ['tillbridge-adapter-x', 'tillbridge-adapter-x'],
    ['@acme/x', '@acme/tillbridge-adapter-x'],
    ['@acme/tillbridge-adapter-x', '@acme/tillbridge-adapter-x'],
  ])('of a stranger is loaded by %s, with the classes of this Tillbridge', async (named, name) => {
    await using folder = await createFolder()
    await install(folder.path, { name })
    const config = join(folder.path, 'config')

    const { create } = await loadAdapter(named, config)

    expect(() => create({}, { destination: 'd', timeout: 1, concurrency: 1 })).toThrow(PermanentError)
    expect(await availableAdapters(config)).toContainEqual(
      expect.objectContaining({ name: name.replace('tillbridge-adapter-', '') }),
    )
  })

  test('beside the config goes before one of the hub, which are there for every config', async () => {
    await using folder = await createFolder()
    const ofHub = await loadAdapter('sql', folder.path)
    expect(ofHub.name).toBe('sql')

    await install(folder.path, { name: 'tillbridge-adapter-sql' })

    expect((await loadAdapter('sql', folder.path)).name).toBe('x')
    const ours = readdirSync('packages').map((name) => name.replace('tillbridge-adapter-', ''))
    expect(installedNames(folder.path)).toEqual(ours.sort())
  })

  test('never takes the name of a built-in adapter', async () => {
    await using folder = await createFolder()
    await install(folder.path, { name: 'tillbridge-adapter-http' })
    expect((await loadAdapter('http', folder.path)).name).toBe('http')
    expect((await loadAdapter('tillbridge-adapter-http', folder.path)).name).toBe('x')
  })

  test.each([
    ['^9.0.0', `works with Tillbridge ^9.0.0, and this is Tillbridge ${OWN_VERSION}. Install a version of it that`],
    ['<0.0.1', 'such as npm install tillbridge-adapter-x@latest'],
    ['of old', 'works with Tillbridge of old'],
    [
      null,
      `does not say which versions of Tillbridge it works with. Its package.json must have them: "peerDependencies"`,
    ],
  ])('for %s is refused by name and version', async (range, said) => {
    await using folder = await createFolder()
    await install(folder.path, { name: 'tillbridge-adapter-x', range, source: 'process.exit(1)' })
    const message = await refusal('x', folder.path)
    expect(message).toContain('The package tillbridge-adapter-x 2.1.0 (')
    expect(message).toContain(folder.path)
    expect(message).toContain(said)
  })

  test.each([
    ['export default {}', 'lacks a name (text) and options (a zod object'],
    ["import 'gone'", 'cannot be loaded: Cannot find package'],
    ["import { nothing } from 'tillbridge/adapter'", "cannot be loaded: The requested module 'tillbridge/adapter'"],
    ["import 'tillbridge/src/main.ts'", 'cannot be loaded: Package subpath'],
  ])('that is none (%s) is refused by what is wrong', async (source, said) => {
    await using folder = await createFolder()
    await install(folder.path, { name: 'tillbridge-adapter-x', source })
    expect(await refusal('x', folder.path)).toContain(`The package tillbridge-adapter-x 2.1.0 (`)
    expect(await refusal('x', folder.path)).toContain(said)
  })

  test('that is not installed is named, with what to type', async () => {
    await using folder = await createFolder()
    expect(await refusal('shopify', folder.path)).toBe(
      'There is no adapter "shopify". Built in: files, http, rest, sms-http, smtp. Installed: sql, vendure, woocommerce. ' +
        'A package is installed by: npm install tillbridge-adapter-shopify. ' +
        'A file of your own is a path that begins with ./, ../ or /.',
    )
    expect(await refusal('vendur', folder.path)).toContain('Did you mean "vendure"?')
    expect(await refusal('two words', folder.path)).not.toContain('npm install')
  })
})
