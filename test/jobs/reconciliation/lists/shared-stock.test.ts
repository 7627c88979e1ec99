import { expect, test } from 'vitest'
import { parseDecimal } from '../../../../src/domain/values/money.ts'
import { createPlaces, movementsList } from '../../../../src/jobs/reconciliation/list.ts'
import { readListsState, reconcileKind } from '../../../../src/jobs/reconciliation/reconcile-kind.ts'
import type { Platform } from '../../../../src/platform/platform.ts'
import { HOUR, MINUTE } from '../../kit.ts'
import { createMemoryStorage } from '../memory-storage.ts'

/** A shop and the online store sell from one stock, and each has a subscription of its own. */
const STORES = ['42', '101'].map((storeId) => ({
  ...{ storeId, number: storeId, name: storeId, stockId: '12', zone: 'Europe/Oslo' },
  ...{ countryCode: 'NO', currency: 'NOK', goneAt: null },
}))

const NOW = Date.parse('2026-11-20T12:00:00Z')

function asked(...subscribed: string[]) {
  return {
    ...{ state: readListsState(null), span: { from: NOW - 5 * HOUR, to: NOW - 15 * MINUTE } },
    ...{
      storage: {
        ...createMemoryStorage(new Set()),
        mirrorPage: async () => [],
        bodies: async () => [],
        formerPlaces: async () => [],
      },
      now: NOW,
    },
    watched: (storeId: string | null) => storeId !== null && subscribed.includes(storeId),
    accept: async () => ({ why: 'nothing is accepted here' }),
    turn: async () => {},
    save: async () => {},
    signal: new AbortController().signal,
  }
}

test.each([
  ['each of these has a subscription', ['42', '101'], 1],
  ['one of them has none', ['42'], 0],
])('when a movement is of a stock that stores share, and %s, then so is it judged', async (_, subscribed, missing) => {
  const options = asked(...subscribed)
  const platform = {
    stockMovements: {
      async *list() {
        const moved = { gtin: '70', quantity: parseDecimal(1), stockId: '12', stockName: null, record: { ID: 7 } }
        yield { rows: [{ ...moved, movedAt: '2026-11-20T11:00:00' }], rejected: [] }
      },
    },
  } as unknown as Pick<Platform, 'stockMovements'>
  const list = movementsList({
    ...{ platform, storage: options.storage, places: createPlaces(STORES), lacks: () => null },
    ...{ columns: { id: 'ID' }, mirrored: false },
  })
  const when = { zones: ['Europe/Oslo'], lastDay: '2026-11-20' }
  expect(await reconcileKind({ ...options, ...when, list })).toMatchObject({ missing })
})
