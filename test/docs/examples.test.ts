import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { loadAdapter } from '../../src/adapters/index.ts'
import { loadConfig } from '../../src/config/load.ts'
import { RESOURCES } from '../../src/http/submissions/resources.ts'
import { isMap } from '../../src/lib/collections.ts'
import { createFolder } from '../hub.ts'

/*
 * Every fenced block of the pages is what its language says, and every example of a config is one that a hub takes. What stands behind the
 * language says what a block is a part of: `yaml below platform.payloads` stands there in a config, `yaml below destinations.rest` are keys
 * of a destination with that adapter; `yaml part` leaves out options of its destinations that other examples have; `yaml other` is no config of
 * the hub. A block without such a word is a config, or whole sections of one.
 */

interface Block {
  page: string
  line: number
  language: string
  info: string
  text: string
}

const ROOT = resolve(import.meta.dirname, '../..')
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('docs/*.md', { cwd: ROOT }),
  ...globSync('docs/adapters/*.md', { cwd: ROOT }),
  ...globSync('packages/*/README.md', { cwd: ROOT }),
]
const BLOCKS = PAGES.flatMap((page) => blocksOf(page, readFileSync(join(ROOT, page), 'utf8')))

function blocksOf(page: string, text: string): Block[] {
  const lines = text.split('\n')
  const fences = lines.flatMap((line, index) => (/^ *```/.test(line) ? [index] : []))
  expect(fences.length % 2, `${page} has a fence that is not closed`).toBe(0)
  return fences.flatMap((begin, nth) => {
    if (nth % 2 === 1) return []
    const [, language = '', info = ''] = /^ *```(\w*) ?(.*)$/.exec(lines[begin] ?? '') ?? []
    return [{ page, line: begin + 1, language, info, text: `${lines.slice(begin + 1, fences[nth + 1]).join('\n')}\n` }]
  })
}

const of = (language: string) =>
  BLOCKS.filter((block) => block.language === language).map((block) => [`${block.page}:${block.line}`, block] as const)

/** Languages of blocks that tests of their own run, or that are no language. */
const PLAIN = new Set(['', 'console', 'html', 'sql'])

test('each fenced block is of a language that is looked at', () => {
  const known = new Set([...PLAIN, 'yaml', 'json', 'ts', 'js', 'sh'])
  expect(BLOCKS.filter(({ language }) => !known.has(language))).toEqual([])
  expect(BLOCKS.length).toBeGreaterThan(100)
})

test.each([...of('json')])('%s is JSON', (_, { text }) => {
  expect(() => JSON.parse(text)).not.toThrow()
})

test.each([...of('ts'), ...of('js')])('%s has no error of syntax', (_, { text }) => {
  expect(() => stripTypeScriptTypes(text)).not.toThrow()
})

test.each(PAGES.map((page) => [page] as const))('the commands of %s are ones that a shell reads', (page) => {
  for (const { language, line, text } of BLOCKS.filter((one) => one.page === page))
    if (language === 'sh')
      expect(() => execFileSync('bash', ['-n'], { input: text, stdio: 'pipe' }), `${page}:${line}`).not.toThrow()
})

describe('the config', () => {
  let folder: Awaited<ReturnType<typeof createFolder>>
  beforeAll(async () => {
    folder = await createFolder()
    for (const name of ['src', 'node_modules', 'package.json']) await symlink(join(ROOT, name), join(folder.path, name))
    for (const name of ['config', 'my-adapters']) await mkdir(join(folder.path, name))
    for (const { text, adapter } of ownAdapters()) await writeFile(join(folder.path, 'my-adapters', adapter), text)
  })
  afterAll(() => folder[Symbol.asyncDispose]())

  test.each(of('yaml'))('%s is one that a hub takes', async (where, { info, text }) => {
    const document = parseDocument(text)
    expect([...document.errors, ...document.warnings].map(({ message }) => message)).toEqual([])
    if (info === 'other') return
    const path = join(folder.path, 'config', `${where.replaceAll(/\W/g, '-')}.yaml`)
    const written = whole(info, document.toJS() as Record<string, unknown>)
    await writeFile(path, JSON.stringify(written, null, 2))
    const adapterOptions = async (adapter: string, from: string) => (await loadAdapter(adapter, from)).options
    await loadConfig({ path, env: envOf(text), adapterOptions })
  })
})

