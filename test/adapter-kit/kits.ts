import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { parse } from 'yaml'
import files from '../../packages/tillbridge-adapter-files/src/files.ts'
import { openErpFolder } from '../../packages/tillbridge-adapter-files/test/kit.ts'
import { noSshd, startSftpServer } from '../../packages/tillbridge-adapter-files/test/sshd.ts'
import http from '../../packages/tillbridge-adapter-http/src/http.ts'
import rest from '../../packages/tillbridge-adapter-rest/src/rest.ts'
import { startHubSpot } from '../../packages/tillbridge-adapter-rest/test/hubspot-peer.ts'
import smsHttp from '../../packages/tillbridge-adapter-sms-http/src/sms-http.ts'
import smtp from '../../packages/tillbridge-adapter-smtp/src/smtp.ts'
import { type SmtpScript, startSmtpPeer } from '../../packages/tillbridge-adapter-smtp/test/peer.ts'
import sql from '../../packages/tillbridge-adapter-sql/src/sql.ts'
import { everyBooking } from '../../packages/tillbridge-adapter-sql/test/bookings.ts'
import { startSqlProxy } from '../../packages/tillbridge-adapter-sql/test/proxy.ts'
import { type SqlServer, sqlServers } from '../../packages/tillbridge-adapter-sql/test/servers.ts'
import vendure from '../../packages/tillbridge-adapter-vendure/src/vendure.ts'
import { startStandIn } from '../../packages/tillbridge-adapter-vendure/test/kit.ts'
import woocommerce from '../../packages/tillbridge-adapter-woocommerce/src/woocommerce.ts'
import {
  GTIN,
  KEY,
  PRODUCTS,
  place,
  orderOf as wooOrder,
} from '../../packages/tillbridge-adapter-woocommerce/test/kit.ts'
import { startShop } from '../../sandbox/shop/shop.ts'
import type { AdapterKit, Fault, KitSystem } from '../../src/adapter-kit/kit.ts'
import type { Adapter } from '../../src/adapters/adapter.ts'
import { BOOKING_NAMES, type BookingName } from '../../src/domain/accounting/bookings.ts'
import { RECORDS } from '../adapters/records.ts'
import { startOms } from '../peers/oms/oms.ts'
import { callsAbout, vendureKit } from './vendure-kit.ts'

/** An adapter of ours, and what it is proven against. */
export interface OwnKit {
  name: string
  adapter: Adapter
  kit: AdapterKit
  /** `the real server: …`, or `emulator only: …`. */
  against: string
  /** Why it cannot run on this machine; null: it can. */
  missing: string | null
}

const AT = 'http://kit.invalid'

/** Options that were read once, for a system at another address. */
function movedTo(options: object, url: string): Record<string, unknown> {
  return JSON.parse(JSON.stringify(options).replaceAll(AT, url))
}

/** Records of each kind. */
const BOOKINGS = Object.fromEntries(BOOKING_NAMES.map((name) => [`backOffice.${name}`, () => RECORDS[name]]))

/** A receiver that does as docs/adapters/http.md says: it takes each `webhook-id` once. */
const receiver: AdapterKit = {
  statusAlone: { 'publish.publish': 'a receiver is of any make, and its 2xx is its word' },
  async start() {
    const seen = new Set<unknown>()
    return await serve(
      (request) => {
        seen.add(request.headers['webhook-id'])
        return { status: 200, body: '' }
      },
      { options: (url) => ({ url }), effects: () => seen.size },
    )
  },
}

const omsOptions = pageOptions('home-made-oms', { OMS_URL: AT, OMS_CLIENT_SECRET: 'secret-of-the-oms' })

const line = [{ id: 1, gtin: GTIN, name: 'T-shirt', qty: 2, price: '349' }]

