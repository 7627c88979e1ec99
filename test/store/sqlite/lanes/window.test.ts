import { expect, test } from 'vitest'
import { createWindowCount } from '../../../../src/store/sqlite/lanes/window.ts'
import { item } from './items.ts'

/** Room for ten that go out alone, or fifty that go out together. */
const TEN = { items: 10, bytes: 10_000 }

function windowOf(count: number, given: Partial<Parameters<typeof item>[0]> = {}) {
  const window = createWindowCount(TEN)
  const one = item({ id: 1, size: 1, ...given })
  const add = (more: number) => {
    for (let n = 0; n < more; n++) window.add(one)
  }
  add(count)
  return { ...window, addMore: add }
}

test('When nothing is kept, then there is room for all that a lane may keep', () => {
  const window = windowOf(0)
  expect(window.room()).toEqual({ items: 10, bytes: 10_000 })
  expect([window.isFull(), window.isOverfull()]).toEqual([false, false])
})

test('When some are kept, then there is room for the others, until more than half is taken', () => {
  expect(windowOf(1).room()).toEqual({ items: 9, bytes: 9_999 })
  expect(windowOf(5).room()).toEqual({ items: 5, bytes: 9_995 })
  expect(windowOf(6).room()).toBeNull()
  expect(windowOf(1, { size: 5_000 }).room()).toEqual({ items: 9, bytes: 5_000 })
  expect(windowOf(1, { size: 5_001 }).room()).toBeNull()
})

test('When as many as may be are kept, or as many bytes, then it is full; with twice that it is overfull', () => {
  const full = (count: number, size = 1) => {
    const { isFull, isOverfull } = windowOf(count, { size })
    return [isFull(), isOverfull()]
  }
  expect([full(9), full(10), full(19), full(20)]).toEqual([
    [false, false],
    [true, false],
    [true, false],
    [true, true],
  ])
  expect([full(1, 9_999), full(1, 10_000), full(1, 19_999), full(1, 20_000)]).toEqual([
    [false, false],
    [true, false],
    [true, false],
    [true, true],
  ])
})

test('When they go out together, then five count as one', () => {
  expect(windowOf(49, { batch: 'b' }).isFull()).toBe(false)
  expect(windowOf(50, { batch: 'b' }).isFull()).toBe(true)
  // What two of a batch leave counts as whole places: a read of the file brings one more rather than one less.
  expect(windowOf(2, { batch: 'b' }).room()?.items).toBe(10)
})

test('When one leaves, then its room is free again, with all of its bytes', () => {
  const window = windowOf(0)
  const large = item({ id: 1, size: 6_000 })
  window.add(large)
  expect(window.room()).toBeNull()
  window.remove(large)
  expect(window.room()).toEqual({ items: 10, bytes: 10_000 })
})

test('When the body of one is given back, then it takes no room any more, though it keeps its place', () => {
  const window = windowOf(0)
  const large = item({ id: 1, size: 10_000 })
  window.add(large)
  window.dropBody(large)
  expect(large.body).toBeNull()
  expect(window.room()).toEqual({ items: 10, bytes: 10_000 })
  // It leaves as what it is by now.
  window.remove(large)
  window.add(item({ id: 2, size: 1 }))
  expect(window.room()).toEqual({ items: 9, bytes: 9_999 })
})

test('When a hundred thousand wait long, then no more are read, and with twice as many all is forgotten', () => {
  const window = windowOf(99_999, { yields: true })
  expect([window.room() === null, window.isFull()]).toEqual([false, false])
  window.addMore(1)
  expect([window.room() === null, window.isFull(), window.isOverfull()]).toEqual([true, true, false])
  window.addMore(99_999)
  expect(window.isOverfull()).toBe(false)
  window.addMore(1)
  expect(window.isOverfull()).toBe(true)
})

test('When one of those that wait long comes back, then there is room for another', () => {
  const window = windowOf(99_999, { yields: true })
  const last = item({ id: 1, yields: true })
  window.add(last)
  window.remove(last)
  expect(window.isFull()).toBe(false)
})

test('When all is forgotten, then there is room for all', () => {
  const window = windowOf(100_000, { yields: true })
  window.add(item({ id: 1, size: 6_000 }))
  window.clear()
  expect(window.room()).toEqual({ items: 10, bytes: 10_000 })
})

test('When so little is left that a byte would be too much, then a read still brings one', () => {
  const window = createWindowCount({ items: 10, bytes: 0 })
  expect(window.room()).toEqual({ items: 10, bytes: 1 })
})
