import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { kindOf } from '../../../src/adapters/shared/records.ts'
import { look } from '../../../test/adapters/checked.ts'
import { METHODS } from '../../../test/adapters/records.ts'
import { growth, LINEAR } from '../../../test/growth.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../../../test/small-disk.ts'
import files, { fileName } from '../src/files.ts'
import { matcherOf, usualOf } from '../src/options.ts'
import { openErpFolder } from './kit.ts'
import { describeSftp, makeKey } from './sshd.ts'

const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n'
const SFTP = {
  host: 'erp.example.com',
  user: 'pos',
  password: 'correct horse',
  hostKey: `SHA256:${'A'.repeat(43)}`,
  folder: 'in',
}

/** What is wrong with options, each as `key: message`. */
function faults(written: Record<string, unknown>): string[] {
  const issues = files.options.safeParse(written).error?.issues ?? []
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

describe('the options of files', () => {
  test('When they say enough, then they are taken', () => {
    const write = { sale: {} }
    expect(faults({ folder: '/srv/erp/in', write })).toEqual([])
    expect(faults({ sftp: SFTP, write })).toEqual([])
    const { password, ...rest } = SFTP
    expect(faults({ sftp: { ...rest, privateKey: KEY, passphrase: password, hostKey: 'any' }, write })).toEqual([])
    expect(faults({ folder: 'in', write: Object.fromEntries(METHODS.map((one) => [kindOf(one), {}])) })).toEqual([])
  })

  test.each([
    ['no folder', { folder: undefined }, /^folder: Give either folder or sftp/],
    ['both', { sftp: SFTP }, /^folder: Give either folder or sftp/],
    ['an empty folder', { folder: '' }, /^folder: /],
    ['nothing to write or read', { write: undefined }, /^write: Give write, read, or both/],
    ['no kind', { write: {} }, /^write: Must have a kind of record/],
    ['a kind that there is not', { write: { sales: {} } }, /^write: .*sales/],
    ['a key that there is not', { folders: '/in' }, /folders/],
  ])('When they have %s, then that is refused by name', (_, given, expected) => {
    expect(faults({ folder: '/srv/erp/in', write: { sale: {} }, ...given })).toContainEqual(
      expect.stringMatching(expected),
    )
  })

  test.each([
    ['host', 'sftp://erp.example.com', /without a scheme/],
    ['host', '169.254.169.254', /link-local/],
    ['port', 0, /./],
    ['user', '', /./],
    ['password', undefined, /either password or privateKey/],
    ['privateKey', 'ssh-ed25519 AAAA', /BEGIN/],
    ['privateKey', KEY.replaceAll('OPENSSH ', ''), /not PKCS #8/],
    ['passphrase', 'open sesame', /there is none/],
    ['hostKey', undefined, /./],
    ['hostKey', 'ab:cd:ef', /./],
    ['folder', '~/in', /Must not begin with ~/],
    ['folder', 'C:\\in', /with \//],
  ])('When sftp.%s is %j, then it is refused by name, and not repeated', (key, value, expected) => {
    const found = faults({ sftp: { ...SFTP, [key]: value }, write: { sale: {} } })
    expect(found).toContainEqual(expect.stringMatching(new RegExp(`^sftp\\.${key}: .*${expected.source}`)))
    if (/password|privateKey|passphrase/.test(key) && value) expect(found.join()).not.toContain(String(value))
  })

  test.each([
    ['*-prices.csv', 'prices-*', true],
    ['prices-*.csv', 'PRICES-A*', true],
    ['*', 'prices.csv', true],
    ['prices-*.csv', 'products-*.csv', false],
    ['*-prices.csv', '*-products.csv', false],
  ])('When two resources have the patterns %s and %s, then a file may be for both: %s', (one, other, both) => {
    const read = { products: { pattern: one, format: 'csv' }, prices: { pattern: other, format: 'csv' } }
    const found = faults({ folder: '/in', read })
    expect(found).toEqual(both ? [`read.prices.pattern: Takes the same names as that of products: ${one}`] : [])
    const separate = { ...read, prices: { ...read.prices, folder: 'prices' } }
    expect(faults({ folder: '/in', read: separate })).toEqual([])
  })

  test('When files would go where others come, then that is refused', () => {
    const read = { products: { pattern: '*.csv', archive: 'in/' }, prices: { pattern: '*.csv', folder: 'in' } }
    expect(faults({ folder: '/in', read })).toEqual(['read.products.archive: Must not be where files of prices come.'])
  })

  test('Every key is described, at any depth', () => {
    const undescribed: string[] = []
    const visit = (node: { [key: string]: unknown }, path: string) => {
      for (const [key, child] of Object.entries((node.properties ?? {}) as Record<string, typeof node>)) {
        if (!child.description) undescribed.push(`${path}.${key}`)
        visit(child, `${path}.${key}`)
      }
    }
    visit(z.toJSONSchema(files.options, { io: 'input', unrepresentable: 'any' }) as never, '')
    expect(undescribed).toEqual([])
  })

  test('The usual columns stand on the page', () => {
    const page = readFileSync(new URL('../../../docs/adapters/files.md', import.meta.url), 'utf8')
    for (const method of METHODS) {
      const { rows, columns } = usualOf(method)
      const headers = Object.keys(columns).join(', ')
      expect(page).toContain(`| \`${kindOf(method)}\` | ${rows === null ? 'the record' : `\`${rows}\``} | ${headers} |`)
    }
  })
})

const PLACE = { storeId: null, country: null, stockId: null }

function lineNameOf(storeNo: string, template = 'sales-{store}'): string {
  return fileName(template, { ...PLACE, storeNo, storeKey: storeNo, day: '2026-11-20', kind: 'sale', key: 'K-1' })
}

test.each([
  ['101', 'sales-101'],
  ['Ålesund / Møre', 'sales-Alesund-M-re'],
  ['--101--', 'sales-101'],
  ['///', 'sales-none'],
  ['', 'sales-none'],
  ['a..', 'sales-a'],
  ['a'.repeat(5_000), `sales-${'a'.repeat(94)}`],
])('when a store calls itself %j, then its file is fit for any system', (storeNo, name) => {
  expect(lineNameOf(storeNo)).toBe(name)
})

test.each(['-', '.', '/', ' ', 'e\u0301', '\u0301', '\ufdfa', '-a'])(
  'when a stranger writes %j a hundred thousand times and more, then the name is made in linear time',
  (piece) => {
    expect(
      growth(
        100_000,
        (size) => `a${piece.repeat(size)}b`,
        (text) => lineNameOf(text),
      ),
    ).toBeLessThan(LINEAR)
    expect(
      growth(
        100_000,
        (size) => piece.repeat(size),
        (text) => lineNameOf(text),
      ),
    ).toBeLessThan(LINEAR)
  },
)

test.each([
  ['*.csv', 'prices.CSV', true],
  ['prices-*.csv', 'prices-.csv', true],
  ['a*a', 'a', false],
  ['a*b*c', 'aXbbYc', true],
  ['a*b*c', 'acb', false],
  ['a*bc*c', 'abc', false],
  ['a.c', 'abc', false],
  ['a*', 'a\nb', false],
])('when files are asked for by %j, then %j is one: %j', (pattern, name, taken) => {
  expect(matcherOf(pattern)(name)).toBe(taken)
})

test('when a pattern has many stars, then a name that nearly fits is told in linear time', () => {
  const fits = matcherOf(`${'*a'.repeat(20)}*b`)
  expect(growth(100_000, (size) => 'a'.repeat(size), fits)).toBeLessThan(LINEAR)
})

function adapterOf(written: Record<string, unknown>) {
  const options = files.options.parse({ ...('read' in written ? {} : { write: { sale: {} } }), ...written })
  return files.create(options, { destination: 'erp', timeout: 5_000, concurrency: 2 })
}

describe('a folder of this machine', () => {
  test('When it is there and can be written to, then it says so, with what is free, and leaves nothing', async () => {
    await using folder = openErpFolder()
    await using instance = adapterOf({ folder: folder.path })
    const { states, about } = await look(instance)
    expect(states).toEqual([`folder ${folder.path}: ok`])
    expect(about(`folder ${folder.path}`)).toMatch(/^It can be written to\. [\d.]+ [GM]B are free\.$/)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('When files are read from several folders, then each is looked at: there, not there, or no folder', async () => {
    await using folder = openErpFolder()
    mkdirSync(join(folder.path, 'goods'))
    for (const name of ['products-1.csv', 'products-2.csv', 'notes.txt'])
      writeFileSync(join(folder.path, 'goods', name), '')
    writeFileSync(join(folder.path, 'lists'), '')
    const read = {
      products: { folder: 'goods', pattern: 'products-*.csv' },
      prices: { folder: 'lists', pattern: 'prices-*.csv' },
      'goods-deliveries': { folder: 'out', pattern: '*.ndjson' },
    }
    await using instance = adapterOf({ folder: folder.path, read })
    const { states, about } = await look(instance)
    expect(states).toEqual(['folder goods: ok', 'folder lists: problem', 'folder out: problem'])
    expect(about('folder goods')).toMatch(/^It can be read and written to\. 2 files wait there\./)
    expect(about('folder lists')).toMatch(/^It is no folder\. make it/)
    expect(about('folder out')).toMatch(/^It is not there\. make it, or name another one in config\.$/)
  })

  test.skipIf(noSmallDisk)(`When it is read-only, or its disk nearly full, then that is said${whyNoDisk}`, async () => {
    await using disk = mountSmallDisk(512 * 1024)
    await using instance = adapterOf({ folder: disk.path })
    const about = async () => (await look(instance)).about(`folder ${disk.path}`)
    expect(await about()).toMatch(/^It can be written to\. 0\.\d MB are free\. make room/)
    disk.setReadOnly(true)
    expect(await about()).toMatch(/^It is read-only\. give the user .* right to read, write and delete there\.$/)
    disk.setReadOnly(false)
  })
})

describeSftp('a folder of an SFTP server', (server) => {
  const at = (folder: string, given: Record<string, unknown> = {}) => {
    return adapterOf({ sftp: { ...server().access(folder), ...given } })
  }

  test('When all is right, then host key, login and folder are, and nothing is left', async () => {
    await using folder = openErpFolder()
    await using instance = at(folder.path)
    const { states, about } = await look(instance)
    const name = `folder sftp://127.0.0.1:${server().access(folder.path).port}${folder.path}`
    expect(states).toEqual(['connection: ok', 'credentials: ok', `${name}: ok`])
    expect(about(name)).toMatch(/[\d.]+ [GM]B are free\.$/)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('When config takes any host key, or the folder is not there, then that is said', async () => {
    await using instance = at('/no/such/folder', { hostKey: 'any' })
    const { states, about } = await look(instance)
    expect(states).toEqual(['connection: note', 'credentials: ok', expect.stringMatching(/^folder .*: problem$/)])
    expect(about('connection')).toMatch(/put the fingerprint into sftp\.hostKey: ssh-keyscan/)
  })

  test('When the login is refused, another machine answers, or nobody, then that is said', async () => {
    await using folder = openErpFolder()
    await using stranger = at(folder.path, { privateKey: makeKey(join(folder.path, 'other')) })
    await using other = at(folder.path, { hostKey: `SHA256:${'A'.repeat(43)}` })
    await using nowhere = at(folder.path, { port: 1 })
    const refused = await look(stranger)
    expect(refused.states).toEqual(['credentials: problem'])
    expect(refused.about('credentials')).toMatch(/^It refuses our key or password/)
    expect((await look(other)).about('connection')).toMatch(/^Another machine may answer in its place .*SHA256:/)
    expect((await look(nowhere)).about('connection')).toMatch(/^It cannot be reached .*ECONNREFUSED/)
  })
})
