import { describe, expect, test } from 'vitest'
import { failureOf, givenAnswer, givenPlatform } from './given.ts'

const OSLO = {
  StoreId: 1012,
  StoreNo: '7',
  Legalname: 'Oslo AS',
  StoreName: 'Oslo City',
  CountryCode: 'no',
  StockId: 3011,
  Currency: 'nok',
  TimeZone: 'W. Europe Standard Time',
  TimeZoneInfo: 'Europe/Oslo',
}

describe('stores', () => {
  test('When the platform lists a store as documented, then each field has its place', async () => {
    await using given = await givenPlatform()
    given.server.play({ body: [OSLO] }, '/api/Stores')
    expect((await given.platform.stores.list()).rows).toEqual([
      {
        storeId: '1012',
        number: '7',
        name: 'Oslo City',
        stockId: '3011',
        countryCode: 'NO',
        currency: 'NOK',
        zone: 'Europe/Oslo',
        record: OSLO,
      },
    ])
  })

  test.each([
    ['other case', [{ storeid: 1012, STORENO: '7', timezoneinfo: 'Europe/Oslo' }]],
    ['numbers as text, and text as numbers', [{ StoreId: '1012', StoreNo: 7, TimeZoneInfo: 'Europe/Oslo' }]],
    ['one store without a list', { StoreId: 1012, StoreNo: '7', TimeZoneInfo: 'Europe/Oslo' }],
    ['an envelope', { 'odata.metadata': 'x', value: [{ StoreId: 1012, StoreNo: '7', TimeZoneInfo: 'Europe/Oslo' }] }],
    [
      'the Windows zone only',
      [{ StoreId: 1012, StoreNo: '7', TimeZone: 'W. Europe Standard Time', CountryCode: 'NO' }],
    ],
    ['a zone written as an object', [{ ...OSLO, TimeZoneInfo: { Id: 'x' } }]],
    ['a byte order mark', `\uFEFF${JSON.stringify([OSLO])}`],
  ])('When it is written with %s, then it is read alike', async (_, body) => {
    await using given = await givenAnswer({ body })
    expect((await given.platform.stores.list()).rows).toMatchObject([
      { storeId: '1012', number: '7', zone: 'Europe/Oslo' },
    ])
  })

  test.each([
    ['an error that calls itself a success', { message: 'Secret Name' }, 'store 1 has no StoreId'],
    ['something else', 'Secret Name', 'store 1 is a string, not an object'],
  ])('When the answer holds %s, then the error says where, and no value', async (_, body, where) => {
    await using given = await givenAnswer({ body: typeof body === 'string' ? JSON.stringify(body) : body })
    const error = await failureOf(given.platform.stores.list())
    expect(error).toMatchObject({ name: 'PermanentError', code: 'unexpected-answer' })
    expect(error.message).toContain(
      `GET ${given.server.url}/api/Stores answered something else than documented: ${where}`,
    )
    expect(error.message).not.toContain('Secret')
  })
})

describe('subscriptions and kinds', () => {
  test('When subscriptions are listed, then ids, stores and unknown fields are kept', async () => {
    await using given = await givenPlatform()
    const url = 'https://hub.example.com/webhooks/SaleCreated?token=t'
    given.server.play({
      body: [
        { id: 'a-1', storeId: 1012, event: 'SaleCreated', url, retired: false },
        { webhookId: 'a-2', Event: 'BrandNewKind', Url: url },
        { id: 'a-3', storeId: 0, event: 'SaleCreated', url },
      ],
    })
    expect((await given.platform.webhooks.list()).rows).toMatchObject([
      { id: 'a-1', storeId: '1012', event: 'SaleCreated', url, record: { retired: false } },
      { id: 'a-2', storeId: null, event: 'BrandNewKind', url },
      // The platform writes 0 where there is none.
      { id: 'a-3', storeId: null, event: 'SaleCreated', url },
    ])
  })

  test.each([
    ['names', ['SaleCreated', 'BrandNewKind']],
    ['objects', [{ name: 'SaleCreated', description: 'A sale' }, { Event: 'BrandNewKind' }]],
  ])('When the kinds come as %s, then their names are given', async (_, body) => {
    await using given = await givenPlatform()
    given.server.play({ body }, '/api/WebhooksTypes')
    expect((await given.platform.webhooks.types()).rows).toEqual(['SaleCreated', 'BrandNewKind'])
  })
})

