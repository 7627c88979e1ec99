import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { type ErpFolder, erpFolderAt, openErpFolder } from '../../packages/tillbridge-adapter-files/test/kit.ts'
import { noSshd, startSftpServer } from '../../packages/tillbridge-adapter-files/test/sshd.ts'
import { saleBooking } from '../../packages/tillbridge-adapter-sql/test/bookings.ts'
import { book, start } from '../../packages/tillbridge-adapter-sql/test/kit.ts'
import { type SqlProxy, startSqlProxy } from '../../packages/tillbridge-adapter-sql/test/proxy.ts'
import { type Corner, type SqlServer, sqlServers } from '../../packages/tillbridge-adapter-sql/test/servers.ts'
import { optionsFor, startStandIn } from '../../packages/tillbridge-adapter-vendure/test/kit.ts'
import { createTestClock, type TestClock } from '../clock.ts'
import { type DoorVerdict, openDoor } from '../door.ts'
import { endlessAisle } from '../fixtures/payloads.ts'
import { openCounter, order, product, sale } from '../http/submissions/given.ts'
import { TEE } from '../sandbox/platform/goods/given.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../small-disk.ts'
import { hubWith, middle, saleNo } from './kit/kit.ts'
import { awayForAMinute, HTML, later, REFUSALS, type System, untilAllDone } from './kit/refusing.ts'

/* Systems that have a protocol of their own, away for a minute in each of the ways that they have: the same as of any other. */

const PAGE: [string, DoorVerdict] = ['a page', { status: 200, type: 'text/html', body: HTML }]

describe('Vendure', () => {
  test.each([...REFUSALS, PAGE])('answers %s for a minute, and has each order afterwards, once', async (_, script) => {
    const clock = createTestClock()
    await using system = await openVendure(clock, script)
    await awayForAMinute(clock, system, /http-4|no-answer|unreadable-answer/)
  })
})

