import { expect, test } from 'vitest'
import type { Room } from '../../../../src/store/claim.ts'
import { createDueCalls } from '../../../../src/store/sqlite/lanes/due-calls.ts'
import type { Item } from '../../../../src/store/sqlite/lanes/item.ts'
import { idsOf, item, NOW } from './items.ts'

const MOST: Room['batch'] = { items: 3, bytes: 1_000, linger: 100 }

/** Items that became due one after the other, now. */
function dueCalls(...items: Item[]) {
  const due = createDueCalls()
  for (const one of items) due.add(one, one.yields, NOW)
  /** The next call, which is taken; null: none may go out. */
  function take({ at = NOW, partly = true, yields = false, most = MOST } = {}): number[] | null {
    const call = due.next(at, most, partly, yields)
    if (call) due.take(call)
    return call && idsOf(call)
  }
  return { ...due, go: take }
}

const batched = (id: number, given: Partial<Parameters<typeof item>[0]> = {}) => item({ id, batch: 'b', ...given })

test('When single ones are due, then each goes alone, the oldest first, until none is left', () => {
  const due = dueCalls(item({ id: 1 }), item({ id: 2 }))
  expect([due.isEmpty(), due.go(), due.isEmpty(), due.go(), due.isEmpty(), due.go()]).toEqual([
    false,
    [1],
    false,
    [2],
    true,
    null,
  ])
})

test('When hundreds of single ones go out, then none is lost or goes twice', () => {
  const due = dueCalls(...Array.from({ length: 600 }, (_, n) => item({ id: n + 1 })))
  const out: number[] = []
  const left: number[] = []
  for (let call = due.go(); call; call = due.go()) {
    out.push(...call)
    left.push(due.all().length)
  }
  expect(out).toEqual(Array.from({ length: 600 }, (_, n) => n + 1))
  expect(left).toEqual(Array.from({ length: 600 }, (_, n) => 599 - n))
})

test('When single ones and full batches are due, then whatever became due first goes first', () => {
  const due = dueCalls(item({ id: 1 }), batched(2), item({ id: 3 }), batched(4), batched(5), item({ id: 6 }))
  expect([due.go(), due.go(), due.go(), due.go()]).toEqual([[1], [2, 4, 5], [3], [6]])
})

test('When two batches may go, then the older one goes first, whichever was filled first', () => {
  const due = dueCalls(
    batched(1, { batch: 'late' }),
    batched(2, { batch: 'early' }),
    batched(3, { batch: 'early' }),
    batched(4, { batch: 'early' }),
    batched(5, { batch: 'late' }),
    batched(6, { batch: 'late' }),
  )
  expect([due.go(), due.go(), due.go()]).toEqual([[1, 5, 6], [2, 3, 4], null])
})

test('When a batch is not full, then it waits for its linger after the last, to the millisecond', () => {
  const due = dueCalls(batched(1))
  due.add(batched(2), false, NOW + 50)
  expect(due.nextAt(NOW, MOST)).toBe(NOW + 150)
  expect(due.go({ at: NOW + 149 })).toBeNull()
  expect(due.go({ at: NOW + 150, partly: false })).toBeNull()
  expect(due.nextAt(NOW + 149, MOST)).toBe(NOW + 150)
  expect(due.nextAt(NOW + 150, MOST)).toBeNull()
  expect(due.go({ at: NOW + 150 })).toEqual([1, 2])
  expect(due.nextAt(NOW, MOST)).toBeNull()
})

test('When others are added again and again, then a batch waits ten lingers after its first', () => {
  const due = dueCalls(batched(1))
  due.add(batched(2), false, NOW + 950)
  expect(due.nextAt(NOW, MOST)).toBe(NOW + 1_000)
  expect([due.go({ at: NOW + 999 }), due.go({ at: NOW + 1_000 })]).toEqual([null, [1, 2]])
})

test('When several batches gather, then the lane wakes for the first of them', () => {
  const due = dueCalls(batched(1))
  due.add(batched(2, { batch: 'other' }), false, NOW + 20)
  expect(due.nextAt(NOW, MOST)).toBe(NOW + 100)
  expect(due.nextAt(NOW + 100, MOST)).toBe(NOW + 120)
})

test('When a batch has enough items, or enough bytes, then it goes at once', () => {
  expect(dueCalls(batched(1), batched(2)).go()).toBeNull()
  expect(dueCalls(batched(1), batched(2), batched(3)).go()).toEqual([1, 2, 3])
  expect(dueCalls(batched(1, { size: 999 })).go()).toBeNull()
  expect(dueCalls(batched(1, { size: 1_000 })).go()).toEqual([1])
  expect(dueCalls(batched(1, { size: 400 }), batched(2, { size: 600 })).go()).toEqual([1, 2])
})

