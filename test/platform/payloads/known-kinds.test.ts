import { describe, expect, test } from 'vitest'
import { evaluate } from '../../../src/lib/jsonata.ts'
import { readStockCount } from '../../../src/platform/payloads/goods.ts'
import { KINDS } from '../../../src/platform/payloads/kinds.ts'
import { locationOf } from '../../../src/platform/payloads/known/from.ts'
import { SHAPES } from '../../../src/platform/payloads/known/kinds.ts'
import { mapped } from '../../../src/platform/payloads/mapping/mapping.ts'
import { readable, unreadOf, unreadText } from '../../../src/platform/payloads/unread.ts'
import { bytesOf, sale, stockMovement } from '../../fixtures/payloads.ts'

describe('the table of what is read of each kind', () => {
  test('When the spec names a kind, then the table says what is read of it, and what cannot be done without', () => {
    expect(Object.keys(SHAPES)).toEqual(KINDS.map(({ name }) => name))
    for (const [kind, { fields, essentials, ifThere = [] }] of Object.entries(SHAPES)) {
      expect(essentials.length, kind).toBeGreaterThan(0)
      for (const name of [...essentials.flat(), ...ifThere]) expect(fields, kind).toHaveProperty([name])
      for (const name of Object.keys(fields)) {
        const { list } = locationOf(name)
        if (list !== null) expect(fields[list]?.is, `${kind}.${name}`).toBe('list')
      }
    }
  })

  test('When nobody shows a payload (spec, Events 7), then each of its fields is a guess, unless public facts name it', () => {
    const notShown = [4, 5, 6, 9, 12, 13, 14, 15, 16, 17, 20, 21, 22, 23, 24]
    for (const { number, name } of KINDS) {
      const from = new Set(Object.values(SHAPES[name]?.fields ?? {}).map((field) => field.from))
      if (number !== null && notShown.includes(number)) expect([...from], name).toEqual(['guess'])
      else if ([2, 3, 19].includes(number ?? 0)) expect([...from], name).toEqual(['public'])
    }
  })
})

describe('what cannot be read', () => {
  test.each([
    ['not there', { quantity: undefined }, 'quantity could not be read (quantity: not there)'],
    ['empty', { quantity: '' }, 'quantity could not be read (quantity: empty)'],
    ['of another type', { quantity: { value: 1 } }, 'quantity could not be read (quantity: an object, not a number)'],
    ['no number', { quantity: '12,50' }, 'quantity could not be read (quantity: a text, not a number)'],
    ['no time', { createdDateTime: 'soon' }, 'at could not be read (createdDateTime: a text, not a time)'],
    [
      'none of two',
      { gtin: null, sku: [] },
      'gtin or sku could not be read (gtin: not there, sku: a list, not a text)',
    ],
  ])('When an essential is %s, then it is named with what stands there, and no value of it', (_, given, expected) => {
    const event = { kind: 'StockMovementCreated', body: bytesOf(stockMovement(given)) }
    expect(() => readable(event)).toThrow(
      expect.objectContaining({
        name: 'HeldError',
        code: 'unreadable-field',
        message: expect.stringContaining(expected),
      }),
    )
  })

  test('When a row of many cannot be read, then the first such row is named', () => {
    const lines = Array.from({ length: 9 }, (_, index) => ({ gtin: '7', quantity: index < 4 ? 1 : null, price: 1 }))
    const unread = unreadOf('SaleCreated', sale({ orderLines: lines }))
    expect(unreadText('SaleCreated', unread)).toContain(
      'lines.quantity of row 5 could not be read (quantity: not there)',
    )
    expect(unread).toHaveLength(1)
  })
})

describe('the nearest records of the public API', () => {
  test('When a count comes as the API keeps its counts, then it is read, and an article that was counted in two places is one', () => {
    const countDetails = [
      { gtin: '7090012340011', externalSku: 'TEE-BLK-M', qty: 8, isValid: true, device: 'A' },
      { gtin: '7090012340028', externalSku: 'TEE-BLK-L', qty: 1, isValid: true, device: 'A' },
      { gtin: '7090012340011', externalSku: 'TEE-BLK-M', qty: 2.5, isValid: true, device: 'B' },
    ]
    const payload = { stockCountId: 8_001, dateCounted: '2026-11-20T06:00:00', extStockId: '101', countDetails }
    expect(unreadOf('StockCountReconciled', payload)).toEqual([])
    expect(readStockCount(payload)).toMatchObject({
      countId: '8001',
      stockNo: '101',
      countedAt: '2026-11-20T06:00:00',
      items: [
        { gtin: '7090012340011', quantity: '10.5' },
        { gtin: '7090012340028', quantity: '1' },
      ],
    })
  })

  test('When a row of a count is called not valid, then nobody knows whether it counts, until config says which do', () => {
    const countDetails = [
      { gtin: '7090012340011', qty: 8, isValid: true },
      { gtin: '7090012340028', qty: 1, isValid: false },
    ]
    const payload = { stockCountId: 8_001, dateCounted: '2026-11-20T06:00:00', stockId: 12, countDetails }
    expect(unreadText('StockCountReconciled', unreadOf('StockCountReconciled', payload))).toContain(
      'items of row 2 could not be read (isValid is false: whether such a row counts is not known)',
    )
    const mappings = { StockCountReconciled: { items: 'countDetails[isValid]' } }
    const read = mapped({ kind: 'StockCountReconciled', subscription: 'all' }, payload, mappings, evaluate)
    expect(unreadOf('StockCountReconciled', read)).toEqual([])
    expect(readStockCount(read).items).toMatchObject([{ gtin: '7090012340011', quantity: '8' }])
  })

  test('When a gift card comes in place of what happened with it, then its balance is not booked as a transaction', () => {
    const kind = 'GiftCardTransactionCreated'
    const place = { storeNo: '101', currency: 'NOK', createdDateTime: '2026-11-20T14:03:27' }
    const card = { id: 7, token: 'T', amount: 350, initialAmount: 600, issueSaleId: 7_001, ...place }
    expect(unreadText(kind, unreadOf(kind, card))).toContain('transactionId or amount could not be read (initialAmount')
    expect(unreadOf(kind, { ...card, transactionId: 930_001, amount: -250 })).toEqual([])
    // What the API books on a card has no currency, and no store: that stays held.
    const booked = unreadOf(kind, { id: 930_001, saleId: 7_001, amount: -250, comment: '' })
    expect(booked.map(({ fields }) => fields[0])).toEqual(['at', 'currency', 'storeNo'])
  })
})