/** The adapters that a page has the text of, by the file that it says before it. */
function ownAdapters() {
  const page = readFileSync(join(ROOT, 'docs/adapters/write-your-own.md'), 'utf8')
  return [...page.matchAll(/`my-adapters\/([\w-]+\.ts)`(?:(?!```).)*```ts\n(.*?)```/gs)].map(
    ([, adapter = '', text = '']) => ({ adapter, text }),
  )
}

const variable = (name: string) => `\${${name}}`

/** What no destination of an adapter can be without, for examples that leave it out. */
const OPTIONS: Readonly<Record<string, object>> = {
  rest: { url: 'https://rest.example.com' },
  files: { folder: './out', write: { movement: {} } },
  woocommerce: {
    url: 'https://shop.example.com',
    consumerKey: variable('SHOP_CONSUMER_KEY'),
    consumerSecret: variable('SHOP_CONSUMER_SECRET'),
  },
}

const SECTIONS: Readonly<Record<string, object>> = {
  lookups: { customers: { tokens: [variable('POS_TOKEN')] }, orders: { tokens: [variable('POS_TOKEN')] } },
}

/** A config with an example in its place, and with what no hub can be without. */
function whole(info: string, written: Record<string, unknown>): unknown {
  const below = /^below (\S+)$/.exec(info)?.[1]?.split('.') ?? []
  const isPart = info === 'part'
  expect(info === '' || isPart || below.length > 0, `an unknown word: ${info}`).toBe(true)
  const [section = '', adapter = ''] = below
  const given =
    section === 'destinations' ? { adapter, ...OPTIONS[adapter], ...written } : merged(SECTIONS[section], written)
  const example = below.reduceRight<unknown>((inner, key) => ({ [key]: inner }), isPart ? withOptions(given) : given)
  const least = {
    server: { adminToken: variable('ADMIN_TOKEN') },
    platform: { webhooks: { tokens: [variable('WEBHOOK_TOKEN')] } },
  }
  return merged(least, example)
}

function withOptions(config: unknown): unknown {
  const { destinations } = config as { destinations: Record<string, { adapter: string }> }
  const all = Object.entries(destinations).map(([name, one]) => [name, { ...OPTIONS[one.adapter], ...one }])
  return { ...(config as object), destinations: Object.fromEntries(all) }
}

function merged(one: unknown, other: unknown): unknown {
  if (!isMap(one) || !isMap(other)) return other ?? one
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...keys].map((key) => [key, key in other ? merged(one[key], other[key]) : one[key]]))
}

const SSH_KEY =
  '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n-----END OPENSSH PRIVATE KEY-----\n'

/** A value for each variable that an example names, of the kind that its name says. */
function envOf(text: string): Record<string, string> {
  const least = ['ADMIN_TOKEN', 'WEBHOOK_TOKEN', 'POS_TOKEN', 'SHOP_CONSUMER_KEY', 'SHOP_CONSUMER_SECRET']
  const names = [...least, ...[...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)]
  const value = (name: string) => {
    if (/BI_URL|DATABASE/.test(name)) return 'postgres://erp:secret@db.example.com:5432/erp'
    if (/SMTP|MAIL/.test(name)) return 'smtp://user:password@mail.example.com:587'
    if (/SFTP_KEY|ARCHIVE_KEY/.test(name)) return SSH_KEY
    if (/URL|WEBHOOK$|ENDPOINT/.test(name)) return `https://${name.toLowerCase().replaceAll('_', '-')}.example.com`
    if (/SECRET/.test(name)) return `whsec_${Buffer.alloc(32, name).toString('base64')}`
    return `value-of-${name}-in-the-examples`
  }
  return Object.fromEntries(names.map((name) => [name, value(name)]))
}

describe('the bodies of requests', () => {
  const bodies = of('sh').flatMap(([where, { text }]) =>
    [...text.matchAll(/\/v1\/([a-z-]+)\b[^']*?(?:'[^']*'[^']*?)*? -d '([^']*)'/g)].map(
      ([, resource = '', body = '']) => [where, resource, body] as const,
    ),
  )

  test('are found', () => {
    expect(bodies.map(([, resource]) => resource)).toEqual(expect.arrayContaining(['products']))
  })

  test.each(bodies)('%s is what POST /v1/%s takes', (_, name, body) => {
    const resource = Object.entries(RESOURCES).find(([key]) => key === name)?.[1]
    const value: unknown = JSON.parse(body)
    for (const one of [value].flat()) {
      const faults = resource?.objects.map((schema) => schema.safeParse(one).error?.message ?? null)
      expect(faults?.includes(null), faults?.join('\n')).toBe(true)
    }
  })
})

test('no page is left out', () => {
  const all = globSync('docs/**/*.md', { cwd: ROOT }).filter((page) => !relative('docs/adr', page).startsWith('0'))
  expect(all.filter((page) => !PAGES.includes(page))).toEqual([])
})
