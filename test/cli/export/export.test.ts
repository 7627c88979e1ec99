import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRowCounter } from '../../../src/cli/export/progress.ts'
import { READ_SETS } from '../../../src/receiver/mirror/sets.ts'
import { openApi } from '../../../src/receiver/submissions/openapi.ts'
import { eventually } from '../../eventually.ts'
import { createFolder } from '../../hub.ts'
import { programEnv } from '../../program-env.ts'
import { type Desk, level, openDesk, product, row, soldLine } from '../../receiver/mirror/given.ts'
import { type Ran, tillbridge } from '../run.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

describe('what is in the mirror', () => {
  let desk: Desk
  let folder: Awaited<ReturnType<typeof createFolder>>

  beforeAll(async () => {
    desk = await openDesk({
      config: { lookups: { customers: { tokens: ['a-token-of-a-till-in-the-tests'], ask: ['directory'] } } },
    })
    folder = await createFolder()
    await fill(desk)
  })
  afterAll(async () => {
    await desk[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const file = (name: string) => join(folder.path, name)
  const run = (...args: string[]) =>
    tillbridge(['export', ...args], { TILLBRIDGE_URL: desk.hub.url, TILLBRIDGE_KEY: desk.key })
  const rows = async (name: string): Promise<Record<string, string>[]> =>
    parse(await readFile(file(name)), { columns: true, record_delimiter: '\r\n' })

  test.each(READ_SETS.map(({ name, fields }) => [name, fields] as const))(
    'When %s are exported as CSV and as NDJSON, then both hold what the hub answers',
    async (name, fields) => {
      const personal = fields.some(({ isPersonal }) => isPersonal) ? ['--personal'] : []
      expect(await run(name, '--out', file(`${name}.csv`), ...personal)).toMatchObject({ code: 0, err: '' })
      expect(await run(name, '--out', file(`${name}.ndjson`), ...personal)).toMatchObject({ code: 0, err: '' })
      const { items } = await desk.lines(`${name}${personal.length > 0 ? '?personal=true' : ''}`)
      expect(items.length).toBeGreaterThan(0)
      const text = await readFile(file(`${name}.ndjson`), 'utf8')
      expect(
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(items)
      const flat = fields.filter(({ writing }) => writing !== 'list').map((field) => field.name)
      const [header = ''] = (await readFile(file(`${name}.csv`), 'utf8')).split('\r\n')
      expect(header.split(',')).toEqual(flat)
      const plain = (await rows(`${name}.csv`)).map((one) =>
        Object.fromEntries(Object.entries(one).map(([key, cell]) => [key, cell.replace(/^'/, '')])),
      )
      expect(plain).toEqual(
        items.map((item) => Object.fromEntries(flat.map((field) => [field, String(item[field] ?? '')]))),
      )
    },
  )

  test('When a key may only read, all sets or one, then it exports them, and no other', async () => {
    const reader = await desk.keyOf('read:*')
    for (const { name } of READ_SETS)
      expect(await run(name, '--out', file(`${name}-read.csv`), '--key', reader), name).toMatchObject({
        code: 0,
        err: '',
      })
    const one = await desk.keyOf('read:stock')
    expect(await run('stock', '--out', file('stock-alone.csv'), '--key', one)).toMatchObject({ code: 0, err: '' })
    expect(await run('sales', '--out', file('sales-alone.csv'), '--key', one)).toMatchObject({
      code: 2,
      err: expect.stringContaining('read:sales'),
    })
  })

  test('When lines were sold in two currencies, then the end says the revenue of each, exactly', async () => {
    const { out } = await run('sales-lines', '--out', file('lines.csv'))
    expect(out).toMatch(/^Exported 2,000 sales-lines to .*lines\.csv \(\d\.\d MB, /)
    // 1,000 × 0.1 each, less one that came back in Sweden.
    expect(out.split('\n').slice(1)).toEqual(['Revenue in NOK: 100.00', 'Revenue in SEK: 99.80', ''])
    const json = JSON.parse((await run('sales-lines', '--out', file('again.csv'), '--json')).out)
    expect(json).toMatchObject({ what: 'sales-lines', items: 2_000, rows: 2_000, revenue: { NOK: '100', SEK: '99.8' } })
    expect(json.bytes).toBe((await readFile(file('again.csv'))).length)
  })

  test('When settlements are exported a payment a row, then amounts of the whole are left out, and counted once', async () => {
    const { out } = await run('settlements', '--out', file('payments.csv'), '--rows', 'payments')
    expect(out).toMatch(/^Exported 2 settlements in 3 rows/)
    expect(out).toContain('Grand total in NOK: 350.50\n')
    const found = await rows('payments.csv')
    expect(found.map((one) => [one.id, one['payments.type'], one['payments.amount']])).toEqual([
      ['1', 'Card', '300.5'],
      ['1', 'Cash', '-50'],
      ['2', '', ''],
    ])
    expect(found[0]).toMatchObject({ storeNo: '101', day: '2026-11-20', currency: 'NOK' })
    expect(found[0]).not.toHaveProperty('grandTotal')
    expect(await run('stock', '--rows', 'payments')).toMatchObject({
      code: 2,
      err: expect.stringContaining('They have nothing nested.'),
    })
    expect(await run('sales', '--rows', 'line')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Choose from payments, lines.'),
    })
  })

  test('When a text would be a formula, then a spreadsheet does not carry it out; numbers stay numbers', async () => {
    await run('deliveries', '--out', file('d.csv'), '--rows', 'lines')
    const [delivery] = await rows('d.csv')
    expect(delivery).toMatchObject({
      comment: '\'=HYPERLINK("x"),\r\n"two" lines',
      reference: "'@SUM(1)",
      status: "'-1+1",
      'lines.received': '-2.5',
      'lines.article': '+4790012345',
    })
  })

  test('a text that would be a formula is left as it is where a machine reads it', async () => {
    await run('deliveries', '--out', file('as-is.csv'), '--rows', 'lines', '--as-is')
    const [delivery] = await rows('as-is.csv')
    expect(delivery).toMatchObject({ reference: '@SUM(1)', status: '-1+1' })
  })

  test('When it is filtered, then the hub does that; without a file it goes to standard output', async () => {
    const { code, out, err } = await run(
      'sales-lines',
      '--store',
      '201',
      '--from',
      '2026-11-20',
      '--to',
      '2026-11-20',
      '--format',
      'ndjson',
    )
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([code, lines.length]).toEqual([0, 1_000])
    expect(new Set(lines.map(({ storeNo }) => storeNo))).toEqual(new Set(['201']))
    expect(err).toContain('Exported 1,000 sales-lines (')
    const none = await run('sales-lines', '--gtin', '0')
    expect(none.out).toMatch(/^id,saleId,[^\n]*\r\n$/)
  })

  test('When personal data is not asked for, then it has no columns', async () => {
    const { out } = await run('sales')
    expect(out).not.toMatch(/customer|Kari|salesPerson/)
    expect((await run('customers')).out).toMatch(/^id,customerId,countryCode,postalCode,savedAt\r\n/)
    const key = await desk.keyOf('read:customers')
    const refused = await run('customers', '--personal', '--key', key)
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('lacks the scope customers')])
  })

  test('When the file is there, then it stays, unless --force is given', async () => {
    await writeFile(file('there.csv'), 'mine')
    const refused = await run('stores', '--out', file('there.csv'))
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('is there already. --force overwrites it.'),
    ])
    expect(await readFile(file('there.csv'), 'utf8')).toBe('mine')
    expect(await run('stores', '--out', file('there.csv'), '--force')).toMatchObject({ code: 0 })
    expect(await rows('there.csv')).toHaveLength(4)
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test.each([
    [['sales', '--from', 'yesterday'], 'from: expected a day, such as 2026-11-20.'],
    [['stock', '--from', '2026-11-20'], 'from: stock cannot be asked for by it.'],
    [['sales', '--key', 'tb_none'], 'The hub does not know this key.'],
    [['sales', '--key', ''], '--key: it is empty.'],
    [['sales', '--rows', 'lines', '--format', 'ndjson'], '--rows is for CSV'],
    [['sales', '--out', '/nowhere/x.csv'], 'there is no folder /nowhere. Make it, or name another file.'],
    [['sale'], 'Allowed choices are stores, stock'],
  ])('When it is asked for %j, then it says what is wrong and writes nothing', async (args, said) => {
    const ran = await run(...args)
    expect(ran.err).toContain(said)
    expect([ran.out, ran.code]).toEqual(['', 2])
  })

  test('When JSON is to go where the rows go, then it says so, as JSON', async () => {
    const { out, code } = await run('sales', '--json')
    const says = expect.stringContaining('--json prints the report where the rows go')
    expect([JSON.parse(out), code]).toEqual([{ problems: [{ says }] }, 2])
  })
})

describe('an export that breaks off', () => {
  const LINE = `${JSON.stringify({ id: '1', revenue: '1', currency: 'NOK' })}\n`

  test.each<[what: string, answer: (response: ServerResponse) => void, said: string]>([
    [
      'the connection is cut',
      (response) => void response.write(LINE.repeat(10), () => response.destroy()),
      'broke off after',
    ],
    ['there is no end', (response) => void response.end(LINE), 'The hub broke off after 1 items.'],
    [
      'a line is missing',
      (response) => void response.end(`${LINE}{"end":true,"count":2}\n`),
      'The hub broke off after 1 items.',
    ],
    [
      'the last line is cut',
      (response) => void response.end(`${LINE}{"end":true,"count":1}`),
      'The hub broke off after 1 items.',
    ],
    [
      'a hub cannot answer',
      (response) => void response.writeHead(503).end('{"detail":"No disk."}'),
      'The hub cannot answer now: 503 No disk.',
    ],
  ])('When %s, then nothing is left, and the exit code is 1', async (_, answer, said) => {
    await using the = await openServer(answer)
    const ran = await tillbridge(['export', 'sales-lines', '--out', the.file], the.env)
    expect([ran.code, ran.out]).toEqual([1, ''])
    expect(ran.err).toContain(said)
    expect(await readdir(the.folder)).toEqual([])
  })

  test('When nobody answers, then the exit code is 1', async () => {
    await using the = await openServer(() => {})
    const ran = await tillbridge(['export', 'sales', '--out', the.file], {
      ...the.env,
      TILLBRIDGE_URL: 'http://127.0.0.1:1',
    })
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('No hub answers at http://127.0.0.1:1')])
    expect(await readdir(the.folder)).toEqual([])
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('When a person stops it (%s), then nothing is left, and the exit code is %d', async (signal, code) => {
    await using the = await openServer((response) => void response.write(LINE.repeat(1_000)))
    const running = start(['export', 'sales-lines', '--out', the.file], the.env)
    await eventually(async () =>
      expect(await readdir(the.folder)).toEqual([expect.stringMatching(/^x\.csv\.\d+\.part$/)]),
    )
    await eventually(() => the.asked() > 1)
    // Once from the terminal, once passed on by npm.
    running.child.kill(signal)
    running.child.kill(signal)
    expect(await running.ended).toMatchObject({ code, err: 'Interrupted. Nothing was kept.\n' })
    expect(await readdir(the.folder)).toEqual([])
  })

  test('When whoever reads the output goes, then it ends as programs do', async () => {
    await using the = await openServer((response) => {
      const more = () => {
        while (response.write(LINE.repeat(1_000)));
      }
      response.on('drain', more)
      more()
    })
    const running = start(['export', 'sales-lines'], the.env)
    await once(running.child.stdout, 'data')
    running.child.stdout.destroy()
    expect(await running.ended).toMatchObject({ code: 141, err: '' })
  })
})

/** What is exported; each set has something. */
async function fill({ save, hub }: Desk): Promise<void> {
  const customer = { number: 'C-9', firstName: 'Kari', email: 'kari@example.com', address: { city: 'Oslo' } }
  await hub.hub.store.saveCustomers(
    [
      {
        ...NOBODY,
        customerId: '1',
        email: 'kari@example.com',
        phone: '+4790012345',
        postalCode: '0155',
        countryCode: 'NO',
      },
    ],
    0,
  )
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
    row('deliveries', 'D', {
      body: {
        comment: '=HYPERLINK("x"),\r\n"two" lines',
        reference: '@SUM(1)',
        status: '-1+1',
        lines: [{ article: '+4790012345', received: '-2.5' }],
      },
    }),
  )
}

const NOBODY = {
  customerId: null,
  extId: null,
  email: null,
  firstName: null,
  lastName: null,
  companyName: null,
  phone: null,
  address: null,
  postalCode: null,
  city: null,
  countryCode: null,
}

/** A hub of which a test says what it answers; it has /openapi.json. */
async function openServer(answer: (response: ServerResponse) => void) {
  const folder = await createFolder()
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    if (request.url === '/openapi.json') response.end(JSON.stringify(openApi()))
    else answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    folder: folder.path,
    file: join(folder.path, 'x.csv'),
    env: { TILLBRIDGE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, TILLBRIDGE_KEY: 'tb_key' },
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** The command in a process of its own. */
function start(args: string[], env: Record<string, string>) {
  const options = { cwd: root, env: programEnv({ NO_COLOR: '1', ...env }), stdio: 'pipe' } as const
  const child = spawn(process.execPath, ['src/cli/tillbridge.ts', ...args], options)
  const ran: Ran = { code: -1, out: '', err: '' }
  child.stderr.on('data', (text) => {
    ran.err += text
  })
  const ended = once(child, 'close').then(([code]) => ({ ...ran, code }))
  return { child, ended }
}

test('When items come, then a terminal has a line that moves and goes, and a log a line now and then', () => {
  const shown = (isTTY: boolean, isQuiet = false) => {
    let text = ''
    let now = 0
    const screen = { isTTY, write: (piece: string) => (text += piece) }
    {
      using counter = createRowCounter(screen, isQuiet, () => now)
      for (const [at, count] of [
        [50, 1],
        [2_000, 1_000],
        [10_000, 123_456],
      ] as const) {
        now = at
        counter.show(count)
      }
    }
    return text
  }
  expect(shown(true)).toBe(
    '\rexporting  1,000 items, 500/s  2 s\u001b[K\rexporting  123,456 items, 12,346/s  10 s\u001b[K\r\u001b[K',
  )
  expect(shown(false)).toBe('exporting  123,456 items, 12,346/s  10 s\n')
  expect(shown(true, true)).toBe('')
})
