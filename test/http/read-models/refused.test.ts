import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { sale } from '../../fixtures/payloads.ts'
import { NDJSON, openDesk, shareDesk } from './given.ts'

describe('what is not as it should be', () => {
  const desk = shareDesk()

  test.each([
    ['sales?stroe=101', 'There is no parameter "stroe". Did you mean store?'],
    [
      'sales?colour=red',
      'There is no parameter "colour". There are limit, cursor, store, from, to, personal, rows, raw.',
    ],
    ['sales?gtin=1', 'There is no parameter "gtin". There are limit, cursor, store, from, to, personal, rows, raw.'],
    ['stock?from=2026-11-20', 'There is no parameter "from".'],
    ['stock?personal=true', 'There is no parameter "personal".'],
    ['stores?store=101', 'There is no parameter "store". There are limit, cursor, raw.'],
    ['sales?limit=0', 'limit: expected a number from 1 to 1000.'],
    ['sales?limit=1001', 'limit: expected a number'],
    ['sales?limit=ten', 'limit: expected a number'],
    ['sales?limit=1&limit=2', 'limit: expected once.'],
    ['sales?limit=all', 'limit: expected a number'],
    ['sales?rows=lines', 'rows: is for CSV. Send Accept: text/csv.'],
    ['sales?raw=true', 'raw: is for CSV.'],
    ['stock?rows=lines', 'There is no parameter "rows".'],
    ['sales?from=20.11.2026', 'from: expected a day, such as 2026-11-20.'],
    ['sales?from=2026-02-30', 'from: expected a day'],
    ['sales?from=2026-11-21&to=2026-11-20', 'from: expected a day that is not after "to".'],
    ['sales?to=2026-11-20T10:00', 'to: expected a day'],
    ['sales?personal=yes', 'personal: expected true or false.'],
    ['sales?personal=', 'personal: expected true or false.'],
    ['sales?cursor=abc', 'cursor: expected the "next" of the page before, as it was.'],
    ['sales?cursor=', 'cursor: expected'],
    ['sales?store=', 'store: expected 1 to 200 characters.'],
    ['sales?store=%00', 'store: expected 1 to 200 characters.'],
    ['stock?stock=12&store=101', 'store and stock: expected one of them.'],
    ['stock?store=999', 'store: no store "999" with a stock is known.'],
    ['stock?toString=1', 'There is no parameter "toString".'],
  ])('When %s is asked for, then the answer is 400 and says what', async (path, said) => {
    const { status, body, headers } = await desk().get(path)
    expect([status, body.code, headers['content-type']]).toEqual([
      400,
      'bad-request',
      expect.stringContaining('problem+json'),
    ])
    expect(body.detail).toContain(said)
  })

  for (const accept of [NDJSON, 'text/csv'] as const)
    test(`When a stream (${accept}) is to have so many items, then the answer is 400`, async () => {
      const { status, body } = await desk().get('sales?limit=10', { accept })
      expect([status, body.detail]).toEqual([400, expect.stringContaining('limit: what is asked for as a stream')])
      expect((await desk().get('sales', { accept: 'text/html, */*;q=0.1' })).status).toBe(200)
    })
})

describe('what is not kept', () => {
  for (const [mirror, kept, said] of [
    [undefined, ['stores'], 'mirror: stock, or mirror: all'],
    ['stock', ['stores', 'stock', 'movements', 'reservations'], 'mirror: all'],
    [
      'all',
      ['stores', 'stock', 'movements', 'reservations', 'settlements', 'sales', 'sales-lines', 'goods-deliveries'],
      null,
    ],
  ] as const)
    test(`When the config says mirror: ${mirror}, then the rest is 404 and names the key of config`, async () => {
      await using desk = await openDesk({ config: { mirror } })
      const sets = 'stores stock movements reservations settlements sales sales-lines goods-deliveries'.split(' ')
      for (const set of sets) {
        const { status, body } = await desk.get(set)
        if (kept.some((name) => name === set)) expect([set, status]).toEqual([set, 200])
        else {
          expect([status, body.code]).toEqual([404, 'not-mirrored'])
          expect(body.detail).toContain(
            `keeps no copy of ${set}. Its config would have to say ${set === 'stock' ? said : 'mirror'}`,
          )
        }
      }
      expect((await desk.get('customers')).body).toMatchObject({
        code: 'not-mirrored',
        detail: expect.stringContaining('lookups.customers'),
      })
    })
})

test('When everything is mirrored, and no POS asks for customers, then none is kept, whether the platform tells of one or a sale does', async () => {
  await using desk = await openDesk({ config: { mirror: 'all' } })
  await desk.hub.post('CustomerCreated', { customerId: 7, firstName: 'Kari', email: 'kari@example.com' })
  await desk.hub.post(
    'SaleCreated',
    sale({ customer: { customerId: 7, firstName: 'Kari', email: 'kari@example.com' } }),
  )
  await eventually(async () => {
    const settled = await desk.hub.hub.storage.deliveries({ state: 'delivered' })
    expect(settled.map(({ destination }) => destination)).toContain('mirror')
  })
  expect(await desk.hub.hub.storage.pending()).toEqual([])
  expect(await desk.hub.hub.storage.customerCount()).toBe(0)
})
