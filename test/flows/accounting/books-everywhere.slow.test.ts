import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { fetch } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noSshd, startSftpServer } from '../../../packages/tillbridge-adapter-files/test/sshd.ts'
import { sqlServers } from '../../../packages/tillbridge-adapter-sql/test/servers.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { listen } from '../../listen.ts'
import { compare, thereOf } from '../days/compare-kit.ts'
import { type OpenStore, openStorage } from '../days/open-store.ts'
import { ACCOUNTS } from './books-given.ts'

const TEE = 'TEE-BLK-M'

/** A little of everything happens in a store, and it closes. */
async function trade({ platform: { actions }, quiet }: OpenStore): Promise<void> {
  actions.sell({ store: '101', sku: TEE, quantity: 2 })
  actions.returnGoods({ store: '101', sku: TEE })
  actions.announceDelivery({ stock: '101', sku: TEE, quantity: 5, cost: 80 })
  await quiet()
  actions.receiveDelivery()
  actions.createTransfer({ from: '101', to: '102', sku: TEE })
  actions.closeDay({ store: '101' })
  await quiet()
}

/** What the POS did, from their own log: receipts with totals. */
function soldAt({ platform }: OpenStore): string[] {
  const sold = platform.posLog().filter(({ what }) => what === 'sale')
  return sold.map(({ receiptNo, total }) => `${receiptNo} ${total}`).sort()
}

describe.skipIf(noSshd !== null)(`an ERP behind SFTP${noSshd ? ` (${noSshd})` : ''}`, () => {
  test('When a store trades, is cut off from the ERP and goes on, then its files have everything once', async () => {
    await using sshd = await startSftpServer()
    await using folder = await temporary()
    const sftp = sshd.access(folder.path)
    const write = { sale: { name: 'sale-{key}' }, settlement: { name: 'settlement-{key}' }, received: {} }
    const clock = createTestClock()
    await using storage = await openStorage({
      clock,
      others: { erp: { adapter: 'files', sftp, write, accounts: ACCOUNTS } },
    })
    await storage.hub.admin('jobs/stores/run', {})
    storage.platform.actions.sell({ store: '101', sku: TEE })
    await storage.quiet()
    await sshd.stop()
    storage.platform.actions.sell({ store: '101', sku: TEE, quantity: 3 })
    await storage.platform.settled()
    await sshd.start()
    await trade(storage)
    const rows = await rowsIn(folder.path)
    const sales = rows.filter(({ file }) => file.startsWith('sale-'))
    expect(new Set(sales.map(({ file }) => file)).size).toBe(soldAt(storage).length)
    expect(rows.filter(({ file }) => file.startsWith('received')).length).toBe(1)
    const journal = rows.filter(({ file }) => file.startsWith('settlement-'))
    expect(journal.length).toBeGreaterThan(2)
    const sum = (column: string) => journal.reduce((all, row) => all + Math.round(Number(row[column] || 0) * 100), 0)
    expect(sum('Debit')).toBe(sum('Credit'))
    expect(sum('Debit')).toBeGreaterThan(0)
  })
})

describe.each(await sqlServers())('$name for BI', (server) => {
  test.skipIf(server.url === null)(
    `When a store trades, then its tables have everything once${server.url === null ? ` (${server.why})` : ''}`,
    async () => {
      await using corner = await server.corner()
      const clock = createTestClock()
      await using storage = await openStorage({
        clock,
        others: { bi: { adapter: 'sql', ...corner.options, accounts: ACCOUNTS } },
      })
      await storage.hub.admin('jobs/stores/run', {})
      await trade(storage)
      const sales = await corner.run(`select receipt_no, total from ${corner.table('sales')}`)
      expect(sales.map(({ receipt_no, total }) => `${receipt_no} ${Number(total).toFixed(2)}`).sort()).toEqual(
        soldAt(storage),
      )
      const [lines] = await corner.run(
        `select sum(quantity) as pieces, sum(quantity * unit_price) as revenue from ${corner.table('sale_lines')}`,
      )
      const paid = storage.platform.posLog().flatMap(({ what, total }) => (what === 'sale' ? Number(total) : []))
      expect(Number(lines?.revenue).toFixed(2)).toBe(paid.reduce((sum, one) => sum + one, 0).toFixed(2))
      const [balance] = await corner.run(`select sum(amount) as balance from ${corner.table('journal_lines')}`)
      expect(Number(balance?.balance)).toBe(0)
      const [received] = await corner.run(`select sum(quantity) as pieces from ${corner.table('received_goods')}`)
      expect(Number(received?.pieces)).toBe(5)
    },
  )
})

test('When an accounting system with an API is down at first, then it is told of each settlement once, as its mapping says', async () => {
  await using ledger = await startLedger()
  const clock = createTestClock()
  const settlement = {
    method: 'POST',
    path: '/vouchers',
    headers: { 'Idempotency-Key': '{{key}}' },
    idempotent: true,
    body: '{"date": day, "lines": [journal.lines.{"account": account, "amount": amount.amount}]}',
  }
  await using storage = await openStorage({
    clock,
    others: { ledger: { adapter: 'rest', url: ledger.url, accounts: ACCOUNTS, backOffice: { settlement } } },
  })
  await storage.hub.admin('jobs/stores/run', {})
  ledger.fail(2)
  await trade(storage)
  await eventually(() => {
    clock.advance(60_000)
    return ledger.vouchers.size > 0
  })
  await storage.quiet()
  expect(ledger.vouchers.size).toBe(1)
  for (const { lines } of ledger.vouchers.values()) {
    expect(lines.length).toBeGreaterThan(2)
    expect(lines.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0)).toBe(0)
  }
})

