import { readFile } from 'node:fs/promises'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { DIALECTS } from '../../../sandbox/platform/dialects/dialect.ts'
import { KINDS } from '../../../sandbox/platform/schemas/kinds.ts'
import { givenPlatform, HEADERS, startReceiver, subscribe } from './given.ts'

/** What the specification says of payloads, besides ids: the fields at the root, or within its one wrapper. */
const SALE =
  'receiptNo receiptFormatted receiptUrl orderNo createdDateTime updatedDateTime paymentLines orderLines store customer shippingAddress vatTotal total'
const DELIVERY =
  'stockId stockExtId isCompleted products expectedDeliveryDate companyId orderId orderReference comment type status createdDateTime updatedDateTime'
const SPECIFIED: Readonly<Record<string, string>> = {
  SaleCreated: SALE,
  SaleExternalCreated: SALE,
  OmniChannelEndlessAisleOrderCreated: `${SALE} fulfillmentLocation`,
  OmniChannelSendReceiptCreated: 'sendReceipt channel recipient recipientName signatureInfo',
  StockMovementCreated: 'companyId movementId stockId stockExtId sku gtin type quantity stockLevel createdDateTime',
  DeliveryCreated: DELIVERY,
  DeliveryUpdated: DELIVERY,
  OmniChannelOrderUpdated: 'order',
  OmniChannelOrderRefundUpdated: 'refund',
  // Facts, §4 "CustomerCreated payload".
  CustomerCreated:
    'customerId customerExtId email firstName lastName companyName taxId gender address1 city province postalCode country countryCode phoneCountryPrefix phone description agreedSendEmail agreedSendSMS isEmployee birthday cardNo tags gdprUpdatedDateTime registeredStoreId createdDateTime updatedDateTime deleted customerGuid',
}

/** Kinds of the table above whose payload the specification does not show: there they have other names. */
const FROM_FACTS = ['SaleExternalCreated', 'CustomerCreated']

/** The table of docs/sandbox.md: each kind, and the calls that cause it. */
const rows = [...(await readFile('docs/sandbox.md', 'utf8')).matchAll(/^\| (\w+) \| (`.*`) \|$/gm)].map(
  ([, kind = '', calls = '']) => ({
    kind,
    calls: [...calls.matchAll(/`([\w-]+)(?: (\{.*?\}))?`/g)].map(([, path = '', body = '{}']) => ({ path, body })),
  }),
)

test('When the list of causes is read, then it has each of the 27 kinds once', () => {
  expect(KINDS).toHaveLength(27)
  expect(rows.map(({ kind }) => kind)).toEqual(KINDS)
})

describe.each(DIALECTS)('in the dialect %s', (dialect) => {
  let platform: Awaited<ReturnType<typeof givenPlatform>>
  let receiver: Awaited<ReturnType<typeof startReceiver>>

  beforeAll(async () => {
    platform = await givenPlatform({ dialect })
    receiver = await startReceiver()
    for (const kind of KINDS) await subscribe(platform, kind, `${receiver.url}${kind}`)
  })

  afterAll(async () => {
    await receiver[Symbol.asyncDispose]()
    await platform[Symbol.asyncDispose]()
  })

  for (const { kind, calls } of rows)
    test(`When a script does what the list says about ${kind}, then it comes, and is what its schema says`, async () => {
      const before = receiver.paths.length
      for (const { path, body } of calls) {
        const answer = await request(platform.url).post(`/sandbox/${path}`).type('json').send(body)
        expect(answer, `${path}: ${answer.text}`).toMatchObject({ status: 200, body: expect.any(Object) })
      }
      await platform.settled()
      const came = receiver.paths.flatMap((path, index) =>
        index >= before && path === `/${kind}` ? [receiver.bodies[index]] : [],
      )
      expect(came.length).toBeGreaterThan(0)
      const { body: schema } = await request(platform.apiUrl).get(`/api/WebhooksTypes/${kind}/schema`).set(HEADERS)
      expect(schema).toMatchObject({ title: kind, type: 'object', additionalProperties: false })
      const reported = z.fromJSONSchema(schema)
      for (const payload of came) {
        const read = reported.safeParse(payload)
        expect(read.success, read.error && z.prettifyError(read.error)).toBe(true)
        // One more field, or one less, and it is another shape.
        expect(reported.safeParse({ ...payload, unheardOf: 1 }).success).toBe(false)
        expect(reported.safeParse(Object.fromEntries(Object.entries(payload ?? {}).slice(1))).success).toBe(false)
        if (SPECIFIED[kind] && !(dialect === 'spec' && FROM_FACTS.includes(kind)))
          expect(Object.keys(payload ?? {}).sort()).toEqual(SPECIFIED[kind].split(' ').sort())
      }
    })
})
