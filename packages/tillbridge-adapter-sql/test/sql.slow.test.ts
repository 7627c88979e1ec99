import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { BOOKING_NAMES, type Bookings } from '../../../src/domain/accounting/bookings.ts'
import { PermanentError, RefusedTogetherError, UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { Call } from '../../../src/ports/ports.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { eventually } from '../../../test/eventually.ts'
import { saleLine, store } from '../../../test/fixtures/payloads.ts'
import { BUYER, everyBooking, PLACE, saleBooking } from './bookings.ts'
import { batchOf, book, failure, keysIn, messageOf, type Port, start, typeOf } from './kit.ts'
import { startSqlProxy } from './proxy.ts'
import { type Corner, type SqlServer, sqlServers } from './servers.ts'

/** What the adapter promises, on one kind of database. */
function sqlStories(server: SqlServer): void {
  function it(title: string, tell: (given: { corner: Corner; port: Port }) => Promise<void>): void {
    test(title, async () => {
      await using corner = await server.corner()
      await using at = start(corner)
      await tell({ corner, port: at.port })
    })
  }

  describe('what is written', () => {
    it('when a sale is booked, then it, its lines and its payments are rows, and what came back is negative', async (given) => {
      const { corner, port } = given
      expect(await book(port, 'a', saleBooking())).toEqual([{ note: expect.stringMatching(/^written to \w+sales$/) }])
      expect(await corner.run(`select * from ${corner.table('sales')}`)).toEqual([
        expect.objectContaining({ booking_key: 'a', receipt_no: '1001', store_no: '101', currency: 'NOK' }),
      ])
      expect(
        await corner.run(
          `select line_no, name, sum(quantity) as n, sum(quantity * unit_price) as paid from ${corner.table('sale_lines')} group by line_no, name order by line_no`,
        ),
      ).toMatchObject([
        { line_no: '1', name: 'T-shirt', n: like(2), paid: like(698) },
        { line_no: '2', name: 'Socks', n: like(-1), paid: like(-49.5) },
      ])
      expect(await corner.run(`select type, amount from ${corner.table('sale_payments')}`)).toMatchObject([
        { type: 'Card', amount: like(349) },
      ])
      const [row] = await corner.run(`select sold_at, day from ${corner.table('sales')}`)
      expect([row?.sold_at, row?.day]).toEqual([expect.stringMatching(/^2026-11-20 14:03:27/), '2026-11-20'])
    })

    it('when the same batch comes again, then there are the same rows, and changed lines are replaced', async (given) => {
      const { corner, port } = given
      const count = async () => {
        const [head] = await corner.run(`select count(*) as n from ${corner.table('sales')}`)
        const lines = await corner.run(`select name from ${corner.table('sale_lines')} order by booking_key, line_no`)
        return [head?.n, lines.map(({ name }) => name)]
      }
      await port.bookSale(batchOf({ a: saleBooking(), b: saleBooking() }))
      await port.bookSale(batchOf({ a: saleBooking(), b: saleBooking(), c: saleBooking({ orderLines: [] }) }))
      expect(await count()).toEqual(['3', ['T-shirt', 'Socks', 'T-shirt', 'Socks']])
      await book(port, 'a', saleBooking({ orderLines: [saleLine({ name: 'Cap' })], total: 349 }))
      expect(await count()).toEqual(['3', ['Cap', 'T-shirt', 'Socks']])
    })

    it('a text with NUL, or half a sign, is written with a replacement character in its place', async (given) => {
      const { corner, port } = given
      const lines = [saleLine({ name: 'T-\0shirt' }), saleLine({ name: 'Socks \ud83d' })]
      expect(await book(port, 'a', saleBooking({ orderLines: lines }))).toEqual([{ note: expect.any(String) }])
      const names = await corner.run(`select name from ${corner.table('sale_lines')} order by line_no`)
      expect(names.map(({ name }) => name)).toEqual(['T-\uFFFDshirt', 'Socks \uFFFD'])
    })

    it('when there is one record of each kind, then each of the tables has rows', async ({ corner, port }) => {
      const all = everyBooking()
      for (const name of BOOKING_NAMES) {
        const results = await (port[name] as Port['bookSale'])(batchOf({ [name]: all[name] as Bookings['bookSale'] }))
        expect(results).toEqual([{ note: expect.any(String) }])
      }
      for (const [table, rows] of Object.entries(ROWS))
        expect([table, (await corner.run(`select * from ${corner.table(table)}`)).length]).toEqual([table, rows])
      expect(
        await corner.run(`select sort, amount from ${corner.table('settlement_payments')} order by line_no`),
      ).toMatchObject([{ sort: 'payment' }, { sort: 'payment' }, { sort: 'withdrawal' }, { sort: 'deposit' }])
      expect(await corner.run(`select sum(amount) as difference from ${corner.table('journal_lines')}`)).toMatchObject([
        { difference: like(0) },
      ])
    })

    it('when amounts have many digits, then every one of them arrives', async ({ corner, port }) => {
      const movement = everyBooking().bookMovement
      const of = (quantity: string) => ({
        ...movement,
        movement: { ...movement.movement, quantity: parseDecimal(quantity) },
      })
      const quantities = { a: '0.1', b: '0.2', c: '1234567890123456789', d: '-1234567890123456789.123456789' }
      const records = Object.entries(quantities).map(([key, quantity]) => [key, of(quantity)])
      await port.bookMovement(batchOf(Object.fromEntries(records)))
      const sum = async (keys: string) => {
        const where = `where booking_key in (${keys})`
        const [row] = await corner.run(`select sum(quantity) as n from ${corner.table('stock_movements')} ${where}`)
        return row?.n?.replace(/\.?0+$/, '')
      }
      expect(await sum(`'a', 'b'`)).toBe('0.3')
      expect(await sum(`'c'`)).toBe('1234567890123456789')
      expect(await sum(`'c', 'd'`)).toBe('-0.123456789')
    })

    it('when a text has quotes and such, then it is a text', async ({ corner, port }) => {
      const name = `O'Brien\\'s "?" $1 \`x\`; -- 100 % 👟\n\t{null,"a"}`
      await book(port, 'a', saleBooking({ orderLines: [saleLine({ name }), saleLine({ name: 'NULL' })] }))
      const rows = await corner.run(`select name from ${corner.table('sale_lines')} order by line_no`)
      expect(rows).toEqual([{ name }, { name: 'NULL' }])
    })

    it('when a time has a zone or seven decimals, or none was ever set, then it is the wall clock, cut off', async (given) => {
      const { corner, port } = given
      const written = { a: '2026-12-31T23:59:59.9999999', b: '2026-08-03T16:58:28+02:00', c: '0001-01-01T00:00:00' }
      const records = Object.entries(written).map(([key, createdDateTime]) => [key, saleBooking({ createdDateTime })])
      await port.bookSale(batchOf(Object.fromEntries(records)))
      const rows = await corner.run(`select sold_at from ${corner.table('sales')} order by booking_key`)
      const [a, b, c] = rows.map(({ sold_at }) => sold_at)
      expect([a?.slice(0, 23), b?.slice(0, 19), c]).toEqual(['2026-12-31 23:59:59.999', '2026-08-03 16:58:28', null])
    })

    test('when customers are not asked for, then nothing about them is written; else their names are', async () => {
      await using corner = await server.corner()
      await using without = start(corner)
      await book(without.port, 'a', saleBooking())
      await without.port.bookInvoice(batchOf({ a: everyBooking().bookInvoice }))
      for (const table of ['sales', 'invoices']) {
        const rows = JSON.stringify(await corner.run(`select * from ${corner.table(table)}`))
        expect(rows).not.toMatch(/kari|nordmann|90012345|C-9/i)
        expect(rows).not.toContain('customer_')
      }
      await using withThem = start(corner, { customers: true })
      await book(withThem.port, 'b', saleBooking())
      const names = 'customer_first_name, customer_email, customer_phone, customer_no'
      expect(await corner.run(`select ${names} from ${corner.table('sales')} order by booking_key`)).toMatchObject([
        { customer_email: null },
        {
          customer_first_name: 'Kari',
          customer_email: BUYER.email,
          customer_phone: '+4790012345',
          customer_no: 'C-9',
        },
      ])
    })
  })

  describe('reports', () => {
    it('when the examples of the page are asked, then they answer: revenue with returns, by currency', async (given) => {
      const { corner, port } = given
      const euros = saleBooking({
        store: store({ currency: 'EUR' }),
        orderLines: [saleLine({ price: 0.1 })],
        total: 0.1,
      })
      await port.bookSale(batchOf({ a: saleBooking(), b: saleBooking(), c: euros }))
      await port.bookSettlement(batchOf({ a: everyBooking().bookSettlement }))
      const answers = []
      for (const example of EXAMPLES)
        answers.push(await corner.run(example.replace(/tillbridge_(\w+)/g, (_, name) => corner.table(name))))
      expect(EXAMPLES).toHaveLength(3)
      expect(answers[0]?.toSorted((a, b) => String(a.currency).localeCompare(String(b.currency)))).toMatchObject([
        { store_no: '101', day: '2026-11-20', currency: 'EUR', revenue: like(0.1), returned: like(0) },
        { store_no: '101', day: '2026-11-20', currency: 'NOK', revenue: like(1297), returned: like(99) },
      ])
      expect(answers[1]).toContainEqual(
        expect.objectContaining({ currency: 'NOK', paid: like(698), counted: like(18250.5) }),
      )
      expect(answers[2]).toContainEqual(expect.objectContaining({ currency: 'NOK', sales: '2', basket: like(648.5) }))
    })
  })

  describe('a record at fault', () => {
    test.each([
      [
        'a check',
        (corner: Corner) => `alter table ${corner.table('sale_lines')} add constraint few check (quantity < 1000)`,
        saleLine({ quantity: 5_000 }),
        /^bi: .*few\)\.$/,
      ],
      [
        'a column that is too narrow',
        (corner: Corner) => server.narrow(corner.table('sale_lines'), 'name', 9),
        saleLine({ name: 'A very long name' }),
        server.name === 'MariaDB' ? /^bi: .*1406, name\)\.$/ : /^bi: .*22001\)\.$/,
      ],
    ])(
      'when %s of the database refuses one, then all are refused together, until it stands alone',
      async (_, narrow, line, message) => {
        await using corner = await server.corner()
        await using at = start(corner)
        await book(at.port, 'first', saleBooking())
        await corner.run(narrow(corner))
        const bad = saleBooking({ orderLines: [line] })
        const together = await at.port.bookSale(batchOf({ a: saleBooking(), b: bad, c: saleBooking() }))
        expect(together.every((result) => result instanceof RefusedTogetherError)).toBe(true)
        expect(await keysIn(corner, 'sales')).toEqual(['first'])
        const [alone] = await book(at.port, 'b', bad)
        expect([typeOf(alone), messageOf(alone)]).toEqual(['PermanentError', expect.stringMatching(message)])
        expect(messageOf(alone)).not.toMatch(/5000|very long/)
        expect((await at.port.bookSale(batchOf({ a: saleBooking(), c: saleBooking() }))).map(typeOf)).toEqual([
          'written',
          'written',
        ])
      },
    )

    it('when an operator has a unique index that a record goes against, then no other record is overwritten', async (given) => {
      const { corner, port } = given
      await book(port, 'a', saleBooking({ createdDateTime: '2026-11-20T10:00:00' }))
      await corner.run(`create unique index once on ${corner.table('sales')} (receipt_no)`)
      const [second] = await book(port, 'b', saleBooking({ createdDateTime: '2026-11-21T10:00:00' }))
      expect(typeOf(second)).toBe('PermanentError')
      const rows = await corner.run(`select booking_key, sold_at from ${corner.table('sales')}`)
      expect(rows).toEqual([{ booking_key: 'a', sold_at: expect.stringMatching(/^2026-11-20/) }])
      expect(await keysIn(corner, 'sale_lines')).toEqual(['a', 'a'])
      expect((await book(port, 'a', saleBooking())).map(typeOf)).toEqual(['written'])
    })

    it('when a time cannot be read, then that record alone is refused, and its text is not shown', async (given) => {
      const { port } = given
      const results = await port.bookSale(
        batchOf({ a: saleBooking({ createdDateTime: '20.11.2026' }), b: saleBooking() }),
      )
      expect(results.map(typeOf)).toEqual(['PermanentError', 'written'])
      expect(messageOf(results[0])).toMatch(/^bi: \w+sales: sold_at: /)
      expect(messageOf(results[0])).not.toContain('20.11.2026')
    })
  })

  describe('tables', () => {
    test('when they are not to be made, then what is missing is named, with the statements that make it', async () => {
      await using corner = await server.corner()
      await using at = start(corner, { createTables: false })
      const failed = await failure(book(at.port, 'a', saleBooking()))
      expect([failed instanceof PermanentError, failed.message]).toEqual([
        true,
        expect.stringMatching(/^bi: .* has no table \w+sales, table \w+sale_lines, table \w+sale_payments\. /),
      ])
      for (const statement of statementsIn(failed)) await corner.run(statement)
      expect((await book(at.port, 'a', saleBooking())).map(typeOf)).toEqual(['written'])
      await corner.run(`alter table ${corner.table('sale_lines')} drop column brand`)
      const lacks = await failure(book(at.port, 'b', saleBooking()))
      expect(lacks.message).toMatch(/has no column \w+sale_lines\.brand\. This makes it: alter table /)
      for (const statement of statementsIn(lacks)) await corner.run(statement)
      expect((await book(at.port, 'b', saleBooking())).map(typeOf)).toEqual(['written'])
    })

    test('when a column is missing, then it is made, and what there is stays', async () => {
      await using corner = await server.corner()
      await using before = start(corner)
      await book(before.port, 'a', saleBooking())
      await corner.run(`alter table ${corner.table('sale_lines')} drop column brand`)
      await corner.run(`alter table ${corner.table('sales')} add column weather varchar(20)`)
      await corner.run(`update ${corner.table('sales')} set weather = 'rain'`)
      await using after = start(corner)
      await after.port.bookSale(batchOf({ a: saleBooking(), b: saleBooking() }))
      const brands = await corner.run(`select brand from ${corner.table('sale_lines')}`)
      expect(brands).toEqual(Array(4).fill({ brand: 'Nordlys' }))
      expect(await corner.run(`select weather from ${corner.table('sales')} order by booking_key`)).toEqual([
        { weather: 'rain' },
        { weather: null },
      ])
    })

    test('when two hubs begin at once, then both write', async () => {
      await using corner = await server.corner()
      await using one = start(corner)
      await using other = start(corner)
      const ports = [one, one, other, other].map(({ port }) => port)
      const all = await Promise.all(ports.map((port, index) => book(port, `sale-${index}`, saleBooking())))
      expect(all.flat().map(typeOf)).toEqual(Array(4).fill('written'))
    })

    it('when a table of that name is something else, then it is left alone', async ({ corner, port }) => {
      await book(port, 'a', saleBooking())
      await corner.run(`create table ${corner.table('stock_movements')} (id integer)`)
      const failed = await failure(port.bookMovement(batchOf({ a: everyBooking().bookMovement })))
      expect([failed instanceof PermanentError, failed.message]).toEqual([
        true,
        expect.stringContaining('something else'),
      ])
    })
  })

  describe('looking', () => {
    it('when a record is looked for, then it is there or it is not, however long its key', async (given) => {
      const { corner, port } = given
      const long = `booked/sale/${'x'.repeat(300)}`
      const call = { port: 'backOffice', method: 'bookSale', argument: saleBooking() } as const satisfies Call
      const find = (key: string) => port.find(attempt({ key }), call)
      expect(await find('a')).toBeNull()
      await port.bookSale(batchOf({ a: saleBooking(), [long]: saleBooking(), [`${long}y`]: saleBooking() }))
      expect([await find('a'), await find(long), await find(`${long}z`), await find('A')]).toEqual([
        { note: expect.any(String) },
        { note: expect.any(String) },
        null,
        null,
      ])
      expect(new Set(await keysIn(corner, 'sales')).size).toBe(3)
    })
  })

  if (server.name === 'MariaDB')
    it('when an amount has more decimals than the column keeps, then it is refused: the server would round it off', async (given) => {
      const { port } = given
      const quantity = parseDecimal('0.1234567891')
      const movement = { ...PLACE, movement: { ...everyBooking().bookMovement.movement, quantity } }
      const [failed] = await port.bookMovement(batchOf({ a: movement }))
      expect([typeOf(failed), messageOf(failed)]).toEqual([
        'PermanentError',
        expect.stringMatching(/^bi: \w+stock_movements\.quantity keeps 9 decimals, and this has 10$/),
      ])
    })
}