test('When a batch is larger than a call, then it is cut at the items or at the bytes, and one too large goes alone', () => {
  const due = dueCalls(batched(1), batched(2), batched(3), batched(4))
  expect([due.go(), due.go()]).toEqual([[1, 2, 3], null])
  expect(due.go({ at: NOW + 100 })).toEqual([4])

  const sized = dueCalls(
    batched(1, { size: 5_000 }),
    batched(2, { size: 600 }),
    batched(3, { size: 400 }),
    batched(4, { size: 1 }),
  )
  expect([sized.go(), sized.go(), sized.go({ at: NOW + 100 })]).toEqual([[1], [2, 3], [4]])
})

test('When some of a batch have gone, then only what is left counts as its bytes', () => {
  const due = dueCalls(batched(1, { size: 500 }), batched(2, { size: 600 }))
  expect(due.go()).toEqual([1])
  expect(due.go()).toBeNull()
  due.add(batched(3, { size: 399 }), false, NOW)
  expect(due.go()).toBeNull()
  due.add(batched(4, { size: 1 }), false, NOW)
  expect(due.go()).toEqual([2, 3, 4])
})

test('When flows or batches differ, then they do not go out together', () => {
  const due = dueCalls(batched(1), batched(2, { flow: 'other' }), batched(3, { batch: 'c' }))
  const later = { at: NOW + 100 }
  expect([due.go(later), due.go(later), due.go(later), due.go(later)]).toEqual([[1], [2], [3], null])
})

test('When some let others go first, then they are kept apart, single ones and batches', () => {
  const due = dueCalls(item({ id: 1, yields: true }), item({ id: 2 }), batched(3, { yields: true }), batched(4))
  const later = { at: NOW + 100 }
  expect([due.go(later), due.go(later), due.go(later)]).toEqual([[2], [4], null])
  expect(due.isEmpty()).toBe(false)
  const last = { ...later, yields: true }
  expect([due.go(last), due.isEmpty(), due.go(last), due.isEmpty(), due.go(last)]).toEqual([
    [1],
    false,
    [3],
    true,
    null,
  ])
})

test('When one is withdrawn, then it does not go out; when it was not due, then that is said', () => {
  const [single, patient, other, one] = [item({ id: 1 }), item({ id: 2, yields: true }), batched(3), batched(4)]
  const due = dueCalls(single, patient, other)
  expect(due.withdraw(one)).toBe(false)
  expect([due.withdraw(single), due.withdraw(single)]).toEqual([true, false])
  expect([due.withdraw(patient), due.withdraw(other), due.withdraw(other)]).toEqual([true, true, false])
  expect([due.isEmpty(), due.all()]).toEqual([true, []])
  expect(due.nextAt(NOW, MOST)).toBeNull()
})

test('When the second of several is withdrawn, then the others go out', () => {
  const [two, four] = [item({ id: 2 }), batched(4, { size: 900 })]
  const due = dueCalls(item({ id: 1 }), two, item({ id: 3 }), four, batched(5, { size: 100 }))
  due.withdraw(two)
  due.withdraw(four)
  expect([due.go(), due.go(), due.go(), due.go({ at: NOW + 100 })]).toEqual([[1], [3], null, [5]])
})

test('When one has gone and is withdrawn after that, then none of the others is', () => {
  const one = item({ id: 1 })
  const due = dueCalls(one, item({ id: 2 }))
  expect(due.go()).toEqual([1])
  expect(due.withdraw(one)).toBe(false)
  expect(due.go()).toEqual([2])
})

test('When the size of one changes, then its batch counts it as it is, and only if it is due', () => {
  const one = batched(1, { size: 400 })
  const due = dueCalls(one)
  due.resized(batched(2), 600)
  due.resized(item({ id: 3 }), 600)
  expect(due.go()).toBeNull()
  due.resized(one, 600)
  expect(due.go()).toEqual([1])
  due.resized(one, 600)
  expect(due.isEmpty()).toBe(true)
})

test('When all are asked for, then single ones, patient ones and batches are among them, until all is forgotten', () => {
  const due = dueCalls(item({ id: 1 }), item({ id: 2, yields: true }), batched(3), batched(4))
  expect(idsOf(due.all()).sort()).toEqual([1, 2, 3, 4])
  due.clear()
  expect([due.all(), due.isEmpty(), due.go(), due.go({ yields: true })]).toEqual([[], true, null, null])
})
