import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { receipt, sale, stockMovement } from '../fixtures/payloads.ts'
import { startWritten, type WrittenConfig, writtenConfig } from '../hub/written.ts'
import { WEBHOOK_TOKEN } from '../hub.ts'
import { startSink } from '../sink.ts'
import { migratedSchema, NO_SERVER, rowsOf, SERVER } from '../store/postgres/schema.ts'
import { tillbridge } from './run.ts'

/* Recorded events under today's config: which calls it would make, and that nobody hears of it. */

const BUS = (url: string, publish: string) => `bus:\n  adapter: http\n  url: ${url}\n  publish: [${publish}]`
const ERP = (folder: string, more = '') =>
  `erp:\n  adapter: files\n  folder: ${join(folder, 'erp')}\n  write: { sale: { name: '{key}', format: json } }${more}`

async function post(url: string, kind: string, body: unknown): Promise<void> {
  const answer = await request(`${url}/webhooks/${kind}?token=${WEBHOOK_TOKEN}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await answer.body.dump()
  expect(answer.statusCode).toBe(202)
}

/** A bus and an ERP that have had two sales and a movement; `store`: where the hub keeps them. */
async function openDay(store?: string) {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(await startSink())
  const config = opened.use(await writtenConfig())
  await mkdir(join(config.folder, 'erp'))
  const sections = {
    ...(store !== undefined && { store: `url: ${store}` }),
    destinations: `${BUS(sink.url, 'SaleCreated')}\n${ERP(config.folder)}`,
  }
  await config.write(sections)
  const hub = opened.use(await startWritten(config.env))
  await post(hub.url, 'SaleCreated', sale())
  await post(hub.url, 'SaleCreated', sale({ receiptNo: '1002' }))
  await post(hub.url, 'StockMovementCreated', stockMovement())
  await eventually(() => sink.received.length === 2)
  await eventually(async () => (await readdir(join(config.folder, 'erp'))).filter(isBooked).length === 2)
  const open = opened.move()
  return { sink, config, hub, sections, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const isBooked = (name: string) => name.endsWith('.json')

type Day = Awaited<ReturnType<typeof openDay>>

/** The environment that names a changed config, in a file beside. */
async function changed({ env, folder, path }: WrittenConfig, change: (text: string) => string) {
  const other = join(folder, 'changed.yaml')
  await writeFile(other, change(await readFile(path, 'utf8')))
  return { ...env, TILLBRIDGE_CONFIG: other }
}

function replay(env: WrittenConfig['env'], ...args: string[]) {
  return tillbridge(['replay', '--dry-run', ...args], env)
}

describe('a day that was recorded', () => {
  let day: Day

  // A replay leaves it as it was.
  beforeAll(async () => {
    day = await openDay()
  })
  afterAll(() => day[Symbol.asyncDispose]())

  test('When recorded sales are replayed, then each call is printed with its fields, and nobody hears of it', async () => {
    const { config, sink } = day
    const heard = sink.received.length
    const files = await readdir(join(config.folder, 'erp'))
    const { code, out, err } = await replay(config.env, '--kind', 'SaleCreated')
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^event 1 SaleCreated$/m)
    expect(out).toMatch(/^ {2}bus publish \(publish\.publish\) about sale:101\/3\/1001\/2026-11-20$/m)
    expect(out).toMatch(/^ {2}erp book-sale \(backOffice\.bookSale\) about sale:101\/3\/1002\/2026-11-20$/m)
    expect(out).toMatch(/^ {4}sale\.vatTotal\.amount: 69\.8$/m)
    expect(out).toContain('2 events planned, 4 calls would be sent. Nothing was sent.')
    expect(sink.received).toHaveLength(heard)
    expect(await readdir(join(config.folder, 'erp'))).toEqual(files)
  })

  test('When a changed config sends another kind to a bus, then its calls are those that are printed', async () => {
    const env = await changed(day.config, (text) =>
      text.replace('publish: [SaleCreated]', 'publish: [StockMovementCreated]'),
    )
    const { out } = await replay(env, '1', '3')
    expect(out).not.toMatch(/bus publish \(publish\.publish\) about sale/)
    expect(out).toMatch(/^event 3 StockMovementCreated$/m)
    expect(out).toMatch(/^ {2}bus publish \(publish\.publish\) about stock/m)
  })

  test('When a changed config reads fields elsewhere, then the calls have them: amounts are shown, people are not', async () => {
    const fields = `vatTotal: '100.5'\n      customer: '{"email": "somebody@else.example", "firstName": "Somebody"}'`
    const mapping = `  payloads:\n    SaleCreated:\n      ${fields}\n  webhooks:`
    const env = await changed(day.config, (text) => text.replace('  webhooks:', mapping))
    const { code, out, err } = await replay(env, '--kind', 'SaleCreated')
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^ {4}sale\.vatTotal\.amount: 100\.5$/m)
    expect(out).toMatch(/^ {4}sale\.customer\.email: … \(21 signs\)$/m)
    const { out: json } = await replay(env, '--kind', 'SaleCreated', '--json')
    for (const personal of ['somebody@else.example', 'Somebody', 'nordmann', 'Nordmann'])
      expect(out + json).not.toContain(personal)
  })

  test('When a destination is to record only, then its calls are said to be recorded, not sent', async () => {
    const env = await changed(day.config, (text) => text.replace('adapter: files', 'adapter: files\n    dryRun: true'))
    const { out } = await replay(env, '--kind', 'SaleCreated', '--limit', '1')
    expect(out).toMatch(/^ {2}erp book-sale .*: dryRun: it would be recorded, not sent$/m)
    expect(out).toContain('1 event planned, 1 call would be sent. Nothing was sent.')
    expect(out).toContain('There are more events: --limit.')
  })
})

test('When a mailer is added, then what it would send of receipts is printed once each, and no address is shown', async () => {
  await using day = await openDay()
  const { config, hub } = day
  await post(hub.url, 'OmniChannelSendReceiptCreated', receipt())
  const env = await changed(
    config,
    (text) => `${text}  post:\n    adapter: smtp\n    url: \${SMTP_URL}\n    from: shop@example.com\n`,
  )
  const { out, err } = await replay(env, '--kind', 'OmniChannelSendReceiptCreated')
  expect(err).toBe('')
  expect(out.match(/^ {2}post email-receipt \(email\.send\)/gm)).toHaveLength(1)
  expect(out).toMatch(/^ {4}to: … \(\d+ signs\)$/m)
  expect(out).not.toContain('kari')
})

test('When the hub has stopped, then a replay leaves its file as it was, to the byte', async () => {
  await using day = await openDay()
  await day.hub[Symbol.asyncDispose]()
  const file = join(day.config.folder, 'hub.db')
  const before = await readFile(file)
  const { out } = await replay(day.config.env, '--since', '1d')
  expect(out).toContain('3 events planned')
  expect((await readFile(file)).equals(before)).toBe(true)
})

describe.skipIf(SERVER === undefined)(`on PostgreSQL${SERVER === undefined ? `: ${NO_SERVER}` : ''}`, () => {
  test('When the storage is a schema of a server, then the calls are the same, and no row in it is changed', async () => {
    await using schema = await migratedSchema()
    await using day = await openDay(schema.url)
    await day.hub[Symbol.asyncDispose]()
    const before = await rowsOf(schema.name)
    const { code, out, err } = await replay(day.config.env, '--kind', 'SaleCreated')
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('2 events planned, 4 calls would be sent. Nothing was sent.')
    expect(before).toMatch(/SaleCreated/)
    expect(await rowsOf(schema.name)).toBe(before)
  })
})
