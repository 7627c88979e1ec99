import { expect, test } from 'vitest'
import { broughtHome, readTillState, tillKey } from '../../../../src/jobs/ledger/till/till-state.ts'

const LAST = { settlementId: '1', number: 1, counter: null, closedAt: 1_000 }
const TILL = { balanced: 3, begins: 500, done: ['1'], last: LAST, openSince: null }

/** As older versions have left it: by what the store was called. */
function leftBy(tills: Record<string, unknown>) {
  return readTillState({ tills, lookedAt: 2_000 })
}

test('when an older version has remembered a till by the number of its store, then it is known by the id of it', () => {
  const { tills, names } = leftBy({ '["101","421"]': TILL, '["7","71"]': TILL })
  expect(names).toEqual({})
  const home = broughtHome(tills, ({ place, posId }) => (place === '101' && posId === '421' ? '42' : null))
  expect(home).toEqual({
    [tillKey({ home: '42', posId: '421' })]: { ...TILL, storeId: '42', last: { ...LAST, place: '101' } },
    // Two stores have this number: nobody knows whose it is.
    [tillKey({ home: '7', posId: '71' })]: { ...TILL, storeId: null, last: { ...LAST, place: '7' } },
  })
  expect(broughtHome(home, () => 'another')).toMatchObject({ '["42","421"]': { storeId: '42' } })
})

test('when a till was remembered under two numbers of its store, then it is one, with what both have shown', () => {
  const later = { ...LAST, settlementId: '2', number: 2, closedAt: 3_000 }
  const { tills } = leftBy({
    '["112","421"]': { balanced: 1, begins: 2_500, done: ['2'], last: later, openSince: 4_000 },
    '["101","421"]': TILL,
  })
  expect(Object.values(broughtHome(tills, () => '42'))).toEqual([
    { storeId: '42', balanced: 4, begins: 500, done: ['1', '2'], last: { ...later, place: '112' }, openSince: 4_000 },
  ])
})
