import { expect, test } from 'vitest'
import type { Item } from '../../../src/storage/queue/item.ts'
import { createQueue, createWindowCount } from '../../../src/storage/queue/queue.ts'
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
    for (let n = 0; n < more; n++) count.add(item({ id: 1, size: 1, yields: true }))
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