describe('the event log', () => {
  const RECORD = {
    webhookId: 'w-1',
    webhookEventId: 'e-1',
    createdDateTime: '2026-11-20T10:00:00.5',
    updatedDateTime: null,
    status: 'NotFound',
    statusCode: 404,
    success: false,
    runsCounter: 1,
    runs: [{ statusCode: 404 }],
  }
  const day = { webhookId: 'w-1', from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 20, 23, 59) }

  test('When a record is as documented, then each field has its place, and a time without zone is UTC', async () => {
    await using given = await givenAnswer({ body: [RECORD] })
    expect((await given.platform.events.list(day)).rows).toEqual([
      {
        webhookId: 'w-1',
        webhookEventId: 'e-1',
        createdAt: Date.UTC(2026, 10, 20, 10, 0, 0, 500),
        status: 'NotFound',
        statusCode: 404,
        success: false,
        runsCounter: 1,
        record: RECORD,
      },
    ])
  })

  test.each<[string, object, boolean]>([
    ['success as text', { success: 'True', statusCode: '202' }, true],
    ['success as a number', { success: 0, statusCode: 202 }, false],
    ['success as the number of a good one', { success: 1, statusCode: undefined }, true],
    ['a status code only', { success: undefined, statusCode: 202 }, true],
    ['a bad status code only', { success: undefined, statusCode: 500, status: 'OK' }, false],
    ['the word only', { success: undefined, statusCode: undefined, status: 'OK' }, true],
    ['another word only', { success: undefined, statusCode: undefined, status: 'Failed' }, false],
    ['no word at all', { success: undefined, statusCode: undefined, status: null }, false],
    // What the hub answers is "202 Accepted": which word a platform makes of that is not shown.
    ...['Accepted', 'ok', 'Created', 'NoContent', 'No Content', '202', '202 Accepted', 'Success'].map(
      (status) =>
        [`the word ${status}`, { success: undefined, statusCode: undefined, status }, true] as [
          string,
          object,
          boolean,
        ],
    ),
    ...['NotFound', '404', '500 Internal Server Error', 'Not OK', 'Timeout'].map(
      (status) =>
        [`the word ${status}`, { success: undefined, statusCode: undefined, status }, false] as [
          string,
          object,
          boolean,
        ],
    ),
  ])('When the outcome is told by %s, then it is known', async (_, fields, success) => {
    await using given = await givenAnswer({ body: [{ ...RECORD, ...fields }] })
    expect((await given.platform.events.list(day)).rows).toMatchObject([{ success }])
  })

  test('When the log writes a GUID in capitals and braces, then it is the id that the header of its webhook has', async () => {
    await using given = await givenAnswer({
      body: [{ ...RECORD, webhookEventId: '{0C5F1B9E-3A52-4C8E-9D6B-7F2E1A0B3C4D}' }],
    })
    const [record] = (await given.platform.events.list(day)).rows
    expect(record?.webhookEventId).toBe('0c5f1b9e-3a52-4c8e-9d6b-7f2e1a0b3c4d')
  })

  test('When the platform ignores what was asked for, then only that is given all the same', async () => {
    await using given = await givenAnswer({ body: [RECORD, { ...RECORD, webhookEventId: 'e-2', success: true }] })
    expect((await given.platform.events.list({ ...day, success: false })).rows).toMatchObject([
      { webhookEventId: 'e-1' },
    ])
    expect((await given.platform.events.list({ ...day, success: true })).rows).toMatchObject([
      { webhookEventId: 'e-2' },
    ])
  })
})
