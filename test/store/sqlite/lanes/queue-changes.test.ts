import { describe, expect, test } from 'vitest'
import type { Item } from '../../../../src/store/sqlite/lanes/item.ts'
import { createQueue } from '../../../../src/store/sqlite/lanes/queue.ts'
import { idsOf, item, NOW, roomFor } from './items.ts'

const WINDOW = { items: 10, bytes: 10_000 }

/** A queue that has read these; `last`: there is nothing else in the file. */
function queueOf(items: Item[], { last = true, window = WINDOW } = {}) {
  const queue = createQueue(window)
  queue.filled(0, items, last, NOW)
  return {
    ...queue,
    take: (now = NOW, room: Parameters<typeof roomFor>[0] = {}) => queue.take(now, roomFor(room)).calls.map(idsOf),
  }
}

const DELIVERED = {
  state: 'delivered',
  dueAt: NOW,
  tries: 0,
  finds: 0,
  failingSince: null,
  open: false,
  why: null,
} as const

describe('what is owed while the lane is at work', () => {
  test('When all that there is has been read, then what comes is taken up', () => {
    const queue = queueOf([])
    expect(queue.wants()).toBeNull()
    queue.append(item({ id: 1 }), NOW)
    expect(queue.take()).toEqual([[1]])
  })

  test('When there is more in the file, then what comes waits there; what an old event owes is taken up at once', () => {
    const queue = queueOf([item({ id: 5 })], { last: false })
    queue.append(item({ id: 7 }), NOW)
    queue.append(item({ id: 8, event: 4 }), NOW)
    expect(queue.take()).toEqual([[5], [8]])
    expect(queue.wants()).toMatchObject({ round: 0, after: { event: 5, delivery: 5 } })
    queue.filled(0, [item({ id: 7 })], true, NOW)
    expect(queue.take()).toEqual([[7]])
  })

  test('When memory is full, then what comes stays in the file, and is read from there when there is room', () => {
    const queue = queueOf([item({ id: 1, size: 10_000 })])
    queue.append(item({ id: 2 }), NOW)
    expect(queue.take()).toEqual([[1]])
    expect(queue.wants()).toMatchObject({ after: { event: 1, delivery: 1 } })
    queue.filled(0, [item({ id: 2 })], true, NOW)
    expect(queue.take()).toEqual([[2]])
  })

  test('When memory is not full, then what comes while all is read is taken up at once', () => {
    const queue = queueOf([item({ id: 1, size: 9_999 })])
    queue.append(item({ id: 2 }), NOW)
    expect(queue.take()).toEqual([[1], [2]])
  })

  test('When old events owe more than twice what memory holds, then all is forgotten, to be read again in its order', () => {
    const queue = queueOf([item({ id: 9, size: 20_000 })], { last: false })
    queue.append(item({ id: 10, event: 1 }), NOW)
    expect(queue.take()).toEqual([])
    expect(queue.wants()).toMatchObject({ round: 1, after: { event: 0, delivery: 0 } })
    const below = queueOf([item({ id: 9, size: 19_999 })], { last: false })
    below.append(item({ id: 10, event: 1 }), NOW)
    expect(below.take()).toEqual([[9], [10]])
  })
})

describe('what is not made any more', () => {
  test('When one that waits is ended, then it does not go, and its next does', () => {
    const queue = queueOf([item({ id: 1, entity: 'a' }), item({ id: 2, entity: 'a' })])
    queue.ended('a', 1, NOW)
    expect(queue.take()).toEqual([[2]])
  })

  test('When one behind another is ended, then the line goes on without it', () => {
    const [a1, a2, a3] = [item({ id: 1, entity: 'a' }), item({ id: 2, entity: 'a' }), item({ id: 3, entity: 'a' })]
    const queue = queueOf([a1, a2, a3])
    queue.ended('a', 2, NOW)
    expect([queue.take(), a2.body]).toEqual([[[1]], null])
    queue.settled(a1, DELIVERED, NOW, NOW)
    expect(queue.take()).toEqual([[3]])
    queue.ended('a', 2, NOW)
    queue.ended('b', 3, NOW)
    expect(queue.isClaimed(3)).toBe(true)
  })

  test('When one is ended, then the room that it took is free, and nothing of it more', () => {
    const queue = queueOf([item({ id: 1, entity: 'a', size: 6_000 })], { last: false })
    expect(queue.wants()).toBeNull()
    queue.ended('a', 1, NOW)
    expect(queue.wants()).toMatchObject({ items: 10, bytes: 10_000 })
  })

  test('When one that waits for its time is ended, then its time brings nothing', () => {
    const queue = queueOf([item({ id: 1, entity: 'a', notBefore: NOW + 10 }), item({ id: 2, entity: 'a' })])
    queue.ended('a', 1, NOW)
    expect([queue.take(), queue.take(NOW + 10)]).toEqual([[[2]], []])
  })

  test('When one that is out is ended, then it is not made again when it is given back, and its next goes', () => {
    const a1 = item({ id: 1, entity: 'a' })
    const queue = queueOf([a1, item({ id: 2, entity: 'a' })])
    queue.take()
    queue.ended('a', 1, NOW)
    expect([queue.isClaimed(1), queue.take()]).toEqual([true, []])
    queue.giveBack(a1, NOW)
    expect([queue.isClaimed(1), queue.take()]).toEqual([false, [[2]]])
  })
})

