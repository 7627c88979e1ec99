import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SET_NAMES } from '../../../src/domain/scope.ts'
import { READ_SETS } from '../../../src/http/read-models/sets.ts'
import { type Desk, level, NDJSON, openDesk, product, row, shareDesk, soldLine } from './given.ts'

const CSV = 'text/csv'

describe('a set as CSV', () => {
  let desk: Desk

  beforeAll(async () => {
    desk = await openDesk({
      config: { lookups: { customers: { tokens: ['a-token-of-a-pos-in-the-tests'], ask: ['directory'] } } },
    })
    await fill(desk)
  })
  afterAll(() => desk[Symbol.asyncDispose]())

  const text = async (path: string) => {
    const { status, text, headers } = await desk.get(path, { accept: CSV })
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'no-store',
    ])
    return text
  }
  const rows = async (path: string): Promise<Record<string, string>[]> =>
    parse(await text(path), { columns: true, record_delimiter: '\r\n' })

  for (const [name, fields] of READ_SETS.map(({ name, fields }) => [name, fields] as const))
    test(`When ${name} are asked for as CSV, then they hold what the lines of JSON do`, async () => {
      const path = fields.some(({ isPersonal }) => isPersonal) ? `${name}?personal=true` : name
      const { items } = await desk.lines(path)
      expect(items.length).toBeGreaterThan(0)
      const flat = fields.filter(({ writing }) => writing !== 'list').map((field) => field.name)
      const [header = ''] = (await text(path)).split('\r\n')
      expect(header.split(',')).toEqual(flat)
      const plain = (await rows(path)).map((one) =>
        Object.fromEntries(Object.entries(one).map(([key, cell]) => [key, cell.replace(/^'/, '')])),
      )
      expect(plain).toEqual(
        items.map((item) => Object.fromEntries(flat.map((field) => [field, String(item[field] ?? '')]))),
      )
    })

  test('When settlements come a payment a row, then amounts of the whole are left out', async () => {
    const found = await rows('settlements?rows=payments')
    expect(found.map((one) => [one.id, one['payments.type'], one['payments.amount']])).toEqual([
      ['1', 'Card', '300.5'],
      ['1', 'Cash', '-50'],
      ['2', '', ''],
    ])
    expect(found[0]).toMatchObject({ storeNo: '101', day: '2026-11-20', currency: 'NOK' })
    expect(found[0]).not.toHaveProperty('grandTotal')
    const { status, body } = await desk.get('sales?rows=line', { accept: CSV })
    expect([status, body.detail]).toEqual([400, 'rows: expected one of payments, lines.'])
  })

  test('When a text would be a formula, then a spreadsheet does not execute it; numbers stay numbers', async () => {
    expect(await rows('goods-deliveries?rows=lines')).toMatchObject([
      {
        comment: '\'=HYPERLINK("x"),\r\n"two" lines',
        reference: "'@SUM(1)",
        status: "'-1+1",
        'lines.received': '-2.5',
        'lines.article': '+4790012345',
      },
    ])
  })

  test('When a machine reads it (raw), then a text that would be a formula stays as it is', async () => {
    expect(await rows('goods-deliveries?rows=lines&raw=true')).toMatchObject([{ reference: '@SUM(1)', status: '-1+1' }])
  })

  test('When personal data is not asked for, then it has no columns', async () => {
    expect(await text('sales')).not.toMatch(/customer|Kari|salesPerson/)
    expect(await text('customers')).toMatch(/^id,customerId,countryCode,postalCode,savedAt\r\n/)
    const key = await desk.keyOf('read:customers')
    const { status, body } = await desk.get('customers?personal=true', { accept: CSV, as: key })
    expect([status, body.detail]).toEqual([403, expect.stringContaining('lacks the scope customers')])
  })
})

async function fill({ save, hub }: Desk): Promise<void> {
  const customer = { number: 'C-9', firstName: 'Kari', email: 'kari@example.com', address: { city: 'Oslo' } }
  const kari = { email: 'kari@example.com', phone: '+4790012345', postalCode: '0155', countryCode: 'NO' }
  const unsaid = { extId: null, firstName: null, lastName: null, companyName: null, address: null, city: null }
  await hub.hub.storage.saveCustomers([{ ...unsaid, customerId: '1', ...kari }], 0)
  const line = (n: number) => {
    const isNorway = n % 2 === 0
    const storeId = isNorway ? '42' : '43'
    const body = { storeId, unitPrice: '0.1', quantity: n === 1 ? '-1' : '1', currency: isNorway ? 'NOK' : 'SEK' }
    return soldLine(`L${n}`, { part: null, place: isNorway ? '101' : '201', body })
  }
  await save(
    ...Array.from({ length: 2_000 }, (_, n) => line(n)),
    level('7090012340011'),
    product('60001'),
    row('movements', 'M', { place: '12', body: { stockId: '12', quantity: '-1' } }),
    row('reservations', 'R', {
      place: '12',
      article: '7090012340011',
      body: { stockId: '12', quantity: '1', isOpen: true },
    }),
    row('sales', 'S', {
      place: '101',
      day: '2026-11-20',
      body: { storeNo: '101', currency: 'NOK', total: '-349', customer, salesPerson: 'Ola' },
    }),
    row('settlements', '1', {
      place: '101',
      day: '2026-11-20',
      body: {
        storeNo: '101',
        currency: 'NOK',
        grandTotal: '250.5',
        payments: [
          { type: 'Card', amount: '300.5' },
          { type: 'Cash', amount: '-50' },
        ],
      },
    }),
    row('settlements', '2', {
      place: '101',
      day: '2026-11-21',
      body: { storeNo: '101', currency: 'NOK', grandTotal: '100', payments: null },
    }),
    row('goods-deliveries', 'D', {
      body: {
        comment: '=HYPERLINK("x"),\r\n"two" lines',
        reference: '@SUM(1)',
        status: '-1+1',
        lines: [{ article: '+4790012345', received: '-2.5' }],
      },
    }),
  )
}

const desk = shareDesk({ config: { mirror: 'all', lookups: { customers: { tokens: ['token-of-the-pos'] } } } })

test('Each set that can be read has a scope, and each scope a set', () => {
  expect(READ_SETS.map(({ name }) => name)).toEqual(SET_NAMES)
})

test('When a key has every scope but that of a set, then the answer is 403, as a page and as a stream, and says which is missing', async () => {
  const others = SET_NAMES.filter((name) => name !== 'sales').map((name) => `read:${name}`)
  const as = await desk().keyOf(['products', 'sales', 'goods-deliveries', 'customers', ...others].join(','))
  for (const asked of [{ as }, { as, accept: NDJSON }]) {
    const { status, body, text } = await desk().get('sales', asked)
    expect([status, body.code]).toEqual([403, 'key-may-not'])
    expect(body.detail).toMatch(/lacks the scope read:sales; .*"tillbridge keys create bi --may .*read:sales/)
    expect(text).not.toContain('items')
  }
})

describe('personal data', () => {
  test.each([
    ['read:sales', 403],
    ['read:*', 403],
    ['customers', 403],
    ['read:customers,sales', 403],
    ['customers,read:sales', 200],
    ['customers,read:*', 200],
  ])('When a key may %s, then sales with personal data are answered %i', async (may, status) => {
    const read = () => desk().hub.lines.filter(({ msg }) => msg === 'mirror.personal-read').length
    const before = read()
    expect((await desk().get('sales?personal=true', { as: await desk().keyOf(may) })).status).toBe(status)
    expect(read() - before).toBe(status === 200 ? 1 : 0)
  })
})