/** Questions on the page; the last block is about rights. */
const EXAMPLES = [
  ...readFileSync('packages/tillbridge-adapter-sql/README.md', 'utf8').matchAll(/```sql\n(select.*?);\n```/gs),
].map(([, statement = '']) => statement)

/** How many rows `everyBooking` makes. */
const ROWS = {
  sales: 1,
  sale_lines: 2,
  sale_payments: 1,
  invoices: 1,
  settlements: 1,
  settlement_payments: 4,
  settlement_vat_rates: 1,
  journal_lines: 3,
  received_goods: 1,
  cost_changes: 1,
  deliveries: 1,
  delivery_lines: 1,
  stock_movements: 1,
  stock_counts: 1,
  stock_count_items: 1,
  adjustments: 1,
  adjustment_items: 1,
  transfers: 1,
  transfer_lines: 1,
  gift_card_transactions: 1,
  terminal_reconciliations: 1,
  terminal_schemes: 1,
  reservations: 1,
}

function statementsIn({ message }: Error): string[] {
  const [, statements = ''] = /This makes it: (.*);$/s.exec(message) ?? []
  return statements.split('; ')
}

function like(number: number) {
  return expect.toSatisfy((text: unknown) => typeof text === 'string' && Number(text) === number)
}

/** What the adapter makes of a database that is not there, or not any more, and of time that is over. */
function sqlFailureStories(server: SqlServer): void {
  describe('outage', () => {
    test.each([
      ['the password is wrong', { username: 'nobody_of_this_name', password: 'wrong-pass-word' }, 'login-refused'],
      ['there is no such database', { pathname: '/no_such_database' }, 'no-database'],
      ['nobody listens', { port: '1' }, 'unreachable'],
    ])('when %s, then the destination waits for its operator', async (_, given, code) => {
      await using corner = await server.corner()
      await using at = start(corner, { url: Object.assign(new URL(corner.url), given).toString() })
      const failed = await failure(book(at.port, 'a', saleBooking()))
      expect(failed).toMatchObject({ name: 'RetryLaterError', scope: 'destination', code })
      expect(failed.message).toMatch(/^bi: (postgres|mysql|mariadb):\/\/127\.0\.0\.1:/)
      expect(`${failed.message} ${JSON.stringify(failed.cause)}`).not.toMatch(/wrong-pass-word|nobody_of/)
    })

    test('when nothing is answered after the commit, then the outcome is unknown, and find knows it', async () => {
      await using corner = await server.corner()
      await using proxy = await startSqlProxy(corner.url)
      await using at = start(corner, { url: proxy.url })
      await book(at.port, 'first', saleBooking())
      proxy.cutAfter('commit')
      const [lost] = await book(at.port, 'a', saleBooking())
      expect([lost instanceof UnknownOutcomeError, messageOf(lost)]).toEqual([true, expect.stringMatching(/^bi: /)])
      const call = { port: 'backOffice', method: 'bookSale', argument: saleBooking() } as const
      await eventually(async () => expect(await at.port.find(attempt({ key: 'a' }), call)).not.toBeNull())
      expect((await book(at.port, 'a', saleBooking())).map(typeOf)).toEqual(['written'])
      expect(await keysIn(corner, 'sales')).toEqual(['a', 'first'])
    })

    test('when the connection is lost before the commit, then nothing is kept, and the destination waits', async () => {
      await using corner = await server.corner()
      await using proxy = await startSqlProxy(corner.url)
      await using at = start(corner, { url: proxy.url })
      await book(at.port, 'first', saleBooking())
      proxy.cutAfter('sale_lines')
      const [lost] = await book(at.port, 'a', saleBooking())
      expect(lost).toMatchObject({ name: 'RetryLaterError', scope: 'destination', code: 'connection-lost' })
      expect(await keysIn(corner, 'sales')).toEqual(['first'])
    })

    test('when the server ends idle connections, then the next call has a new one', async () => {
      await using corner = await server.corner()
      await using proxy = await startSqlProxy(corner.url)
      await using at = start(corner, { url: proxy.url })
      await Promise.all(['a', 'b'].map((key) => book(at.port, key, saleBooking())))
      const before = proxy.connections
      proxy.cutAll()
      const [next] = await book(at.port, 'c', saleBooking())
      expect([before > 0, typeOf(next)]).toEqual([true, 'written'])
    })
  })

  describe('aborting', () => {
    test('when the attempt is aborted while it waits, then it ends at once, and the server does no more for it', async () => {
      await using corner = await server.corner()
      await using at = start(corner)
      await book(at.port, 'first', saleBooking())
      const locked = await corner.lock('sale_lines')
      const controller = new AbortController()
      const booking = at.port.bookSale(batchOf({ a: saleBooking() }, { signal: controller.signal }))
      await eventually(async () => expect(await corner.atWork()).toBe(1))
      const since = performance.now()
      controller.abort()
      const [failed] = await booking
      expect(performance.now() - since).toBeLessThan(200)
      expect(failed).toMatchObject({ name: 'RetryLaterError', scope: 'item', code: 'no-time' })
      await eventually(async () => expect(await corner.atWork()).toBe(0))
      await locked[Symbol.asyncDispose]()
      expect(await keysIn(corner, 'sales')).toEqual(['first'])
      expect((await book(at.port, 'a', saleBooking())).map(typeOf)).toEqual(['written'])
    })
  })
}

for (const server of await sqlServers()) {
  const stories = () => {
    sqlStories(server)
    sqlFailureStories(server)
  }
  if (server.url === null) describe.skip(`the adapter sql on ${server.name} (${server.why})`, stories)
  else describe(`the adapter sql on ${server.name}`, stories)
}