describe('a fuller body', () => {
  const FULLER = new Uint8Array(900)
  const fuller = (body: Uint8Array, subscription: string) => ({
    body,
    subscription,
    bodyHash: 'fuller',
    entity: 'of it',
  })

  test('When it comes for one that waits, then that goes out with it, and takes the room of it', () => {
    const [one, other] = [item({ id: 1 }), item({ id: 2 })]
    const queue = queueOf([one, other], { last: false, window: { items: 10, bytes: 1_000 } })
    expect(queue.wants()).toMatchObject({ bytes: 800 })
    queue.refresh(1, fuller(FULLER, 'other'))
    expect([one.body, one.size]).toEqual([FULLER, 900])
    expect(one.event).toMatchObject({ subscription: 'other', bodyHash: 'fuller', entity: 'of it' })
    expect([other.body?.byteLength, other.event.subscription]).toEqual([100, 'all'])
    expect(queue.wants()).toBeNull()
    queue.take(NOW, { calls: 1 })
    expect(queue.wants()).toMatchObject({ bytes: 900 })
  })

  test('When it comes for one of a batch, then the batch may be full by it', () => {
    const one = item({ id: 1, batch: 'b', entity: 'a' })
    const queue = queueOf([one])
    const batch = { items: 100, bytes: 900, linger: 100 }
    expect(queue.take(NOW, { batch })).toEqual([])
    queue.refresh(1, fuller(FULLER, 'all'))
    expect(queue.take(NOW, { batch })).toEqual([[1]])
  })

  test('When it comes for one behind another, or whose body is not in memory, then both are as they should be', () => {
    const [a1, a2, held] = [
      item({ id: 1, entity: 'a' }),
      item({ id: 2, entity: 'a', event: 2 }),
      item({ id: 3, entity: 'b', event: 2 }),
    ]
    held.state = 'held'
    held.body = null
    const queue = queueOf([a1, a2, held])
    queue.refresh(2, fuller(FULLER, 'other'))
    expect([a2.body, held.body]).toEqual([FULLER, null])
    expect(held.event.subscription).toBe('other')
    expect(a1.event.subscription).toBe('all')
  })

  test('When it comes for one that is out, then that has it if it is given back, and its room is counted once', () => {
    const one = item({ id: 1 })
    const queue = queueOf([one], { last: false })
    queue.take()
    queue.refresh(1, fuller(FULLER, 'other'))
    expect([one.body, one.size]).toEqual([FULLER, 900])
    expect(queue.wants()).toMatchObject({ items: 10, bytes: 10_000 })
    queue.giveBack(one, NOW)
    expect(queue.wants()).toMatchObject({ items: 9, bytes: 9_100 })
    queue.refresh(1, fuller(new Uint8Array(400), 'other'))
    expect(queue.wants()).toMatchObject({ items: 9, bytes: 9_600 })
  })
})

describe('what is out', () => {
  test('When it is asked which are out for a fact, then those are named that would bring it about', () => {
    const queue = queueOf([
      item({ id: 1, effect: 'paid' }),
      item({ id: 2, effect: 'sent', own: true }),
      item({ id: 3 }),
      item({ id: 4, effect: 'paid', notBefore: NOW + 1 }),
      item({ id: 5, effect: 'other' }),
    ])
    queue.take()
    expect(queue.claimedFor(new Set(['paid', 'sent']))).toEqual([1, 2])
    expect(queue.claimedFor(new Set())).toEqual([])
  })

  test('When it is asked which events are being acted on, then those of own systems are left out', () => {
    const [one] = [item({ id: 1, event: 7 })]
    const queue = queueOf([one, item({ id: 2, event: 8, own: true }), item({ id: 3, event: 9, notBefore: NOW + 1 })])
    expect(queue.claimedEvents()).toEqual([])
    queue.take()
    expect([queue.claimedEvents(), queue.isClaimed(2), queue.isClaimed(3)]).toEqual([[7], true, false])
    queue.settled(one, DELIVERED, NOW, NOW)
    expect(queue.claimedEvents()).toEqual([])
  })
})
