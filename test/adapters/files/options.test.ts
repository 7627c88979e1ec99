import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fileName } from '../../../src/adapters/files/back-office.ts'
import files from '../../../src/adapters/files/files.ts'
import { matcherOf } from '../../../src/adapters/files/read-options.ts'
import { usualOf } from '../../../src/adapters/files/write-options.ts'
import { kindOf } from '../../../src/adapters/shared/records.ts'
import { growth, LINEAR } from '../../growth.ts'
import { METHODS } from '../records.ts'

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
