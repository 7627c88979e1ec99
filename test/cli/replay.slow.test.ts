import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/shared/exit.ts'
import { startWritten, type WrittenConfig, writtenConfig } from '../app/written.ts'
import { writeEmptyStore } from '../empty-store.ts'
import { eventually } from '../eventually.ts'
import { receipt, sale, stockMovement } from '../fixtures/payloads.ts'
import { WEBHOOK_TOKEN } from '../hub.ts'
import { startSink } from '../sink.ts'
import { migratedSchema, NO_SERVER, rowsOf, SERVER, temporarySchema } from '../storage/postgres/schema.ts'
import { tillbridge } from './run.ts'

/* Recorded events under today's config: which calls it would make, and that none is sent. */

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

  test('each call of recorded sales is printed with its fields, and none is sent', async () => {
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

  test('a config that sends another kind to a bus has its calls printed', async () => {
    const env = await changed(day.config, (text) =>
      text.replace('publish: [SaleCreated]', 'publish: [StockMovementCreated]'),
    )
    const { out } = await replay(env, '1', '3')
    expect(out).not.toMatch(/bus publish \(publish\.publish\) about sale/)
    expect(out).toMatch(/^event 3 StockMovementCreated$/m)
    expect(out).toMatch(/^ {2}bus publish \(publish\.publish\) about stock/m)
  })

  test('fields that a changed config maps are in the calls: amounts shown, personal data masked', async () => {
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

  test('calls to a destination in dryRun are recorded, not sent', async () => {
    const env = await changed(day.config, (text) => text.replace('adapter: files', 'adapter: files\n    dryRun: true'))
    const { out } = await replay(env, '--kind', 'SaleCreated', '--limit', '1')
    expect(out).toMatch(/^ {2}erp book-sale .*: dryRun: it would be recorded, not sent$/m)
    expect(out).toContain('1 event planned, 1 call would be sent. Nothing was sent.')
    expect(out).toContain('There are more events: --limit.')
  })
})

test('a mailer that a config adds has each receipt printed once, without addresses', async () => {
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

test('an event in quarantine is planned with the mapping that makes it readable', async () => {
  await using day = await openDay()
  const { receiptNo: slip, ...without } = sale({ receiptNo: '1003' })
  await post(day.hub.url, 'SaleCreated', { ...without, slip })
  const left = '0 events planned, 0 calls would be sent; 1 could not be planned'
  expect((await replay(day.config.env, '4')).out).toContain(left)
  const mapping = '  payloads:\n    SaleCreated: { receiptNo: slip }\n  webhooks:'
  const env = await changed(day.config, (text) => text.replace('  webhooks:', mapping))
  const { out } = await replay(env, '4')
  expect(out).toMatch(/^ {2}erp book-sale \(backOffice\.bookSale\) about sale:101\/3\/1003\/2026-11-20$/m)
})

test('without --dry-run, without events, or without a storage to read, it ends with 2 and makes nothing', async () => {
  await using config = await writtenConfig()
  const input = (err: string) => ({ code: EXIT.input, err: expect.stringContaining(err) })
  expect(await tillbridge(['replay', '1'], config.env)).toMatchObject(input('Say --dry-run'))
  expect(await replay(config.env)).toMatchObject(input('Say which events'))
  expect(await replay(config.env, '--since', '1d', '--until', '2d')).toMatchObject(input('after --until'))
  expect(await replay(config.env, '1')).toMatchObject(input('to read yet'))
  expect(await readdir(config.folder)).toEqual(['tillbridge.yaml'])
})

test.each([
  ['older', 'delete from __drizzle_migrations'],
  ['newer', "insert into __drizzle_migrations (hash, created_at) values ('later', 1)"],
])('a storage of an %s Tillbridge is not read', async (version, change) => {
  await using config = await writtenConfig()
  const path = join(config.folder, 'hub.db')
  await writeEmptyStore(path)
  const db = new Database(path)
  db.exec(change)
  db.close()
  const { code, err } = await replay(config.env, '1')
  expect([code, err]).toEqual([EXIT.input, expect.stringMatching(`hub.db .* ${version} Tillbridge`)])
})

test('a replay beside no hub leaves the file as it was, to the byte', async () => {
  await using day = await openDay()
  await day.hub[Symbol.asyncDispose]()
  const file = join(day.config.folder, 'hub.db')
  const before = await readFile(file)
  const { out } = await replay(day.config.env, '--since', '1d')
  expect(out).toContain('3 events planned')
  expect((await readFile(file)).equals(before)).toBe(true)
})

describe.skipIf(SERVER === undefined)(`on PostgreSQL${SERVER === undefined ? `: ${NO_SERVER}` : ''}`, () => {
  test('the calls are the same, and no row of the schema is changed', async () => {
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

  test('a schema that is not there, or a server that does not answer, ends it with 2', async () => {
    await using schema = await temporarySchema()
    await using config = await writtenConfig({ store: `url: ${schema.url}` })
    expect(await replay(config.env, '1')).toMatchObject({ code: EXIT.input, err: expect.stringContaining(schema.name) })
    await config.write({ store: 'url: postgres://127.0.0.1:1/none' })
    expect(await replay(config.env, '1')).toMatchObject({
      code: EXIT.input,
      err: expect.stringContaining('cannot be used'),
    })
  })
})
