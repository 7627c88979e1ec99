import { describe, expect, test } from 'vitest'
import { articleKey, isSameArticle, ofArticle, spellingsOf } from '../../../src/domain/catalogue/article-number.ts'
import { verifyOrder } from '../../../src/domain/orders/order-evidence.ts'
import { holdsGoods, lacksGoods } from '../../../src/domain/orders/which-order.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'

/** One GTIN, as a platform, a shop, and an ERP whose column holds numbers write it. */
const SPELLINGS = ['00012345678905', '0012345678905', '012345678905', '12345678905']

describe('article numbers', () => {
  test('a GTIN of 12, 13 and 14 digits, and the number without its zeros, are one article', () => {
    for (const one of SPELLINGS)
      for (const other of [...SPELLINGS, 12345678905]) expect(isSameArticle(one, other)).toBe(true)
    for (const one of SPELLINGS) expect(new Set(spellingsOf(one))).toEqual(new Set(SPELLINGS))
    expect(spellingsOf('0012345678905')[0]).toBe('0012345678905')
  })

  test('other numbers, and what is text, are the same only where they are written alike', () => {
    expect(isSameArticle('0012345678905', '0012345678912')).toBe(false)
    expect(isSameArticle('TEE-01', 'TEE-1')).toBe(false)
    expect(isSameArticle('0123', '123')).toBe(false)
    expect(isSameArticle(null, null)).toBe(false)
    expect(articleKey(' TEE-01 ')).toBe('TEE-01')
    expect(spellingsOf('TEE-01')).toEqual(['TEE-01'])
  })

  test('things of an article are those that write it alike; else the only ones that mean it; else all are named', () => {
    const things = [['012345678905'], ['0012345678905'], ['TEE']]
    const numbersOf = (thing: string[]) => thing
    expect(ofArticle(things, numbersOf, '012345678905')).toEqual([['012345678905']])
    expect(ofArticle(things.slice(1), numbersOf, '12345678905')).toEqual([['0012345678905']])
    expect(() => ofArticle(things, numbersOf, '12345678905')).toThrow(
      'the article 12345678905 may be any of 012345678905, 0012345678905',
    )
  })

  test('an order has the goods of an event that writes their GTIN with other zeros', () => {
    const goods = [{ rowId: null, gtin: '0012345678905', quantity: parseDecimal(1) }]
    expect(lacksGoods(goods, [['012345678905']])).toBe(false)
    expect(lacksGoods(goods, [['7090012340011']])).toBe(true)
    expect(holdsGoods(goods, [parseDecimal(1)])).toBe(true)
    const line = { rowId: null, gtin: '12345678905', quantity: parseDecimal(1) }
    const seen = {
      status: 'Rejected',
      parcels: null,
      isSent: null,
      lines: [{ ...line, gtin: '0012345678905', status: 'Declined' }],
    }
    expect(verifyOrder({ order: '1', is: 'declined', line }, seen)).toBe('verified')
  })
})
