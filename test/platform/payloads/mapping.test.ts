import { describe, expect, test } from 'vitest'
import { evaluate } from '../../../src/lib/jsonata.ts'
import { faultsIn, type Mappings, mapped } from '../../../src/platform/payloads/mapping/mapping.ts'
import { unreadOf, unreadText } from '../../../src/platform/payloads/unread.ts'
import { sale } from '../../fixtures/payloads.ts'
import { countOwnTime } from '../../own-time.ts'

/* Where config says that fields of payloads stand. */

const GIFT_CARD = 'GiftCardTransactionCreated'
const COUNT = 'StockCountReconciled'

function map(kind: string, payload: unknown, given: Mappings[string]): unknown {
  return mapped({ kind, subscription: 'all' }, payload, { [kind]: given }, evaluate)
}

describe('a path', () => {
  test('When a field stands deeper, in another list, or in place of another, then it is read there, and nowhere else', () => {
    const payload = {
      Lines: [{ n: { of: 3 } }, { n: {}, quantity: 9 }],
      ITEMS: [1],
      createdDateTime: '2026-11-20',
      when: { at: 'x' },
    }
    const given = { items: 'lines', 'items.quantity': 'n.of', at: 'when.at', countedAt: 'createdDateTime' }
    expect(map(COUNT, payload, given)).toEqual({
      Lines: payload.Lines,
      when: { at: 'x' },
      items: [{ n: { of: 3 }, quantity: 3 }, { n: {} }],
      createdDateTime: 'x',
      countedDateTime: '2026-11-20',
    })
    expect(payload.ITEMS).toEqual([1])
  })

  test('When a kind is not mapped, then its payload is the same', () => {
    const payload = sale()
    expect(
      mapped({ kind: 'SaleCreated', subscription: 'all' }, payload, { InvoiceCreated: { amount: 'x' } }, evaluate),
    ).toBe(payload)
    expect(mapped({ kind: 'toString', subscription: 'all' }, payload, {}, evaluate)).toBe(payload)
  })
})

describe('other JSONata', () => {
  test('When a value is computed, constant, or chosen, then the hub reads what comes of it', () => {
    const payload = {
      Transaction: { Amount: '250.10', Fee: 0.2, Kind: 'out' },
      amount: 1,
      refs: [{ t: 'id', v: 'T-7' }],
    }
    const given = {
      amount: '(Transaction.Kind = "out" ? -1 : 1) * ($number(Transaction.Amount) + Transaction.Fee)',
      currency: "'NOK'",
      transactionId: 'refs[t = "id"].v',
    }
    expect(map(GIFT_CARD, payload, given)).toEqual({
      Transaction: payload.Transaction,
      refs: payload.refs,
      amount: -250.3,
      currency: 'NOK',
      transactionId: 'T-7',
    })
  })

  test('When it is of a row, then each row is its own, also one alone, one that is nothing, and one that lacks it', () => {
    const given = { items: '*[type = "goods"].rows', 'items.quantity': '$sum(parts.n)', 'items.gtin': 'code & ""' }
    const rows = [{ code: 1, parts: [{ n: 2 }, { n: 3 }] }, { code: 2 }, null, [], { code: 3, parts: { n: 4 } }]
    expect(map(COUNT, { a: { type: 'goods', rows } }, given)).toMatchObject({
      items: [{ gtin: '1', quantity: 5 }, { gtin: '2' }, null, {}, { gtin: '3', quantity: 4 }],
    })
    expect(map(COUNT, { a: { type: 'goods', rows: rows.slice(0, 1) } }, given)).toMatchObject({
      items: [{ gtin: '1', quantity: 5 }],
    })
    expect(map(COUNT, { a: { type: 'goods', rows: [] } }, given)).not.toHaveProperty('items.0')
  })

  test('When one of several fails, then it is named with its code and no value, and nothing is made of the event', () => {
    const payload = { id: 1, sum: 'Kari Nordmann', more: 'x', at: '2026-11-20', cur: 'NOK', storeNo: '101' }
    const given = {
      amount: '$number(sum)',
      balance: '1 - $number(more)',
      at: '$string(at)',
      currency: "$uppercase('nok')",
    }
    const read = map(GIFT_CARD, payload, given)
    expect(read).toMatchObject({ createdDateTime: '2026-11-20', currency: 'NOK' })
    expect(faultsIn(read)).toMatchObject([
      { field: 'amount', code: 'D3030', position: 8 },
      { field: 'balance', code: 'D3030' },
    ])
    const why = unreadText(GIFT_CARD, unreadOf(GIFT_CARD, read))
    expect(why).toContain('amount could not be read (its expression fails: D3030 at character 8)')
    // Nothing leaves without its balance, though one that is not there would not be missed.
    expect(why).toContain('balance could not be read (its expression fails: D3030')
    expect(why).not.toContain('Kari')
  })

  test('When it never ends, then it is ended, and the fields that it is evaluated with are held', () => {
    const endless = '($f := function($n) { $f($n + 1) }; $f(0))'
    const ownTime = countOwnTime()
    const rows = Array.from({ length: 2_000 }, (_, n) => ({ n }))
    const read = map(COUNT, { items: rows }, { 'items.quantity': endless, 'items.gtin': '$string(n)' })
    expect(ownTime()).toBeLessThan(5_000)
    expect(faultsIn(read)).toMatchObject([{ field: 'items.gtin', code: 'timeout' }, { field: 'items.quantity' }])
    expect(unreadOf(COUNT, read).map(({ fields }) => fields[0])).toContain('items.quantity')
  })

  test('When a sender writes what a fault is noted by, then only codes of the hub’s own form are told', () => {
    const noted = [
      { field: 'amount', code: 'Kari Nordmann', position: null },
      'x',
      null,
      { field: 'amount', code: 'T2001', position: 3 },
    ]
    expect(unreadText('SaleCreated', unreadOf('SaleCreated', { ...sale(), '~failed': noted }))).toBe(
      'SaleCreated: amount could not be read (its expression fails: T2001 at character 3); map it in config: platform.payloads.SaleCreated.amount: <where it is>',
    )
  })
})