async function openVendure(clock: TestClock, script: DoorVerdict): Promise<System> {
  await using opened = new AsyncDisposableStack()
  const shop = opened.use(await startStandIn())
  const door = opened.use(await openDoor(shop.url))
  const url = `${door.url}${new URL(shop.url).pathname}`
  const hub = opened.use(await hubWith({ shop: { adapter: 'vendure', ...optionsFor(url) } as never }, clock))
  const open = opened.move()
  return {
    hub,
    name: 'shop',
    send: (no) =>
      hub.post(
        'OmniChannelEndlessAisleOrderCreated',
        endlessAisle({ orderNo: `EA-${no}`, receiptNo: `${2_000 + no}` }),
      ),
    away: () => (door.judge = () => script),
    back: () => (door.judge = () => null),
    arrived: async () => (await shop.orders()).map(({ customFields }) => Number(customFields.posNumber?.slice(3))),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

describe('the platform', () => {
  const statuses = REFUSALS.filter(([name]) => name !== 'resets')

  for (const [name, script] of [...REFUSALS, PAGE])
    test(`answers ${name} for a minute, and has each product and order of the ERP afterwards, once`, async () => {
      const clock = createTestClock()
      await using system = await openPlatform(clock, script, ['products', 'orders'])
      await awayForAMinute(clock, system, /http-4|refused|no-answer|not-json/)
    })

  // Of a sale nobody can ask the platform whether it is there: cut off in the middle, it is held for a person.
  test.each(statuses)('answers %s for a minute, and has each sale of the shop afterwards, once', async (_, script) => {
    const clock = createTestClock()
    await using system = await openPlatform(clock, script, ['sales'])
    await awayForAMinute(clock, system, /http-4/)
  })
})

/** The number of an order that was there before. */
const EARLIER = 9_999

async function openPlatform(
  clock: TestClock,
  script: DoorVerdict,
  resources: ('products' | 'orders' | 'sales')[],
): Promise<System> {
  await using opened = new AsyncDisposableStack()
  const salesLines = [{ identity: TEE.gtin, price: '399.50', qty: 2 }]
  const orderLines = [{ gtin: TEE.gtin, price: '399.50', quantity: '1' }]
  let door: Awaited<ReturnType<typeof openDoor>> | null = null
  const counter = opened.use(
    await openCounter({ clock, random: middle }, async (url) => {
      door = opened.use(await openDoor(url))
      return { baseUrl: door.url }
    }),
  )
  const { hub, platform, submit } = counter
  const play = (next: DoorVerdict) => {
    if (door !== null) door.judge = () => next
  }
  const bodies = {
    products: (no: number) => product(`P-${no}`),
    orders: (no: number) => order(`W-${no}`, { orderLines }),
    sales: (no: number) => sale(`W-${no}`, { salesLines }),
  }
  if (resources.includes('orders')) {
    // Found at a second look, it shows that this platform tells of orders.
    play('silent')
    await submit('orders', bodies.orders(EARLIER))
    await later(hub, clock, () => platform.onlineOrders().length > 0)
    play(null)
    await untilAllDone(hub, clock)
  }
  const open = opened.move()
  return {
    hub,
    name: 'platform',
    async send(no) {
      const resource = resources[no % resources.length] ?? 'products'
      const { status, text } = await submit(resource, bodies[resource](no))
      if (status !== 202) throw new Error(text)
    },
    away: () => play(script),
    back: () => play(null),
    arrived() {
      const numbers = Array.from({ length: 100 }, (_, no) => no)
      return [
        ...numbers.filter((no) => platform.product(`P-${no}`)),
        ...platform.onlineOrders().map(({ body }) => Number(String(body.orderNo).slice(2))),
        ...platform.importedOrders().map(({ orderNo }) => Number(String(orderNo).slice(2))),
      ].filter((no) => no !== EARLIER)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** A database with a sale's tables, a user of the hub's own, and a wire that can be cut. */
interface Database {
  corner: Corner
  proxy: SqlProxy
  user: string
  /** The table of lines: a sale is written to another one before. */
  lines: string
}

interface DatabaseFailure {
  cause: RegExp
  hangs?: true
  begin(database: Database): Promise<() => unknown>
}

const DATABASE: Record<string, DatabaseFailure> = {
  'is off': {
    cause: /unreachable|connection-lost/,
    async begin({ proxy }) {
      proxy.off = true
      return () => {
        proxy.off = false
      }
    },
  },
  'has its table locked': {
    cause: /no-time/,
    hangs: true,
    async begin({ corner }) {
      const locked = await corner.lock('sale_lines')
      return () => locked[Symbol.asyncDispose]()
    },
  },
  'lacks its table': { cause: /no-table/, begin: setAside },
  'has another table in the place of its own': {
    cause: /no-table|bad-table/,
    async begin(database) {
      const { corner, lines } = database
      const putBack = await setAside(database)
      await corner.run(`create table ${lines} (booking_key int)`)
      return async () => {
        await corner.run(`drop table ${lines}`)
        await putBack()
      }
    },
  },
  'lets nobody write': {
    cause: /no-right/,
    async begin({ corner, lines, user }) {
      await corner.run(`revoke insert on ${lines} from ${user}`)
      return () => corner.run(`grant insert on ${lines} to ${user}`)
    },
  },
}

async function setAside({ corner, lines }: Database): Promise<() => Promise<unknown>> {
  const [schema, name] = lines.includes('.') ? lines.split('.') : ['', lines]
  const rejected = `${name}_aside`
  await corner.run(`alter table ${lines} rename to ${rejected}`)
  return () => corner.run(`alter table ${schema && `${schema}.`}${rejected} rename to ${name}`)
}

for (const server of await sqlServers())
  describe.skipIf(server.url === null)(server.why === '' ? server.name : `${server.name} (${server.why})`, () => {
    test.each(Object.entries(DATABASE))('%s for a minute, and has each sale afterwards, once', async (_, outage) => {
      const clock = createTestClock()
      await using system = await openDatabase(server, clock, outage)
      await awayForAMinute(clock, system, outage.cause)
    })
  })

async function openDatabase(server: SqlServer, clock: TestClock, outage: DatabaseFailure): Promise<System> {
  await using opened = new AsyncDisposableStack()
  const corner = opened.use(await server.corner())
  const lines = corner.table('sale_lines')
  await using maker = start(corner)
  await book(maker.port, 'made', saleBooking())
  for (const table of ['sales', 'sale_lines', 'sale_payments']) await corner.run(`delete from ${corner.table(table)}`)

  const user = `hub_${randomUUID().slice(0, 8)}`
  const tables = ['sales', 'sale_lines', 'sale_payments'].map(corner.table)
  opened.defer(async () => {
    for (const statement of server.withoutUser(user)) await corner.run(statement)
  })
  for (const statement of server.user(user, tables)) await corner.run(statement)
  const proxy = opened.use(
    await startSqlProxy(Object.assign(new URL(corner.url), { username: user, password: 'of-the-tests' }).toString()),
  )
  const bi = { adapter: 'sql', ...corner.options, url: proxy.url, createTables: false, only: ['sales'] }
  const hub = opened.use(await hubWith({ bi } as never, clock))
  let end: (() => unknown) | null = null
  opened.defer(async () => void (await end?.()))
  const open = opened.move()
  return {
    hub,
    name: 'bi',
    send: (no) => hub.post('SaleCreated', saleNo(no)),
    async away() {
      end = await outage.begin({ corner, proxy, user, lines })
    },
    async back() {
      await end?.()
      end = null
    },
    async arrived() {
      const rows = await corner.run(`select receipt_no from ${corner.table('sales')}`)
      return rows.map(({ receipt_no }) => Number(receipt_no))
    },
    ...(outage.hangs && { hangs: true }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

describe('a folder that an ERP reads', () => {
  const folder: FolderFailure[] = [
    {
      what: 'is gone',
      begin(path) {
        renameSync(path, `${path}-gone`)
        return () => renameSync(`${path}-gone`, path)
      },
    },
    {
      what: 'is a file',
      begin(path) {
        renameSync(path, `${path}-gone`)
        writeFileSync(path, '')
        return () => {
          rmSync(path)
          renameSync(`${path}-gone`, path)
        }
      },
    },
  ]
  test.each(folder)('$what for a minute, and has each sale afterwards, once', async ({ begin }) => {
    const clock = createTestClock()
    await using erp = openErpFolder()
    const open = async () => ({ folder: erp.path, ...change(erp.path, begin) })
    await using system = await openFolder(clock, erp, await open())
    await awayForAMinute(clock, system, /files-/)
  })

  test.skipIf(noSmallDisk)(
    `lies on a disk that is read-only for a minute, and has each sale afterwards, once${whyNoDisk}`,
    async () => {
      const clock = createTestClock()
      await using disk = mountSmallDisk(4 * 1024 * 1024)
      const erp = erpFolderAt(disk.path)
      const away = () => disk.setReadOnly(true)
      await using system = await openFolder(clock, erp, {
        folder: disk.path,
        away,
        back: () => disk.setReadOnly(false),
      })
      await awayForAMinute(clock, system, /files-/)
    },
  )

  test.skipIf(noSshd)(
    `stands on an SFTP server that is off for a minute, and has each sale afterwards, once${noSshd ? ` (${noSshd})` : ''}`,
    async () => {
      const clock = createTestClock()
      await using erp = openErpFolder()
      await using server = await startSftpServer()
      const { stop, start } = server
      const sftp = server.access(erp.path)
      await using system = await openFolder(clock, erp, { sftp, away: stop, back: start })
      await awayForAMinute(clock, system, /files-/)
    },
  )
})

interface FolderFailure {
  what: string
  begin(path: string): () => void
}

function change(path: string, begin: FolderFailure['begin']) {
  let end = () => {}
  return {
    away: () => {
      end = begin(path)
    },
    back: () => end(),
  }
}

/** `given`: where the folder is, and what begins and ends the outage. */
async function openFolder(
  clock: TestClock,
  erp: Pick<ErpFolder, 'names' | 'read'>,
  { away, back, ...given }: Pick<System, 'away' | 'back'> & Record<string, unknown>,
): Promise<System> {
  const write = { sale: { name: '{kind}-{key}', format: 'json' } }
  const hub = await hubWith({ erp: { adapter: 'files', ...given, write } } as never, clock)
  return {
    hub,
    name: 'erp',
    send: (no) => hub.post('SaleCreated', saleNo(no)),
    away,
    back,
    arrived: () =>
      erp
        .names()
        .flatMap((name) => JSON.parse(erp.read(name)) as { sale: { receiptNo: string } }[])
        .map(({ sale: { receiptNo } }) => Number(receiptNo)),
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}
