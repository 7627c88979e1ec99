import { expect, test } from 'vitest'
import { itemOfRow, itemOfStep } from '../../../../src/store/sqlite/lanes/item.ts'
import type { LoadedItem } from '../../../../src/store/sqlite/lanes/loaded-item.ts'
import { owed } from '../../arrivals.ts'
import { eventOf, item, NOW } from './items.ts'

const BODY = new Uint8Array(100)

function row(given: Partial<LoadedItem>): LoadedItem {
  const { delivery, event, size, dueAt, digested, guarded, own, yields } = item({ id: 1 })
  return { delivery, event, size, dueAt, digested, guarded, own, yields, body: BODY, state: 'waiting', ...given }
}

test('When one is read from the file, then its body is kept only where it may go out soon', () => {
  expect(itemOfRow(row({})).body).toBe(BODY)
  expect(itemOfRow(row({ state: 'held' })).body).toBeNull()
  expect(itemOfRow(row({ yields: true })).body).toBeNull()
})

test('When one is read from the file, then it has no place among the due yet', () => {
  const fresh = { turn: 0, readyAt: 0, goesLast: false, waitsForTime: false }
  expect(itemOfRow(row({ own: true, guarded: true }))).toMatchObject({ ...fresh, own: true, guarded: true })
  expect(item({ id: 1 })).toMatchObject(fresh)
})

test('When a step is owed, then it is a delivery that nobody has tried', () => {
  const released = { by: 'kari', reason: 'asked for it' }
  const step = owed({ flow: 'ship', part: '1', entity: 'a', batch: 'b', once: true, effect: 'paid', released })
  expect(itemOfStep(7, step, eventOf(3), BODY, false)).toMatchObject({
    delivery: {
      id: 7,
      flow: 'ship',
      part: '1',
      destination: 'shop',
      urgency: 'prompt',
      entity: 'a',
      batch: 'b',
      once: true,
      effect: 'paid',
      tries: 0,
      finds: 0,
      failingSince: null,
      firstTriedAt: null,
      open: false,
      released,
    },
    event: eventOf(3),
    size: 100,
    dueAt: NOW,
    state: 'waiting',
    yields: false,
  })
  expect(item({ id: 1 }).delivery).toMatchObject({ effect: null, released: null })
})

test('When a step is not to be made before an instant, then it is due then, not when its event came', () => {
  expect([item({ id: 1 }).dueAt, item({ id: 1, notBefore: NOW + 5 }).dueAt]).toEqual([NOW, NOW + 5])
})

test('When it lets others go first, then its body is read for its claim', () => {
  expect([item({ id: 1 }).body?.byteLength, item({ id: 1, yields: true }).body]).toEqual([100, null])
})

test('When it is compared, guarded or of an own system, then that is asked before it goes out', () => {
  const marks = (given: Partial<Parameters<typeof item>[0]>) => {
    const { digested, guarded, own } = item({ id: 1, ...given })
    return { digested, guarded, own }
  }
  const none = { digested: false, guarded: false, own: false }
  expect(marks({})).toEqual(none)
  expect(marks({ digest: 'd', entity: 'a' })).toEqual({ ...none, digested: true })
  expect(marks({ unless: ['paid'] })).toEqual({ ...none, guarded: true })
  expect(marks({ unless: [] })).toEqual(none)
  expect(marks({ own: true })).toEqual({ ...none, own: true })
})
