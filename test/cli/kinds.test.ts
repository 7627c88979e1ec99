import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type SandboxPlatform, startPlatform } from '../../sandbox/platform/platform.ts'
import type { Status } from '../../src/admin/health.ts'
import { Payloads } from '../../src/config/sections.ts'
import { evaluate } from '../../src/lib/jsonata.ts'
import { mapped } from '../../src/platform/payloads/mapping/mapping.ts'
import { unreadOf } from '../../src/platform/payloads/unread.ts'
import { toldBy } from '../admin/health-kit.ts'
import { eventually } from '../eventually.ts'
import { ADMIN_TOKEN, createFolder, deliveriesOf, startTestHub, type TestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { asItIs, type ChangedAnswers, startChangedAnswers } from '../platform/operations/changed-answers.ts'
import { startPlatformServer } from '../platform/server.ts'
import { asking, tillbridge } from './run.ts'

/* What the hub knows of each kind, and what a config would make of payloads that it keeps. */

const GIFT_CARD = 'GiftCardTransactionCreated'

/** As a platform may call the fields of a gift card; nothing of it is a name that the hub looks for but three. */
function giftCard(given: object = {}) {
  return {
    transactionId: 930_001,
    currency: 'NOK',
    createdDateTime: '2026-11-20T14:03:27',
    Shop: { number: '101' },
    Transaction: { Amount: '600.00', Direction: 'out' },
    email: 'kari@example.com',
    ...given,
  }
}

function schemaOf(properties: Record<string, unknown>) {
  return { type: 'object', properties }
}

const text = { type: 'string' }
const SCHEMA = {
  transactionId: { type: 'integer' },
  id: { type: 'integer' },
  currency: text,
  createdDateTime: text,
  Shop: schemaOf({ number: text }),
  Transaction: schemaOf({ Amount: { type: 'number' }, Direction: text }),
}

/** A hub with an ERP that books gift cards, and its platform. */
async function openShop(schemas: unknown[]) {
  await using opened = new AsyncDisposableStack()
  const server = opened.use(await startPlatformServer())
  server.play({ body: [] })
  server.play({ body: [GIFT_CARD] }, '/api/WebhooksTypes')
  server.play(
    schemas.map((body) => ({ body })),
    `/api/WebhooksTypes/${GIFT_CARD}/schema`,
  )
  const { path: folder } = opened.use(await createFolder())
  await mkdir(join(folder, 'erp'))
  const erp = { adapter: 'files', folder: join(folder, 'erp'), write: { giftCard: { name: '{key}', format: 'json' } } }
  const platform = { baseUrl: server.url, apiKey: 'key', subscriptionKey: 'key', dryRun: true }
  const hub = opened.use(await startTestHub({ destinations: { erp }, config: { platform } }))
  const open = opened.move()
  return { hub, folder, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

async function ranSchemas(hub: TestHub) {
  const { body } = await hub.ask<{ note: string }>('/admin/jobs/schemas/run', {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  return body.note
}

test('When the platform has told its schema, then each kind is a line: known from where, found, in doubt, absent, held', async () => {
  await using shop = await openShop([schemaOf(SCHEMA)])
  const run = asking(shop.hub)
  await ranSchemas(shop.hub)
  await shop.hub.post(GIFT_CARD, giftCard())
  await eventually(async () => expect((await deliveriesOf(shop.hub)).map(({ state }) => state)).toEqual(['held']))
  const { code, out } = await run('kinds')
  expect(code).toBe(0)
  expect(out).toMatch(/^kind +known from +schema +found +ambiguous +absent +mapped +held$/m)
  expect(out).toMatch(/^SaleCreated +spec +not known$/m)
  expect(out).toMatch(/^POSSettlementCreated +public +not known$/m)
  expect(out).toMatch(
    /^GiftCardTransactionCreated +schema, guess +\d{4}-\d\d-\d\d +2 +transactionId +storeNo posId amount \+\d+ +1 held$/m,
  )
  const { kinds } = JSON.parse((await run('kinds', '--json')).out)
  expect(kinds).toHaveLength(27)
})

test('When a kind is shown, then what is like an absent field is named, with the command that writes a mapping, and how its schema changed', async () => {
  const { currency: _, ...after } = SCHEMA
  await using shop = await openShop([schemaOf(SCHEMA), schemaOf({ ...after, id: text, valuta: text })])
  const run = asking(shop.hub)
  await ranSchemas(shop.hub)
  expect(await ranSchemas(shop.hub)).toContain(`gone since last time: ${GIFT_CARD}.currency`)
  const { out } = await run('kinds', 'show', GIFT_CARD)
  expect(out).toMatch(/^ {2}\d{4}-\d\d-\d\d: currency gone; valuta new; id \(number, now text\) of another type$/m)
  expect(out).toMatch(/^amount +number +yes +amount +guess.* absent; like it: Transaction\.Amount$/m)
  expect(out).toMatch(/^transactionId +id +yes .* ambiguous: transactionId, id$/m)
  expect(out).toContain(`To do: tillbridge kinds propose ${GIFT_CARD} writes lines for the config.`)
  expect(await run('kinds', 'show', 'GiftCardTransactionCreate')).toMatchObject({
    code: 2,
    err: expect.stringContaining(`Did you mean "${GIFT_CARD}"?`),
  })
})

test('When an operator acknowledges a kind, then its schema change is not told any more, and the audit says who and why', async () => {
  const { currency: _, ...after } = SCHEMA
  await using shop = await openShop([schemaOf(SCHEMA), schemaOf(after)])
  const run = asking(shop.hub)
  await ranSchemas(shop.hub)
  await ranSchemas(shop.hub)
  const reported = async () => (await toldBy(shop.hub)).filter(({ area }) => area === 'schema').map(({ name }) => name)
  expect(await reported()).toEqual([GIFT_CARD])
  const acknowledged = await run('kinds', 'acknowledge', GIFT_CARD, '--reason', 'the new release')
  expect(acknowledged.out).toBe(`What has changed of ${GIFT_CARD} until now is acknowledged.\n`)
  expect(await reported()).toEqual([])
  expect((await run('kinds', 'show', GIFT_CARD)).out).toMatch(/^Acknowledged until .* by .*: the new release\.$/m)
  expect((await run('audit', 'list', '--action', 'acknowledge-kind')).out).toContain('the new release')
  expect((await run('kinds', 'acknowledge', 'SaleCreatd')).err).toContain('Nothing is known of the kind "SaleCreatd".')
})

/* A mapping that is written from the platform's own schemas. */

const proposedText = { type: 'string' }
const number = { type: 'number' }
const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })
const list = (properties: Record<string, unknown>) => ({ type: 'array', items: object(properties) })

/** Schemas of a platform that follows the specification, and calls fields otherwise. */
const STRANGE: Record<string, unknown> = {
  POSSettlementCreated: object({
    SettlementIdentifier: { type: 'integer' },
    CurrencyCode: proposedText,
    ShopNumber: proposedText,
    ClosedAt: proposedText,
    Grand_Total: number,
  }),
  CustomerCreated: object({
    ClientNumber: proposedText,
    MemberId: { type: 'integer' },
    EmailAddress: proposedText,
    GivenName: proposedText,
  }),
  StockReservationCreated: object({
    ReservationNo: proposedText,
    WarehouseId: { type: 'integer' },
    Barcode: proposedText,
    Units: number,
    CreatedOn: proposedText,
  }),
  ProductTransferCreated: object({
    TransferKey: proposedText,
    Source: object({ WarehouseId: proposedText }),
    Target: object({ WarehouseId: proposedText }),
    'sent-at': proposedText,
    Rows: list({ EAN: proposedText, Pieces: number }),
  }),
  GiftCardTransactionCreated: object({ Reference: proposedText, Memo: proposedText, Delta: number, Balance: number }),
}

async function proposed(schemas: Record<string, unknown>, args: string[] = [], payloads = '{}') {
  await using server = await startPlatformServer()
  server.play({ body: Object.keys(schemas) }, '/api/WebhooksTypes')
  for (const [kind, body] of Object.entries(schemas)) server.play({ body }, `/api/WebhooksTypes/${kind}/schema`)
  return await propose(server.url, args, payloads)
}

async function propose(baseUrl: string, args: string[] = [], payloads = '{}') {
  await using folder = await createFolder()
  const file = join(folder.path, 'hub.yaml')
  await writeFile(
    file,
    `server: { adminToken: "\${ADMIN}" }
platform: { baseUrl: "${baseUrl}", apiKey: "\${API_KEY}", subscriptionKey: "\${SUBSCRIPTION_KEY}", webhooks: { tokens: ["\${ADMIN}"] }, payloads: ${payloads} }
`,
  )
  return await tillbridge(['kinds', 'propose', ...args, '--config', file], {
    ADMIN: 'x'.repeat(32),
    API_KEY: 'key-of-the-user',
    SUBSCRIPTION_KEY: 'key-of-the-company',
  })
}

test('a mapping that is proposed for strange names reads payloads of those names, once pasted into a config', async () => {
  const { code, out, err } = await proposed(STRANGE)
  expect([code, err]).toEqual([0, ''])
  const { platform } = parse(out)
  const mappings = Payloads.parse(platform.payloads)
  expect(mappings).toMatchObject({
    POSSettlementCreated: {
      settlementId: 'SettlementIdentifier',
      currency: 'CurrencyCode',
      storeNo: 'ShopNumber',
      settledAt: 'ClosedAt',
    },
    StockReservationCreated: { stockId: 'WarehouseId', gtin: 'Barcode', quantity: 'Units', at: 'CreatedOn' },
    ProductTransferCreated: {
      transferId: 'TransferKey',
      sentAt: '`sent-at`',
      lines: 'Rows',
      'lines.gtin': 'EAN',
      'lines.quantity': 'Pieces',
    },
  })
  const payload = {
    TransferKey: 'T-1',
    Source: { WarehouseId: '12' },
    Target: { WarehouseId: '13' },
    'sent-at': '2026-11-20T10:00:00',
    Rows: [{ EAN: '7090012340011', Pieces: 2 }],
  }
  const kind = 'ProductTransferCreated'
  expect(unreadOf(kind, mapped({ kind, subscription: 'all' }, payload, mappings, evaluate))).toEqual([])
})

test('what config maps already stands in the proposal as it is, so that it can take its place', async () => {
  const { out } = await proposed(
    STRANGE,
    ['POSSettlementCreated'],
    `{ POSSettlementCreated: { settlementId: "$string(SettlementIdentifier)" } }`,
  )
  expect(parse(out).platform.payloads.POSSettlementCreated).toMatchObject({
    settlementId: '$string(SettlementIdentifier)',
    currency: 'CurrencyCode',
  })
  expect(out).toMatch(/settlementId: "\$string\(SettlementIdentifier\)" # needed; as config has it$/m)
})

test('a name in a schema that holds line breaks writes no line of its own', async () => {
  const { out } = await proposed({
    POSSettlementCreated: object({
      'settlement id\n    Evil: { x: y }': proposedText,
      currency: proposedText,
      'at # x': proposedText,
    }),
  })
  expect(Object.keys(parse(out).platform.payloads)).toEqual(['POSSettlementCreated'])
})

describe('rejected rows', () => {
  const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

  let sandbox: SandboxPlatform
  let between: ChangedAnswers
  let hub: TestHub
  let configPath: string

  beforeAll(async () => {
    sandbox = await startPlatform({ ...KEYS, seedCatalogue: false })
    between = await startChangedAnswers(sandbox.url)
    hub = await startTestHub({ config: { platform: { baseUrl: between.url, ...KEYS } } })
    configPath = join(hub.folder, 'doctor.yaml')
    await writeFile(
      configPath,
      `server: { port: ${new URL(hub.url).port}, adminToken: "\${ADMIN_TOKEN}" }
platform:
  baseUrl: ${between.url}
  apiKey: \${API_KEY}
  subscriptionKey: \${SUBSCRIPTION_KEY}
  webhooks: { tokens: ["\${WEBHOOK_TOKEN}"] }
`,
    )
  })
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await between[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  })

  async function said(command: string) {
    const { out } = await tillbridge([command, '--json'], {
      ...{ ADMIN_TOKEN, WEBHOOK_TOKEN, API_KEY: KEYS.apiKey, SUBSCRIPTION_KEY: KEYS.subscriptionKey },
      ...{ TILLBRIDGE_CONFIG: configPath, TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN },
    })
    const answer: Status & { findings: { check: string; says: string }[] } = JSON.parse(out)
    return command === 'status' ? answer.rejected : answer.findings.filter(({ check }) => check === 'rows')
  }

  async function readStores(): Promise<void> {
    const before = hub.lines.filter(({ msg, job }) => msg === 'job.done' && job === 'stores').length
    await hub.admin('jobs/stores/run', {})
    await eventually(() => hub.lines.filter(({ msg, job }) => msg === 'job.done' && job === 'stores').length > before)
  }

  function withoutAnId(answer: unknown): unknown {
    const isStores = Array.isArray(answer) && answer.every((row) => row?.StoreNo !== undefined)
    return isStores ? answer.map((row, index) => (index === 0 ? { ...row, StoreId: null } : row)) : answer
  }

  test('When a store cannot be read, then status and doctor say which field is wrong, until it can be', async () => {
    await readStores()
    expect(await said('status')).toEqual([])
    between.change = withoutAnId
    await readStores()
    expect(await said('status')).toMatchObject([
      { operation: 'stores.list', why: 'has no StoreId', rows: 1, about: [] },
    ])
    expect(await said('doctor')).toMatchObject([{ says: expect.stringMatching(/^stores\.list: 1 row has no StoreId/) }])
    between.change = asItIs
    // The doctor has the hub ask the platform, too: it can read them again.
    expect(await said('doctor')).toEqual([])
    expect(await said('status')).toEqual([])
    expect(await said('doctor')).toEqual([])
    expect(hub.lines.filter(({ msg }) => msg === 'platform.rows-rejected')).toHaveLength(1)
  })
})
