import { expect, test } from 'vitest'
import { type LoadedRow, loadedItem } from '../../../src/storage/queue/loading.ts'

const DELIVERY = {
  ...{
    id: 7,
    flow: 'publish',
    part: 'line-1',
    destination: 'shop',
    urgency: 'bulk',
    entity: 'order:A1',
    batch: 'stock',
  },
  ...{ effect: 'told/A1', tries: 2, finds: 1, failingSince: 5, firstTriedAt: 4, crashes: 1 },
} as const
const EVENT = {
  ...{ id: 3, kind: 'SaleCreated', origin: 'platform', subscription: 'all', receivedAt: 2, transportKey: 'k' },
  ...{ identity: 'sale/1', revision: 1, entity: 'receipt:1', bodyHash: '00' },
}

function rowOf(more: object = {}): LoadedRow {
  const ofEvent = Object.fromEntries(Object.entries(EVENT).map(([name, value]) => [`event.${name}`, value]))
  const own = { released: null, state: 'claimed', dueAt: 9, digested: 0, guarded: 0, yields: 0, once: 0, open: 0 }
  return { ...DELIVERY, ...ofEvent, ...own, size: 100, body: null, ...more } as unknown as LoadedRow
}

test('When a row is loaded, then all of its delivery and its event is there; one claimed by a hub that died waits', () => {
  expect(loadedItem(rowOf())).toEqual({
    delivery: { ...DELIVERY, once: false, open: false, released: null },
    event: EVENT,
    ...{ body: null, size: 100, dueAt: 9, state: 'waiting', digested: false, guarded: false, yields: false },
  })
})

test.each([
  [{ digested: 1 }, { digested: true, guarded: false, yields: false }],
  [{ guarded: 1 }, { digested: false, guarded: true, yields: false }],
  [{ yields: 1 }, { digested: false, guarded: false, yields: true }],
  [{ state: 'held' }, { state: 'held' }],
  [{ body: new Uint8Array(4) }, { body: new Uint8Array(4), size: 4 }],
  [{ partition: 0 }, { partition: 0 }],
  [{ once: 1 }, { delivery: { once: true, open: false } }],
  [{ open: 1 }, { delivery: { once: false, open: true } }],
  [{ released: '{"to":"kari@example.com"}' }, { delivery: { released: { to: 'kari@example.com' } } }],
])('When a loaded row has %j, then its item says %j', (row, expected) => {
  expect(loadedItem(rowOf(row))).toMatchObject(expected)
})
