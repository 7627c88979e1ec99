import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OWN_VERSION } from '../../src/lib/own-version.ts'
import { createFolder } from '../hub.ts'
import { tillbridge } from './run.ts'

async function withNew() {
  const folder = await createFolder()
  const place = join(folder.path, 'labels')
  const made = await tillbridge(['adapter', 'new', 'labels', place])
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining(`tillbridge adapter test ${place}`) })
  return { ...folder, place, file: (name: string) => join(place, name) }
}

describe('adapter new', () => {
  test('writes a package that passes its kit as it stands', async () => {
    await using it = await withNew()
    expect(JSON.parse(await readFile(it.file('package.json'), 'utf8'))).toMatchObject({
      name: 'tillbridge-adapter-labels',
      peerDependencies: { tillbridge: `^${OWN_VERSION}` },
      dependencies: { zod: `^${JSON.parse(await readFile('package.json', 'utf8')).dependencies.zod}` },
    })
    expect(await readFile(it.file('index.js'), 'utf8')).toContain(`name: 'labels'`)
    const { code, out } = await tillbridge(['adapter', 'test', it.place])
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/answer lost +one effect.*Each case holds\.\n$/s),
    })
  })

  test('refuses a folder with something in it, and a name that no package may have, or that is taken', async () => {
    await using it = await withNew()
    expect(await tillbridge(['adapter', 'new', 'labels', it.place])).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not empty'),
    })
    expect(await tillbridge(['adapter', 'new', 'http', it.file('http')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('"http" is a built-in adapter, which config would mean'),
    })
    expect(await tillbridge(['adapter', 'new', '../x'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('is no name of a package'),
    })
  })
})

describe('adapter test', () => {
  test('ends with 1 and names the case where an adapter makes a second effect', async () => {
    await using it = await withNew()
    const source = await readFile(it.file('index.js'), 'utf8')
    await writeFile(
      it.file('index.js'),
      source.replace("'idempotency-key': key", "'idempotency-key': crypto.randomUUID()"),
    )
    const { code, out } = await tillbridge(['adapter', 'test', it.place, '--json'])
    const { results } = JSON.parse(out)
    expect(code).toBe(1)
    expect(results.filter(({ verdict }: { verdict: string }) => verdict === 'FAIL')).toContainEqual({
      ...{ call: 'publish.publish', case: 'answer lost', verdict: 'FAIL' },
      detail: '2 effects instead of 1: queued as m-2',
    })
  })

  test.each<[string, string, string, RegExp]>([
    [
      'a range of versions that this one is not in',
      'package.json',
      '',
      /works with Tillbridge \^9.*this is Tillbridge/,
    ],
    ['no kit that starts anything', 'kit.js', 'export default {}', /kit\.js lacks a default export with start\(\)/],
    ['code that cannot be loaded', 'index.js', 'export default 1 +', /cannot be loaded/],
  ])('refuses a package with %s, by name', async (_, name, text, says) => {
    await using it = await withNew()
    const manifest = JSON.stringify({
      ...{ name: 'tillbridge-adapter-labels', version: '1.0.0', type: 'module', exports: './index.js' },
      peerDependencies: { tillbridge: '^9.0.0' },
    })
    await writeFile(it.file(name), text || manifest)
    expect(await tillbridge(['adapter', 'test', it.place])).toMatchObject({ code: 2, err: expect.stringMatching(says) })
  })

  test('refuses a folder without a package or a kit, by name', async () => {
    await using folder = await createFolder()
    const test = () => tillbridge(['adapter', 'test', folder.path])
    expect(await test()).toMatchObject({ code: 2, err: expect.stringContaining('There is no package.json') })
    await writeFile(join(folder.path, 'package.json'), '{}')
    expect(await test()).toMatchObject({ code: 2, err: expect.stringContaining('does not say which versions') })
  })
})

describe('adapter check', () => {
  const check = (...args: string[]) => tillbridge(['adapter', 'check', ...args])

  test('says which options are wrong, and the ports where all are right', async () => {
    await using it = await withNew()
    const options = join(it.path, 'options.yaml')
    await writeFile(options, 'url: http://127.0.0.1:1\ntoken: short\ncolour: red\n')
    expect(await check(it.place, '--options', options)).toMatchObject({
      code: 2,
      out: expect.stringMatching(/token +yes +yes +Bearer token.*token: Too small.*colour/s),
    })
    await writeFile(options, '{ url: "http://127.0.0.1:1", token: long-enough }')
    expect(await check(it.place, '--options', options)).toMatchObject({
      code: 0,
      out: expect.stringContaining('right. Ports: publish.publish'),
    })
  })

  test('finds the destinations of an adapter in a config', async () => {
    await using folder = await createFolder()
    await mkdir(join(folder.path, 'config'))
    const file = join(folder.path, 'config/tillbridge.yaml')
    const config = await readFile('config/example.yaml', 'utf8')
    await writeFile(file, config)
    const secrets = {
      ADMIN_TOKEN: 'a'.repeat(32),
      WEBHOOK_TOKEN: 'b'.repeat(32),
      BUS_SECRET: `whsec_${btoa('c'.repeat(32))}`,
    }
    const env = Object.fromEntries([...config.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'd'.repeat(32)]))
    expect(await tillbridge(['adapter', 'check', 'http', '--options', file], { ...env, ...secrets })).toMatchObject({
      code: 0,
      out: expect.stringContaining('bus: right. Ports: publish.publish'),
    })
    expect(await tillbridge(['adapter', 'check', 'smtp', '--options', file], { ...env, ...secrets })).toMatchObject({
      code: 2,
      err: expect.stringContaining('has no destination with "adapter: smtp"'),
    })
    expect(await check('http', '--options', join(folder.path, 'none.yaml'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be read'),
    })
  })
})
