import { describe, expect, test } from 'vitest'
import type { Next } from '../../../src/domain/queue/delivery.ts'
import { createQueue, createWindowCount, type Item } from '../../../src/storage/queue/queue.ts'
import { idsOf, item, NOW, roomFor } from './items.ts'

const WINDOW = { items: 10, bytes: 10_000 }
const RICHER = { body: new Uint8Array(950), bodyHash: 'richer', subscription: 'all', entity: null }
const RETRY: Next = {
  ...{ state: 'waiting', dueAt: NOW, why: null },
  ...{ tries: 1, finds: 0, failingSince: null, open: false },
}

/** A queue that has read these; `last`: there is nothing else in the file. */
function queueOf(items: Item[], { last = true, window = WINDOW } = {}) {
  const queue = createQueue(window)
  queue.filled(0, items, last, NOW)
  return {
    ...queue,
    take: (now = NOW, room: Parameters<typeof roomFor>[0] = {}) => queue.take(now, roomFor(room)).calls.map(idsOf),
    takeItems: () => queue.take(NOW, roomFor({})).calls.flat(),
  }
}

test('When old events owe more than twice what memory holds, then all is erased, to be read again in its order', () => {
  const queue = queueOf([item({ id: 9, size: 20_000 })], { last: false })
  queue.append(item({ id: 10, event: 1 }), NOW)
  expect(queue.take()).toEqual([])
  expect(queue.wants()).toMatchObject({ round: 1, after: { event: 0, delivery: 0 } })
  const below = queueOf([item({ id: 9, size: 19_999 })], { last: false })
  below.append(item({ id: 10, event: 1 }), NOW)
  expect(below.take()).toEqual([[9], [10]])
})

test('When a hundred thousand wait long, then no more are read, and with twice as many all is erased', () => {
  const count = createWindowCount({ items: 10, bytes: 10_000 })
  const add = (more: number) => {
    for (let n = 0; n < more; n++) count.count(item({ id: 1, size: 1, yields: true }), 1)
  }
  add(99_999)
  expect([count.room() === null, count.isFull()]).toEqual([false, false])
  add(1)
  expect([count.room() === null, count.isFull(), count.isOverfull()]).toEqual([true, true, false])
  add(99_999)
  expect(count.isOverfull()).toBe(false)
  add(1)
  expect(count.isOverfull()).toBe(true)
})

test('When a hundred thousand are held, then what is newer is read all the same', () => {
  const held = Array.from({ length: 100_000 }, (_, n) => ({
    ...item({ id: n + 1, entity: n % 2 === 0 ? `e${n}` : null }),
    ...{ state: 'held' as const, body: null },
  }))
  expect(queueOf(held, { last: false }).wants()).toMatchObject({ after: { delivery: 100_000 }, items: WINDOW.items })
})

describe('a richer body', () => {
  test('a low-priority delivery counts with its new size', () => {
    const queue = queueOf([1, 2].map((id) => item({ id, batch: 'lines', yields: true, size: 100 })))
    queue.refresh(2, RICHER)
    const batch = { items: 2, bytes: 1_000, linger: 0 }
    expect(queue.take(NOW, { batch })).toEqual([[1], [2]])
  })

  test('a delivery without an entity that waits for its time goes out with it', () => {
    const waiting = item({ id: 1, notBefore: NOW + 500 })
    const queue = queueOf([waiting])
    queue.refresh(1, RICHER)
    expect(queue.take(NOW + 500)).toEqual([[1]])
    expect([waiting.body, waiting.event.bodyHash]).toEqual([RICHER.body, RICHER.bodyHash])
  })
})

test('what waits behind a held delivery leaves memory to others, also when an older one came late and went', () => {
  const first = item({ id: 1, event: 2, entity: 'a' })
  const behind = [3, 4, 5, 6, 7, 8].map((id) => item({ id, entity: 'a' }))
  const queue = queueOf([first, ...behind])
  queue.take()
  queue.append(item({ id: 9, event: 1, entity: 'a' }), NOW)
  queue.settled(first, { ...RETRY, state: 'held' }, NOW, NOW)
  const [late] = queue.takeItems()
  if (late) queue.settled(late, { ...RETRY, state: 'delivered' }, NOW, NOW)
  expect(behind.filter(({ body }) => body !== null)).toEqual([])
})

test.each<[string, Partial<Next>, boolean, boolean]>([
  ['is tried again within a second', { dueAt: NOW + 1_000 }, true, true],
  ['waits longer than a second', { dueAt: NOW + 1_001 }, false, false],
  ['is due at once', { dueAt: NOW }, true, true],
  ['is held', { state: 'held' }, false, false],
])('When the first of its entity %s, then bodies stay in memory, or leave it', (_, next, keepsOwn, keepsOthers) => {
  const first = item({ id: 1, entity: 'a' })
  const second = item({ id: 2, entity: 'a' })
  const queue = queueOf([first, second])
  queue.take()
  queue.settled(first, { ...RETRY, ...next }, NOW, NOW)
  expect([first.body !== null, second.body !== null]).toEqual([keepsOwn, keepsOthers])
})

test('When many of one entity wait, then bodies of the first eight are in memory, and that of an older one that comes late', () => {
  const waiting = Array.from({ length: 10 }, (_, n) => item({ id: n + 2, entity: 'a' }))
  const queue = queueOf(waiting)
  expect(waiting.map(({ body }) => body !== null)).toEqual([...Array(8).fill(true), false, false])
  const late = item({ id: 20, event: 1, entity: 'a' })
  queue.append(late, NOW)
  expect(late.body).not.toBeNull()
  expect(queue.take()).toEqual([[20]])
})

