import { mkdir, readFile, writeFile } from 'node:fs/promises'
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

/* Recorded events under two configs: which calls a changed one would make, and that nobody hears of it. */

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
  const open = opened.move()
  return { sink, config, hub, sections, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

type Day = Awaited<ReturnType<typeof openDay>>

/** The config as it would be, in a file beside. */
async function changed(config: WrittenConfig, change: (text: string) => string): Promise<string> {
  const path = join(config.folder, 'changed.yaml')
  await writeFile(path, change(await readFile(config.path, 'utf8')))
  return path
}

function replay({ env }: WrittenConfig, ...args: string[]) {
  return tillbridge(['replay', '--shadow', ...args], env)
}

describe('a day that was recorded', () => {
  let day: Day

  // A replay leaves it as it was.
  beforeAll(async () => {
    day = await openDay()
  })
  afterAll(() => day[Symbol.asyncDispose]())

  test('When a changed config sends another kind to a bus, then the diff says which calls come and go, and the bus hears nothing', async () => {
    const { config, sink } = day
    const path = await changed(config, (text) =>
      text.replace('publish: [SaleCreated]', 'publish: [StockMovementCreated]'),
    )
    const connections = sink.received.length

    const { code, out } = await replay(config, '--config', path)

    expect(code).toBe(1)
    expect(out).toContain(`- ${config.path}: 4 calls`)
    expect(out).toContain(`+ ${path}: 3 calls`)
    expect(out).toMatch(/^- bus publish \(publish\.publish\), event 1 SaleCreated about .*: not wanted$/m)
    expect(out).toMatch(/^\+ bus publish \(publish\.publish\), event 3 StockMovementCreated.*: before, not wanted$/m)
    expect(out).toMatch(/^bus +publish +removed +2$/m)
    expect(out).toContain('3 events planned under both. Nothing was carried out.')
    expect(sink.received).toHaveLength(connections)
    const { out: json } = await replay(config, '--config', path, '--json', '--kind', 'StockMovementCreated')
    expect(JSON.parse(json)).toMatchObject({
      events: 1,
      counts: { added: 1, removed: 0, changed: 0 },
      differences: [{ change: 'added', event: 3, destination: 'bus', method: 'publish.publish' }],
    })
  })

  test('When a changed config reads fields elsewhere, then the calls are changed: amounts are shown, people are not', async () => {
    const { config } = day
    const fields = `vatTotal: '100.5'\n      customer: '{"email": "somebody@else.example", "firstName": "Somebody"}'`
    const mapping = `  payloads:\n    SaleCreated:\n      ${fields}\n  webhooks:`
    const path = await changed(config, (text) => text.replace('  webhooks:', mapping))

    const { code, out, err } = await replay(config, '--config', path)

    expect(err).toBe('')
    expect(code).toBe(1)
    // What is published goes on as it came, whatever config maps.
    expect(out).toMatch(/^erp +book-sale +changed +2$/m)
    expect(out).toMatch(/^~ erp book-sale \(backOffice\.bookSale\), event 1 SaleCreated/m)
    expect(out).toMatch(/^ {4}sale\.vatTotal\.amount: 69\.8 → 100\.5$/m)
    expect(out).toMatch(/^ {4}sale\.customer\.email: nothing → … \(21 signs\)$/m)
    const { out: json } = await replay(config, '--config', path, '--json')
    for (const personal of ['somebody@else.example', 'Somebody', 'nordmann', 'Nordmann'])
      expect(out + json).not.toContain(personal)
  })

  test('When a destination is to record only, then its calls are removed, and said to be so', async () => {
    const path = await changed(day.config, (text) => text.replace('adapter: files', 'adapter: files\n    dryRun: true'))

    const { code, out } = await replay(day.config, '--config', path, '--kind', 'SaleCreated', '--limit', '1')

    expect(code).toBe(1)
    expect(out).toMatch(/^- erp book-sale .*: dry run: nothing is sent there$/m)
    expect(out).toContain('… and 1 more (--limit)')
  })

  test('When the same calls would go to another address, then the destination is named, and no value of its options', async () => {
    const path = await changed(day.config, (text) => text.replace(day.sink.url, 'http://127.0.0.1:9/secret-path'))

    const { code, out } = await replay(day.config, '--config', path)

    expect(code).toBe(0)
    expect(out).toContain('The adapter or its options differ: the same calls reach bus otherwise.')
    expect(out).not.toContain('secret-path')
  })

  test('When nothing that matters was changed, then there is no difference, and the end is 0', async () => {
    const path = await changed(day.config, (text) => `${text}\nlog: { level: warn }\n`)

    const { code, out } = await replay(day.config, '--config', path)

    expect(code).toBe(0)
    expect(out).toContain('Both would make the same calls.')
  })
})

test('When a mailer is added, then what it would send of receipts is listed once each, and no address is shown', async () => {
  await using day = await openDay()
  const { config, hub } = day
  await post(hub.url, 'OmniChannelSendReceiptCreated', receipt())
  const path = await changed(
    config,
    (text) => `${text}  post:\n    adapter: smtp\n    url: \${SMTP_URL}\n    from: shop@example.com\n`,
  )

  const { out, err } = await replay(config, '--config', path, '--kind', 'OmniChannelSendReceiptCreated')

  expect(err).toBe('')
  expect(out).toMatch(/^\+ post email-receipt \(email\.send\), event 4 OmniChannelSendReceiptCreated/m)
  expect(out).not.toContain('kari')
})

describe('what is typed', () => {
  test('When --shadow is missing, or no other config is named, or it is wrong, then it says what to type', async () => {
    await using config = await writtenConfig()
    const wrong = await changed(config, (text) => `${text}\ndestinations: { x: { adapter: nothing } }\n`)

    const without = await tillbridge(['replay', '--config', wrong], config.env)
    const alone = await replay(config)
    const broken = await replay(config, '--config', wrong)
    const none = await replay(config, '--config', config.path)

    expect([without.code, alone.code, broken.code, none.code]).toEqual([2, 2, 2, 2])
    expect(without.err).toContain('Say --shadow')
    expect(alone.err).toContain('Name the changed config with --config')
    expect(broken.err).toContain('destinations.x.adapter')
    expect(none.err).toMatch(/There is no .*hub\.db to read yet/)
  })
})

test('When the hub has stopped, then a replay leaves its file as it was, to the byte', async () => {
  await using day = await openDay()
  await day.hub[Symbol.asyncDispose]()
  const file = join(day.config.folder, 'hub.db')
  const before = await readFile(file)
  const path = await changed(day.config, (text) => text.replace('[SaleCreated]', '[StockMovementCreated]'))

  const { out } = await replay(day.config, '--config', path)

  expect(out).toMatch(/^bus +publish +removed +2$/m)
  expect((await readFile(file)).equals(before)).toBe(true)
})

describe.skipIf(SERVER === undefined)(`on PostgreSQL${SERVER === undefined ? `: ${NO_SERVER}` : ''}`, () => {
  test('When the store is a schema of a server, then the diff is the same, and no row in it is changed', async () => {
    await using schema = await migratedSchema()
    await using day = await openDay(schema.url)
    await day.hub[Symbol.asyncDispose]()
    const before = await rowsOf(schema.name)
    const path = await changed(day.config, (text) => text.replace('[SaleCreated]', '[StockMovementCreated]'))

    const { code, out, err } = await replay(day.config, '--config', path)

    expect(err).toBe('')
    expect(code).toBe(1)
    expect(out).toMatch(/^bus +publish +removed +2$/m)
    expect(out).toMatch(/^bus +publish +added +1$/m)
    expect(before).toMatch(/SaleCreated/)
    expect(await rowsOf(schema.name)).toBe(before)
  })
})
