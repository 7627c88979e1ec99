import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import http from '../../packages/tillbridge-adapter-http/src/http.ts'
import { loadAdapter } from '../../src/adapters/index.ts'
import { UserError } from '../../src/domain/values/errors.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillbridge-load-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function message(nameOrPath: string): Promise<string> {
  const error = await loadAdapter(nameOrPath, folder).catch((thrown: unknown) => thrown)
  if (!(error instanceof UserError)) throw new Error(`No UserError: ${error}`)
  return error.message
}

describe('a built-in adapter', () => {
  test('When it is named, then it is loaded', async () => {
    expect(await loadAdapter('http', folder)).toBe(http)
  })

  test.each([
    ['http', 'docs/adapters/http.md'],
    ['rest', 'docs/adapters/rest.md'],
    ['smtp', 'docs/adapters/smtp.md'],
    ['sms-http', 'docs/adapters/sms-http.md'],
    ['woocommerce', 'packages/tillbridge-adapter-woocommerce/README.md'],
  ])('The page of %s has its options', async (name, page) => {
    const rows = readFileSync(page, 'utf8').matchAll(/^\| `(\w+)` \| (?:required|optional) \|/gm)
    const { options } = await loadAdapter(name, folder)
    expect([...rows].map(([, option]) => option)).toEqual(Object.keys(options.shape))
  })

  test.each(['htpp', 'HTTP', 'htttp'])('When %s is named, then the right one is suggested', async (name) => {
    expect(await message(name)).toMatch(
      new RegExp(`no adapter "${name}"\\. Did you mean "http"\\? Built in: files, http`),
    )
  })
})

describe('an adapter file', () => {
  const whole = "export default { name: 'x', options: { shape: {}, safeParse() {} }, create() {} }"

  test.each(['whole.ts', 'whole.js', 'whole.mjs'])('When %s is named by its path, then it is loaded', async (file) => {
    await writeFile(join(folder, file), whole)
    expect(await loadAdapter(`./${file}`, folder)).toMatchObject({ name: 'x' })
    expect(await loadAdapter(join(folder, file), '/')).toMatchObject({ name: 'x' })
    expect(await loadAdapter(`../${file}`, join(folder, 'config'))).toMatchObject({ name: 'x' })
  })

  test.each([
    ['./none.ts', null, 'There is no adapter file '],
    ['./readme.md', '# no', 'must end in .ts, .js or .mjs'],
    ['./named.mjs', 'export const name = 1', 'lacks a default export: export default defineAdapter({ … })'],
    ['./text.mjs', "export default 'x'", 'lacks a default export'],
    ['./empty.mjs', 'export default {}', 'lacks a name (text) and options (a zod object'],
    ['./no-create.mjs', whole.replace('create', 'make'), 'lacks create(options, context).'],
    [
      './hasty.mjs',
      whole.replace(' create', " patience: '20s', create"),
      'lacks a patience in milliseconds (or none).',
    ],
    ['./throws.mjs', "throw new Error('no licence')", 'cannot be loaded: no licence'],
    ['./imports.mjs', "import './gone.mjs'", 'cannot be loaded: '],
  ])('When %s is not one, then the message says what is missing', async (path, source, expected) => {
    if (source !== null) await writeFile(join(folder, path), source)
    const found = await message(path)
    expect(found).toContain(expected)
    expect(found).toContain(folder)
  })
})