/** Two orders were placed there; the hub knows their ids. */
const omsKit: AdapterKit = {
  isRead: ({ url }) => url === '/oauth/token',
  calls: callsAbout((n) => `A${n}`, '1'),
  statusAlone: Object.fromEntries(
    ['stock.setLevels', 'orders.ready', 'orders.collected', 'orders.expire', 'orders.decline'].map((call) => [
      ...[call, 'config reads nothing of the answer, but that it is no page'],
    ]),
  ),
  async start() {
    const oms = await startOms()
    const placed = ['A1', 'A2'].map((number) => oms.place({ number, lines: line }))
    const ids = new Map(placed.map(({ number, id }) => [number, String(id)]))
    const inState = (state: string) => placed.filter(({ status }) => status === state).length
    const listed = (name: 'declines' | 'parcels' | 'refunds') => placed.flatMap((order): object[] => order[name]).length
    const counts: Record<string, () => number> = {
      'orders.create': () => oms.orders().length - placed.length,
      'orders.ready': () => inState('ready'),
      'orders.collected': () => inState('collected'),
      'orders.expire': () => inState('expired'),
      'orders.decline': () => listed('declines'),
      'orders.ship': () => listed('parcels'),
      'orders.refund': () => listed('refunds'),
      'orders.noteRefund': () => listed('refunds'),
      'customers.upsert': () => oms.customers().length,
      'stock.setLevels': () => oms.levels().size,
    }
    return {
      url: oms.url,
      options: (url) => movedTo(omsOptions, url),
      effects: (call) => counts[call]?.() ?? 0,
      links: async (kind, numbers) =>
        numbers
          .flatMap((id) => ({ destination: 'kit', kind, id, theirId: ids.get(id) ?? '' }))
          .filter(({ theirId }) => theirId !== ''),
      [Symbol.asyncDispose]: () => oms[Symbol.asyncDispose](),
    }
  },
}

const TOKEN = 'pat-eu1-of-the-tests'
const hubSpotOptions = { ...pageOptions('hubspot', { HUBSPOT_TOKEN: TOKEN }), url: AT }

const hubSpotKit: AdapterKit = {
  isRead: ({ url }) => url.endsWith('/search'),
  async start() {
    const hubspot = await startHubSpot(TOKEN)
    return {
      url: hubspot.url,
      options: (url) => movedTo(hubSpotOptions, url),
      effects: () => hubspot.contacts.length,
      [Symbol.asyncDispose]: () => hubspot[Symbol.asyncDispose](),
    }
  },
}

const SID = `AC${'0'.repeat(32)}`
const TWILIO = {
  ...{ TWILIO_ACCOUNT_SID: SID, TWILIO_AUTHORIZATION: `Basic ${btoa('SK123:secret')}` },
  TWILIO_MESSAGING_SERVICE_SID: `MG${'1'.repeat(32)}`,
}
const twilioOptions = pageOptions('twilio', TWILIO)

const twilioKit: AdapterKit = {
  mayRepeat: 'Twilio has no idempotency key: a customer may get a second copy',
  statusAlone: { 'texts.send': 'config says by `failWhen` what in an answer is a failure' },
  async start() {
    const texts: string[] = []
    return await serve(
      (_, body) => {
        texts.push(body)
        return { status: 201, body: JSON.stringify({ sid: `SM${'2'.repeat(32)}`, status: 'queued', error_code: null }) }
      },
      {
        options: (url) => JSON.parse(JSON.stringify(twilioOptions).replaceAll('https://api.twilio.com', url)),
        effects: () => texts.length,
      },
    )
  },
}

const MAIL_FAULTS: Readonly<Partial<Record<Fault, SmtpScript>>> = {
  'time-out after success': { at: 'message', do: 'inactivity' },
  'answer lost': { at: 'message', do: 'close' },
  'request lost': { at: 'data', do: 'close' },
  '429 with Retry-After': { at: 'rcpt', reply: '450 4.7.1' },
  'answer 500': { at: 'rcpt', reply: '451 4.3.0' },
  'answer 503': { at: 'greeting', reply: '421 4.3.2' },
  'answer 401': { at: 'auth', reply: '535 5.7.8' },
  'HTML instead of an answer': { at: 'greeting', reply: '<html>' },
  'empty answer': { at: 'greeting', do: 'close' },
  'JSON of another shape': { at: 'message', reply: '{"unexpected":true}' },
}

