import { expect, test } from 'vitest'
import { isSameSale, namingsOf, splitSaleKey } from '../../../../src/domain/ledger/facts/same-sale.ts'

const LISTED = { at: '2026-11-20T10:00:00', total: '199', zone: 'Europe/Oslo' }

test.each([
  ['of the same moment', { at: '2026-11-20T10:00:03', total: '1' }, true, true],
  ['of the same moment, written with an offset', { at: '2026-11-20T09:00:00Z', total: '1' }, true, true],
  ['of another moment, where another store is called so', { at: '2026-11-20T10:01:00', total: '199' }, true, false],
  ['of another moment and the same amount', { at: '2026-11-20T10:01:00', total: '199.00' }, false, true],
  ['of another moment and another amount', { at: '2026-11-20T10:01:00', total: '200' }, false, false],
  ['whose body is not kept any more', { at: null, total: null }, false, true],
  ['whose body is not kept any more, where another store is called so', { at: null, total: null }, true, false],
])(
  'when a receipt was told under another name, %s, then it is known whether it is the sale',
  (_, told, isOther, is) => {
    expect(isSameSale(LISTED, told, isOther)).toBe(is)
  },
)

test('when a store is called by number or name, then identities of its sales are split behind it', () => {
  const [naming] = namingsOf([{ number: null, name: 'Oslo City' }])
  expect(splitSaleKey(`${naming}/421/1001/2026-11-20`)).toEqual({ naming: 'Oslo%20City', rest: '421/1001/2026-11-20' })
})