interface Voucher {
  lines: { account: string; amount: string }[]
}

/** It knows a voucher by its key, as a good one does. */
async function startLedger() {
  const vouchers = new Map<string, Voucher>()
  let failing = 0
  const server = await listen(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (failing > 0) {
      failing -= 1
      return void response.writeHead(503).end()
    }
    vouchers.set(String(request.headers['idempotency-key']), JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(201).end('{}')
  })
  return {
    ...server,
    vouchers,
    fail(times: number) {
      failing = times
    },
  }
}

/** Every row of every CSV file, with the name of its file. */
async function rowsIn(folder: string): Promise<({ file: string } & Record<string, string>)[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.csv'))
  const read = names.map(async (file) => {
    const rows = parse(await readFile(join(folder, file)), { columns: true }) as Record<string, string>[]
    return rows.map((row) => ({ ...row, file }))
  })
  return (await Promise.all(read)).flat()
}

async function temporary(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'tillbridge-erp-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

const PRODUCT = {
  extId: '10-BLK',
  name: 'Jacket',
  number: '10',
  variant: 'BLK',
  groupName: 'Coats',
  color: 'Black',
  season: '2026-AW',
  brand: 'Nordlys',
  productSizes: [{ gtin: '5901234123457', label: 'M' }],
}

test('When an ERP with an API is asked for its products, then the platform has them, once', async () => {
  const asked: string[] = []
  await using server = await listen((request, response) => {
    asked.push(request.url ?? '')
    const isNew = request.url === '/changes?since=0'
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ products: isNew ? [PRODUCT] : [], at: '7' }))
  })
  const poll = {
    path: '/changes',
    query: { since: '{{cursor}}' },
    first: '0',
    items: 'answer.products.{"resource": "products", "key": extId & "@" & $$.answer.at, "value": $}',
    cursor: 'answer.at',
  }
  await using storage = await openStorage({
    clock: createTestClock(),
    seedCatalogue: false,
    others: { erp: { adapter: 'rest', url: server.url, poll } },
  })
  for (const run of [1, 2]) {
    const { body } = await storage.hub.admin<{ problem: unknown }>('jobs/shop-orders/run', {})
    expect([run, body.problem]).toEqual([run, null])
  }
  await storage.quiet()
  expect(asked.slice(0, 2)).toEqual(['/changes?since=0', '/changes?since=7'])
  const keys = { 'x-api-key': 'key-of-the-user', 'Ocp-Apim-Subscription-Key': 'key-of-the-company' }
  const found = await fetch(`${storage.platform.portalUrl}/api/Product/gtin/5901234123457`, { headers: keys })
  expect(JSON.stringify(await found.json())).toContain('Jacket')
})

test('When an ERP fetches its files, then nothing is claimed; where a record was cut out of one that lies there, it is a gap', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-compared-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const clock = createTestClock()
  await using storage = await openStorage({ clock, others: { erp: { adapter: 'files', folder, write: { sale: {} } } } })
  const { hub, platform, quiet } = storage
  await hub.admin('jobs/stores/run', {})
  const files = async () => (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  for (const quantity of [1, 2]) platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity })
  await quiet()
  const [first = ''] = await files()
  platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 3 })
  await quiet()
  const [second = ''] = (await files()).filter((name) => name !== first)
  expect(await compare({ hub, clock })).toEqual([])
  expect(await thereOf(storage, 'erp')).toMatchObject({ days: [{ given: 3, there: 3, unknown: 0 }] })

  await rm(join(folder, second))
  expect(await compare({ hub, clock })).toEqual([])
  expect(await thereOf(storage, 'erp')).toMatchObject({ verdict: 'proven', days: [{ given: 3, there: 2, unknown: 1 }] })

  const lines = (await readFile(join(folder, first), 'utf8')).split('\n')
  const cut = lines.findLast((line) => line !== '') ?? ''
  await writeFile(join(folder, first), lines.filter((line) => line !== cut).join('\n'))
  const [gap, ...others] = await compare({ hub, clock })
  expect(others).toEqual([])
  expect(gap).toMatchObject({ cause: 'not-there', subject: cut.split(',')[0] })
  expect(gap?.evidence.destination?.there).toBe('its file was changed, and has it no more')

  const delivery = String(gap?.evidence.destination?.delivery)
  const before = await files()
  expect((await asking(hub)('deliveries', 'resend', delivery, '--reason', 'cut out')).code).toBe(0)
  await quiet()
  expect(await files()).toHaveLength(before.length + 1)
  expect(await compare({ hub, clock })).toEqual([])

  await rm(folder, { recursive: true })
  expect(await compare({ hub, clock })).toEqual([])
  expect(await thereOf(storage, 'erp')).toMatchObject({ problem: expect.stringContaining('is not there') })
})