const mailKit: AdapterKit = {
  mayRepeat: 'a second copy has the same Message-ID',
  async start() {
    const peer = await startSmtpPeer()
    const mails = () => peer.calls.filter(({ line }) => line === 'message')
    return {
      options: () => ({ url: peer.address.replace('//', '//pos:password@'), from: 'no-reply@shop.example' }),
      effects: () => mails().length,
      fault(name, executed) {
        peer.play(name ? (MAIL_FAULTS[name] ?? 'accept') : 'accept')
        const before = mails().length
        if (name === 'time-out after success') void peer.until(() => mails().length > before).then(executed)
        return true
      },
      [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
    }
  },
}

const WRITTEN = Object.fromEntries(
  BOOKING_NAMES.map((name) => [`${name.slice(4, 5).toLowerCase()}${name.slice(5)}`, { format: 'json' }]),
)

const folderKit: AdapterKit = {
  calls: BOOKINGS,
  async start() {
    const folder = openErpFolder()
    return {
      options: () => ({ folder: folder.path, write: WRITTEN }),
      effects: () => folder.names().length,
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    }
  },
}

const sftpKit: AdapterKit = {
  calls: { 'backOffice.bookSale': () => RECORDS.bookSale, 'backOffice.bookCount': () => RECORDS.bookCount },
  async start() {
    const folder = openErpFolder()
    const server = await startSftpServer()
    const access = server.access(folder.path)
    const proxy = await startSqlProxy(`sftp://${access.host}:${access.port}`)
    const sftp = { ...access, host: '127.0.0.1', port: Number(new URL(proxy.url).port) }
    return {
      options: () => ({ sftp, write: { sale: { format: 'json' }, count: { format: 'json' } } }),
      effects: () => folder.names().length,
      fault(name) {
        proxy.off = name === 'answer 503'
        return name === null || name === 'answer 503'
      },
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await server[Symbol.asyncDispose]()
        await folder[Symbol.asyncDispose]()
      },
    }
  },
}

const TABLES: Readonly<Record<BookingName, string>> = {
  ...{ bookSale: 'sales', bookInvoice: 'invoices', bookSettlement: 'settlements', bookReceived: 'received_goods' },
  ...{
    bookCost: 'cost_changes',
    bookDelivery: 'deliveries',
    bookMovement: 'stock_movements',
    bookCount: 'stock_counts',
  },
  ...{ bookAdjustment: 'adjustments', bookTransfer: 'transfers', bookGiftCard: 'gift_card_transactions' },
  ...{ bookTerminal: 'terminal_reconciliations', bookReservation: 'reservations' },
}

function sqlKit(server: SqlServer): AdapterKit {
  const all = everyBooking()
  return {
    calls: Object.fromEntries(BOOKING_NAMES.map((name) => [`backOffice.${name}`, () => all[name]])),
    async start() {
      const corner = await server.corner()
      const proxy = await startSqlProxy(corner.url)
      return {
        options: () => ({ ...corner.options, url: proxy.url }),
        async effects(call) {
          const table = TABLES[call.replace('backOffice.', '') as BookingName]
          // It makes its tables with the first record.
          const rows = await corner.run(`select booking_key from ${corner.table(table)}`).catch(() => [])
          return rows.length
        },
        fault(name) {
          proxy.off = name === 'answer 503'
          if (name === 'answer lost') proxy.cutAfter('tillbridge')
          return name === null || name === 'answer 503' || name === 'answer lost'
        },
        async [Symbol.asyncDispose]() {
          await proxy[Symbol.asyncDispose]()
          await corner[Symbol.asyncDispose]()
        },
      }
    },
  }
}

const wooNumbers: string[] = []