test('When the first of an entity has low priority, then the bodies behind it leave memory to others', () => {
  const [first, second] = [item({ id: 1, entity: 'a', yields: true }), item({ id: 2, entity: 'a', yields: true })]
  queueOf([first, second])
  expect([first.body, second.body]).toEqual([null, null])
})

test('When one of low priority comes back untouched, then its body leaves memory again', () => {
  const [low, normal] = [item({ id: 1, yields: true }), item({ id: 2 })]
  const queue = queueOf([low, normal])
  queue.take()
  low.body = new Uint8Array(100)
  for (const one of [low, normal]) queue.giveBack(one, NOW)
  expect([low.body, normal.body]).toEqual([null, new Uint8Array(100)])
  expect(queue.take()).toEqual([[2], [1]])
})

describe('the clock is put back', () => {
  const BACK = NOW - 7_200_000

  test('a batch that is added to all the time goes out after ten times its wait by the new clock', () => {
    const queue = queueOf([item({ id: 1, batch: 'lines' })])
    const batch = { items: 99, bytes: 99_999, linger: 100 }
    expect(queue.take(NOW, { batch })).toEqual([])
    expect(queue.take(BACK, { batch })).toEqual([])
    for (let id = 2; id < 13; id += 1) queue.append(item({ id, batch: 'lines' }), BACK + (id - 1) * 90)
    expect(queue.take(BACK + 999, { batch })).toEqual([])
    expect(queue.take(BACK + 1_000, { batch })).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]])
  })

  test.each([
    ['before', NOW + 10_000_000, BACK + 10_000_000],
    ['since', BACK + 120_000, BACK + 120_000],
  ])('an attempt that ended %s then is repeated after its pause, not at once', (_, dueAt, goesAt) => {
    const one = item({ id: 1 })
    const queue = queueOf([one])
    queue.take(NOW)
    queue.settled(one, { ...RETRY, dueAt }, NOW, BACK)
    expect(queue.take(BACK)).toEqual([])
    expect(queue.take(goesAt - 1)).toEqual([])
    expect(queue.take(goesAt)).toEqual([[1]])
  })

  test('an attempt that is to be repeated at once, without a pause, is so', () => {
    const one = item({ id: 1 })
    const queue = queueOf([one])
    queue.take()
    queue.settled(one, RETRY, NOW, BACK)
    expect(queue.take(BACK)).toEqual([[1]])
  })

  test('a retry that goes out early for it is waited for no more', () => {
    const one = item({ id: 1 })
    const queue = queueOf([one])
    queue.take()
    queue.settled(one, { ...RETRY, dueAt: NOW + 10 }, NOW, NOW)
    expect(queue.nextAt(NOW, roomFor({}).batch)).toBe(NOW + 10)
    expect(queue.take(BACK)).toEqual([[1]])
    expect(queue.nextAt(BACK, roomFor({}).batch)).toBeNull()
  })

  test('a retry that is released goes out at once', () => {
    const one = item({ id: 1 })
    const queue = queueOf([one])
    queue.take(NOW)
    queue.settled(one, { ...RETRY, dueAt: NOW + 10 }, NOW, NOW)
    queue.take(NOW + 10)
    queue.take(BACK)
    queue.giveBack(one, BACK)
    expect(queue.take(BACK)).toEqual([[1]])
  })
})

describe('the file is read again while a delivery is out', () => {
  test('one that ends while a page is read that has it still does not go out again', () => {
    const out = item({ id: 1 })
    const queue = queueOf([out], { last: false })
    queue.take()
    queue.reads()
    queue.dropped(out, NOW)
    queue.filled(0, [item({ id: 1 })], true, NOW)
    expect(queue.take()).toEqual([])
  })

  test('one that fails while a page is read that has it as before waits for its time', () => {
    const out = item({ id: 1 })
    const queue = queueOf([out])
    queue.take()
    queue.reset()
    queue.reads()
    queue.settled(out, { ...RETRY, dueAt: NOW + 500 }, NOW, NOW)
    queue.filled(1, [item({ id: 1 })], true, NOW)
    expect([queue.take(), queue.take(NOW + 500)]).toEqual([[], [[1]]])
  })

  test('a released delivery is as an operator changed it meanwhile', () => {
    const out = item({ id: 1, entity: 'a' })
    const queue = queueOf([out])
    queue.take()
    queue.settled(out, { ...RETRY, tries: 3 }, NOW, NOW)
    queue.take()
    queue.reset()
    queue.filled(1, [item({ id: 1, entity: 'a', yields: true })], true, NOW)
    queue.giveBack(out, NOW)
    expect(queue.take(NOW, { yielding: 0 })).toEqual([])
    expect(queue.takeItems()).toMatchObject([{ delivery: { id: 1, tries: 0 } }])
  })

  test('its body stays, also behind an older delivery of which none is in memory', () => {
    const out = item({ id: 2, entity: 'a' })
    const queue = queueOf([out])
    queue.take()
    queue.reset()
    queue.filled(1, [item({ id: 3, event: 1, entity: 'a', yields: true }), item({ id: 2, entity: 'a' })], true, NOW)
    expect(out.body).not.toBeNull()
  })
})
