import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { BOOKING_NAMES } from '../../../src/domain/accounting/bookings.ts'
import { isSecret } from '../../../src/lib/schema.ts'
import { abilitiesOf } from '../../../src/ports/perform.ts'
import { load, MINIMUM } from '../../../test/config/fixture.ts'
import { readSqlUrl } from '../src/address.ts'
import sql from '../src/sql.ts'
import { RECORD_NAMES, recordsTaken } from '../src/tables.ts'

const URL = 'postgres://anna:p%40ss@db.example.com/bi'
const page = readFileSync('packages/tillbridge-adapter-sql/README.md', 'utf8')

describe('options of the adapter sql', () => {
  test('when they are listed, then each is described and stands on the page, and the url is a secret', () => {
    for (const [key, schema] of Object.entries(sql.options.shape)) {
      expect((schema as { description?: string }).description, key).toMatch(/\w/)
      expect(page).toContain(`| \`${key}\` |`)
    }
    expect(isSecret(sql.options.shape.url as Parameters<typeof isSecret>[0])).toBe(true)
  })

  test.each([
    ['url', 'is missing', undefined],
    ['url', 'is no URL', 'db.example.com:5432'],
    ['url', 'is of another kind', 'mssql://anna:secret-word@db.example.com/bi'],
    ['url', 'names no user', 'postgres://db.example.com/bi'],
    ['url', 'names no database', 'postgres://anna:secret-word@db.example.com'],
    ['url', 'names more than a database', 'mysql://anna:secret-word@db.example.com/bi/sales'],
    ['url', 'has a bare %', 'mysql://anna:100%@db.example.com/bi'],
    ['url', 'has a bare #', 'mysql://anna:secret#word@db.example.com/bi'],
    ['url', 'has an sslmode that may be anything', 'mysql://anna:secret-word@db.example.com/bi?sslmode=prefer'],
    ['url', 'has a parameter of a driver', 'mysql://anna:secret-word@db.example.com/bi?multipleStatements=true'],
    ['url', 'is an IP address whose certificate cannot be checked', 'mysql://anna@10.0.0.5/bi?sslmode=verify-full'],
    ['url', 'is link-local', 'postgres://anna:secret-word@169.254.169.254/bi'],
    ['schema', 'is no plain name', 'bi"; drop table sales; --'],
    ['tablePrefix', 'is no plain name', 'pos.'],
    ['tablePrefix', 'is too long', 'x'.repeat(31)],
    ['createTables', 'is a text', 'yes'],
    ['only.0', 'is no record', ['sale_lines']],
    ['only', 'is empty', []],
    ['nonsense', 'is no option', true],
  ])('when %s %s, then it is refused by name', (key, _, value) => {
    const written = { url: URL, [key.split('.')[0] ?? key]: value }
    const issues = sql.options.safeParse(written).error?.issues ?? []
    const faults = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    expect(faults).toContainEqual(expect.stringContaining(key))
    expect(faults.join()).not.toContain('secret')
  })

  test.each([
    [URL, 'postgres', 5432, 'off', 'p@ss'],
    ['postgresql://anna@db.example.com/bi?sslmode=verify-full', 'postgres', 5432, 'checked', ''],
    ['mysql://anna@db.example.com/bi?sslmode=require', 'mysql', 3306, 'checked', ''],
    ['mariadb://anna@db.example.com:3307/bi?sslmode=no-verify', 'mysql', 3307, 'unchecked', ''],
  ])('when the url is %s, then it is read so', (url, dialect, port, tls, password) => {
    expect(readSqlUrl(url)).toMatchObject({ dialect, port, tls, password, user: 'anna', database: 'bi' })
    expect(readSqlUrl(url).server).not.toMatch(/anna|p@ss|p%40ss/)
  })

  test('when only some records are taken, then nothing else is owed to the destination', async () => {
    const abilities = async (given: object) => {
      const options = sql.options.parse({ url: URL, ...given })
      await using instance = sql.create(options, { destination: 'bi', timeout: 1_000, concurrency: 1 })
      return abilitiesOf(instance.ports)
    }
    expect(await abilities({ only: ['sales', 'stock_movements'] })).toEqual([
      'backOffice',
      'backOffice.bookSale',
      'backOffice.bookMovement',
      'backOffice.reconcile',
      'backOffice.find',
    ])
    expect(await abilities({})).toEqual([
      'backOffice',
      ...BOOKING_NAMES.map((name) => `backOffice.${name}`),
      'backOffice.reconcile',
      'backOffice.find',
    ])
  })
})

describe('the page about the adapter sql', () => {
  test('has a destination that a hub would take', async () => {
    const [, yaml = ''] = /```yaml\n(destinations:.*?)```/s.exec(page) ?? []
    const config = await load(MINIMUM + yaml, { env: { BI_URL: URL }, options: { sql: sql.options } })
    expect(config.destinations).toMatchObject([{ adapter: 'sql', options: { url: URL } }])
  })

  test('names each record, table and column', () => {
    for (const name of RECORD_NAMES) expect(page).toContain(`\`${name}\``)
    for (const { name, columns } of recordsTaken(undefined, true).flatMap(({ tables }) => tables)) {
      const [, reported = ''] = new RegExp(`^\\| \`${name}\` \\|( \`.*)\\|$`, 'm').exec(page) ?? []
      const own = columns.map((column) => column.name).filter((column) => !IN_EACH.includes(column))
      expect([name, namesIn(reported)]).toEqual([name, own])
    }
  })
})

const IN_EACH = ['booking_key', 'line_no', 'store_no', 'stock_id', 'day']

function namesIn(reported: string): string[] {
  return [...reported.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
}