/** Two orders were placed there. */
const wooKit: AdapterKit = {
  calls: {
    ...callsAbout((n) => wooNumbers[n - 1] ?? ''),
    'orders.create': (n) => wooOrder([{}], { orderNo: `EA-${n}`, receiptNo: `${1000 + n}` }),
    'orders.draft': (n) => wooOrder([{}], { orderNo: `EA-${n}`, receiptNo: `${1000 + n}` }),
  },
  async start() {
    const [shirt, ...others] = PRODUCTS as [(typeof PRODUCTS)[0] & object, ...typeof PRODUCTS]
    const shop = await startShop({ ...KEY, products: [{ ...shirt, stock: 20 }, ...others] })
    for (const n of [0, 1]) wooNumbers[n] = await place(shop, { line_items: [{ product_id: 11, quantity: 2 }] })
    const placed = () => shop.orders().slice(0, 2)
    const made = (isPaid: boolean) =>
      shop
        .orders()
        .slice(2)
        .filter(({ datePaid }) => (datePaid !== null) === isPaid).length
    const notes = (beginning: RegExp) =>
      placed().flatMap(({ notes }) => notes.filter((note) => beginning.test(note))).length
    const refunds = () => placed().flatMap((order) => order.refunds).length
    const counts: Record<string, () => number> = {
      'orders.create': () => made(true),
      'orders.draft': () => made(false),
      'orders.ready': () => notes(/is ready for you/),
      'orders.collected': () => notes(/to Completed/),
      'orders.expire': refunds,
      'orders.ship': () => notes(/^Parcel/),
      ...{ 'orders.decline': refunds, 'orders.refund': refunds, 'orders.noteRefund': refunds },
      'customers.upsert': () => shop.customers().length,
      'stock.setLevels': () => shop.products().filter(({ stock }) => stock === 7).length,
    }
    return {
      url: shop.url,
      options: (url) => ({ url, ...KEY }),
      effects: (call) => counts[call]?.() ?? 0,
      [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
    }
  },
}

const [postgres, maria] = (await sqlServers()) as [SqlServer, SqlServer]

export const KITS: readonly OwnKit[] = [
  of('http', http, receiver, 'emulator only: a receiver as its page describes it'),
  of('rest (home-made OMS)', rest, omsKit, 'emulator only: an OMS of our own'),
  of('rest (HubSpot)', rest, hubSpotKit, 'emulator only: HubSpot’s public reference'),
  of('sms-http (Twilio)', smsHttp, twilioKit, 'emulator only: Twilio’s public reference'),
  of(
    'smtp',
    smtp,
    mailKit,
    'proven against the real server: smtp-server, and a page of receipts; this table: a server of RFC 5321 with faults',
  ),
  of(
    'files (folder)',
    files,
    folderKit,
    'proven against the real server: a file system, killed at every step (`every-step.soak.ts`)',
  ),
  of('files (SFTP)', files, sftpKit, 'proven against the real server: OpenSSH (`sftp.slow.test.ts`)', noSshd),
  of(
    'sql (PostgreSQL)',
    sql,
    sqlKit(postgres),
    'proven against the real server: PostgreSQL',
    postgres.url ? null : postgres.why,
  ),
  of('sql (MariaDB)', sql, sqlKit(maria), 'proven against the real server: MariaDB', maria.url ? null : maria.why),
  of(
    'vendure',
    vendure,
    vendureKit(startStandIn),
    'proven against the real server: Vendure (`npm run test:vendure`: its stories, and `create` by this kit); this table: emulator',
  ),
  of('woocommerce', woocommerce, wooKit, 'emulator only: WooCommerce’s public reference and sources'),
]

function of(name: string, adapter: Adapter, kit: AdapterKit, against: string, missing: string | null = null): OwnKit {
  return { name, adapter, kit, against, missing }
}

/** The options of the destination that a page of docs/adapters shows. */
function pageOptions(page: string, env: Record<string, string>): object {
  const text = readFileSync(`docs/adapters/${page}.md`, 'utf8')
  const [, yaml = ''] = /```yaml\n(destinations:.*?)```/s.exec(text) ?? []
  const filled = yaml.replace(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? '')
  const [destination = {}] = Object.values<object>(parse(filled).destinations)
  const shared = ['adapter', 'messages', 'publish', 'channels', 'stocks', 'accounts', 'intake', 'queue', 'lookups']
  return Object.fromEntries(Object.entries(destination).filter(([name]) => !shared.includes(name)))
}

type Answer = (request: { headers: Record<string, unknown> }, body: string) => { status: number; body: string }

async function serve(answer: Answer, system: Pick<KitSystem, 'options' | 'effects'>): Promise<KitSystem> {
  const server = createServer(async (request, response) => {
    const { status, body } = answer(request, String(await buffer(request)))
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    ...system,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
