import { describe, expect, test } from 'vitest'
import type { Item } from '../../../../src/store/sqlite/lanes/item.ts'
import { createQueue } from '../../../../src/store/sqlite/lanes/queue.ts'
import { createWindowCount } from '../../../../src/store/sqlite/lanes/window.ts'
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

test('When old events owe more than twice what memory holds, then all is forgotten, to be read again in its order', () => {
  const queue = queueOf([item({ id: 9, size: 20_000 })], { last: false })
  queue.append(item({ id: 10, event: 1 }), NOW)
  expect(queue.take()).toEqual([])
  expect(queue.wants()).toMatchObject({ round: 1, after: { event: 0, delivery: 0 } })
  const below = queueOf([item({ id: 9, size: 19_999 })], { last: false })
  below.append(item({ id: 10, event: 1 }), NOW)
  expect(below.take()).toEqual([[9], [10]])
})

test('When a hundred thousand wait long, then no more are read, and with twice as many all is forgotten', () => {
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
