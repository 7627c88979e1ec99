import { expect, test } from 'vitest'
import { createHands, readHands } from '../../../src/delivery/standing/hands.ts'

/** Larger than 32 bits. */
const BIG = 2 ** 40 + 7

test('When the thread goes over one payload, then that delivery is named, and nothing when it is done', () => {
  const hands = createHands()
  const watcher = readHands(hands.memory)
  const call = hands.take([BIG, 5])
  const before = watcher.pulse()
  call.over(BIG, () => expect(watcher.inHand()).toEqual({ certain: BIG, suspects: [] }))
  expect(watcher.pulse().turn).not.toBe(before.turn)
  expect(watcher.inHand()).toEqual({ certain: null, suspects: [BIG, 5] })
  call.layDown()
  expect(watcher.inHand()).toEqual({ certain: null, suspects: [] })
})

test('When the thread goes over the payloads of a call, then these are suspects; where it has one only, that is named', () => {
  const hands = createHands()
  const watcher = readHands(hands.memory)
  const [many, one] = [hands.take([1, 2]), hands.take([3])]
  many.over(null, () => expect(watcher.inHand()).toEqual({ certain: null, suspects: [1, 2] }))
  one.over(null, () => {
    expect(watcher.inHand()).toEqual({ certain: 3, suspects: [] })
    // What is in its turn, within it, is named; then it is again.
    many.over(1, () => expect(watcher.inHand().certain).toBe(1))
    expect(watcher.inHand().certain).toBe(3)
  })
})

test('When work throws, then it is not in hand any more', () => {
  const hands = createHands()
  const fails = () => {
    throw new Error('it fails')
  }
  expect(() => hands.take([1]).over(1, fails)).toThrow('it fails')
  expect(readHands(hands.memory).inHand().certain).toBe(null)
})

test('When a delivery is carried out alone, then it is named, but for what another is gone over', () => {
  const hands = createHands()
  const watcher = readHands(hands.memory)
  const [alone, other] = [hands.take([1, 4]), hands.take([2])]
  hands.alone(1)
  expect(watcher.inHand().certain).toBe(1)
  alone.over(null, () => expect(watcher.inHand().certain).toBe(1))
  other.over(null, () => expect(watcher.inHand().certain).toBe(2))
  hands.alone(null)
  expect(watcher.inHand().certain).toBe(null)
})

test('When the watcher names one, then the main thread knows it, until it has taken note', () => {
  const hands = createHands()
  readHands(hands.memory).blame(BIG, 1234.5)
  expect(hands.blamed()).toEqual({ delivery: BIG, ms: 1235 })
  hands.forgetBlamed()
  expect(hands.blamed()).toBe(null)
})

test('When deliveries are laid down, then their places are for others; and none of a call is left', () => {
  const hands = createHands()
  const watcher = readHands(hands.memory)
  for (let round = 0; round < 3; round += 1) {
    const call = hands.take(Array.from({ length: 20_000 }, (_, no) => round * 20_000 + no + 1))
    expect(watcher.inHand().suspects).toHaveLength(20_000)
    call.layDown()
    expect(watcher.inHand().suspects).toEqual([])
  }
})

test('When more are under way than there is room to tell apart, then the rest goes on all the same', () => {
  const hands = createHands()
  const watcher = readHands(hands.memory)
  const many = hands.take(Array.from({ length: 40_000 }, (_, no) => no + 1))
  expect(watcher.inHand().suspects).toHaveLength(32_768)
  many.over(39_999, () => expect(watcher.inHand().certain).toBe(39_999))
  many.layDown()
  expect(watcher.inHand().suspects).toEqual([])
})

test('When the loop turns, or takes something in hand, then each can be seen', () => {
  const hands = createHands()
  const watcher = readHands(hands.memory)
  const first = watcher.pulse()
  hands.beat()
  expect(watcher.pulse()).toEqual({ beat: first.beat + 1, turn: first.turn })
  const call = hands.take([1])
  call.over(1, () => {})
  call.over(null, () => {})
  expect(watcher.pulse()).toEqual({ beat: first.beat + 1, turn: first.turn + 4 })
})

test('When nothing was blamed, then nobody is; and the blame of one is not that of another', () => {
  const hands = createHands()
  expect(hands.blamed()).toBe(null)
  const watcher = readHands(hands.memory)
  watcher.blame(5, 10)
  watcher.blame(2 ** 31 + 3, 20.4)
  expect(hands.blamed()).toEqual({ delivery: 2 ** 31 + 3, ms: 20 })
})

test('When one is carried out alone, and its own call is gone over with another’s, then only its own is named', () => {
  const hands = createHands()
  const watcher = readHands(hands.memory)
  const [one, others] = [hands.take([1]), hands.take([2, 3])]
  hands.alone(1)
  others.over(null, () => expect(watcher.inHand()).toEqual({ certain: null, suspects: [2, 3] }))
  one.over(null, () => expect(watcher.inHand()).toEqual({ certain: 1, suspects: [] }))
})
