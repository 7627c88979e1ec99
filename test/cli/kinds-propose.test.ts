import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { Payloads } from '../../src/config/sections.ts'
import { evaluate } from '../../src/lib/jsonata.ts'
import { mapped } from '../../src/platform/payloads/mapping/mapping.ts'
import { unreadOf } from '../../src/platform/payloads/unread.ts'
import { createFolder } from '../hub.ts'
import { startPlatformServer } from '../platform/server.ts'
import { tillbridge } from './run.ts'

/* A mapping that is written from the platform's own schemas. */

const text = { type: 'string' }
const number = { type: 'number' }
const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })
const list = (properties: Record<string, unknown>) => ({ type: 'array', items: object(properties) })

/** Schemas of a platform that follows the specification, and calls fields otherwise. */
const STRANGE: Record<string, unknown> = {
  POSSettlementCreated: object({
    SettlementIdentifier: { type: 'integer' },
    CurrencyCode: text,
    ShopNumber: text,
    ClosedAt: text,
    Grand_Total: number,
  }),
  CustomerCreated: object({ ClientNumber: text, MemberId: { type: 'integer' }, EmailAddress: text, GivenName: text }),
  StockReservationCreated: object({
    ReservationNo: text,
    WarehouseId: { type: 'integer' },
    Barcode: text,
    Units: number,
    CreatedOn: text,
  }),
  ProductTransferCreated: object({
    TransferKey: text,
    Source: object({ WarehouseId: text }),
    Target: object({ WarehouseId: text }),
    'sent-at': text,
    Rows: list({ EAN: text, Pieces: number }),
  }),
  GiftCardTransactionCreated: object({ Reference: text, Memo: text, Delta: number, Balance: number }),
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
    POSSettlementCreated: object({ 'settlement id\n    Evil: { x: y }': text, currency: text, 'at # x': text }),
  })
  expect(Object.keys(parse(out).platform.payloads)).toEqual(['POSSettlementCreated'])
})
