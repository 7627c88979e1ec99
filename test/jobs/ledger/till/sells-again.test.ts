import { expect, test } from 'vitest'
import { lookAtStore } from '../../../../src/jobs/ledger/till/look-at-store.ts'
import { tillKey, UNKNOWN_TILL } from '../../../../src/jobs/ledger/till/till-state.ts'
import { eveningOf, MEANINGS, receipt } from '../../../domain/ledger/till/given.ts'
import { HOUR } from '../../kit.ts'

const RULES = { meanings: MEANINGS, patience: HOUR / 2 }
const STORE = { home: '42', storeId: '42', zone: 'Europe/Oslo', names: ['101'], resting: ['421'], reports: [] }
/** As a till's gap is named that was last closed on the third. */
const UNCLOSED = '101/421/s3/unclosed'
const EXPLAINED = eveningOf(25)

/** A look at the till that made its last report on the third, on an evening, with what it has sold since. */
async function look(
  day: number,
  sold: readonly number[],
  excused: ReadonlyMap<string, number>,
  openSince: number | null,
) {
  const last = { settlementId: 's3', place: '101', number: 3, counter: null, closedAt: eveningOf(3) }
  const kept = { ...UNKNOWN_TILL, begins: eveningOf(1), last, openSince }
  const now = eveningOf(day)
  return await lookAtStore({
    ...{ store: STORE, isWatched: true, excused, rules: RULES, now, logFrom: null },
    state: { tills: { [tillKey({ home: '42', posId: '421' })]: kept }, lookedAt: now - HOUR },
    receiptsSince: async () => new Map([['421', sold.map((one) => receipt(one))]]),
  })
}

test('when a person has said that a till is not used any more, and it sells again, then somebody is asked about that', async () => {
  const explained = new Map([[UNCLOSED, EXPLAINED]])
  expect(await look(26, [], explained, null)).toMatchObject({
    gaps: [{ subject: UNCLOSED }],
    tills: [{ isExcused: true }],
  })

  const again = await look(27, [27], explained, null)
  const [{ kept } = { kept: UNKNOWN_TILL }] = again.tills
  expect(again).toMatchObject({ gaps: [], tills: [{ isExcused: false }] })
  expect(kept.openSince).toBeGreaterThan(EXPLAINED)
  const days = await look(31, [27], explained, kept.openSince)
  expect(days).toMatchObject({
    gaps: [{ cause: 'unclosed', subject: `${UNCLOSED}/${kept.openSince}`, at: kept.openSince }],
    tills: [{ isExcused: false }],
  })
  // That may be explained, too.
  const both = new Map([...explained, [`${UNCLOSED}/${kept.openSince}`, eveningOf(31)]])
  expect(await look(32, [27], both, kept.openSince)).toMatchObject({ tills: [{ isExcused: true }] })
})
