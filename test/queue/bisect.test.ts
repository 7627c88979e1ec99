import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import { bisect, splitForRetry } from '../../src/queue/execute.ts'

const DONE: Outcome = { type: 'delivered', links: [], note: null }
const UNSENT: Outcome = { type: 'retry', scope: 'destination', notBefore: null, code: 'aborted', why: 'cut', cut: true }
const UNANSWERED: Outcome = { type: 'unknown', code: 'no-answer', why: 'cut', cut: true }
const REFUSED: Outcome = { type: 'dead', code: 'refused', why: 'one of them is bad' }

interface Item {
  no: number
  outcome: Outcome | null
  together: boolean
}

function itemsOf(count: number): Item[] {
  return Array.from({ length: count }, (_, no) => ({ no, outcome: null, together: false }))
}

/** Calls that end so when one of these is in them, as long as so many such calls have time. */
async function sendAll(count: number, bad: readonly number[], how: Outcome, time = Number.POSITIVE_INFINITY) {
  const calls: number[] = []
  let failed = 0
  const send = async (some: readonly Item[]): Promise<void> => {
    calls.push(some.length)
    const isBad = some.some(({ no }) => bad.includes(no))
    if (isBad) failed += 1
    for (const item of some) Object.assign(item, { outcome: isBad ? how : DONE, together: isBad })
  }
  const items = itemsOf(count)
  await bisect(items, send, () => failed < time)
  const ends = items.map(({ outcome }) => outcome)
  const left = items.filter(({ outcome }) => outcome !== DONE).map(({ no }) => no)
  return { calls, ends, left }
}

for (const how of [UNSENT, UNANSWERED, REFUSED])
  test(`When there is time, then all but the bad ones arrive, however many are bad (${how.type})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.array(fc.nat(59)), async (count, some) => {
        const bad = [...new Set(some.filter((item) => item < count))].sort((a, b) => a - b)
        const { calls, ends, left } = await sendAll(count, bad, how)
        expect(left).toEqual(bad)
        for (const item of bad) expect(ends[item]).toBe(how)
        expect(Math.min(...calls)).toBeGreaterThan(0)
      }),
    )
  })

for (const how of [UNSENT, UNANSWERED])
  test(`When one of 5,000 hangs, wherever it is, then six calls that take all their time leave a sixteenth (${how.type})`, async () => {
    for (const bad of [0, 1, 77, 2_499, 2_500, 4_999]) {
      const { left } = await sendAll(5_000, [bad], how, 6)
      expect(left.length).toBeLessThanOrEqual(Math.ceil(5_000 / 16))
      expect(left).toContain(bad)
    }
  })

test('When the time is over, then what may have been executed stays cut, and of what was not only what was cut last', async () => {
  const unanswered = await sendAll(64, [0, 20, 40, 60], UNANSWERED, 6)
  expect(unanswered.ends.every((end) => end !== null)).toBe(true)
  const unsent = await sendAll(64, [0, 20, 40, 60], UNSENT, 6)
  const cut = unsent.ends.filter((end) => end === UNSENT).length
  expect(cut).toBeGreaterThan(0)
  expect(cut).toBeLessThan(unsent.ends.filter((end) => end === null).length)
})

test('When there is no time for a half, then all of a call that was cut were', async () => {
  const { ends, calls } = await sendAll(64, [5], UNSENT, 1)
  expect(calls).toEqual([64])
  expect(ends.every((end) => end === UNSENT)).toBe(true)
})

test('When what failed goes out in smaller calls, then none is left out, and after three tries each is alone', () => {
  const items = Array.from({ length: 5_000 }, (_, index) => index)
  for (const [tries, size] of [
    [1, 313],
    [2, 20],
    [3, 1],
    [9, 1],
  ] as const) {
    const pieces = splitForRetry(items, tries)
    expect(pieces.flat()).toEqual(items)
    expect(pieces[0]).toHaveLength(size)
    expect(pieces.every(({ length }) => length > 0)).toBe(true)
  }
})

/** Calls whose ends are given, one list for each call; then the time is over. */
async function sendAs(...calls: Outcome[][]) {
  const sent: number[][] = []
  const send = async (some: readonly Item[]): Promise<void> => {
    const ends = calls[sent.length] ?? []
    sent.push(some.map(({ no }) => no))
    for (const [place, item] of some.entries()) {
      const outcome = ends[place] ?? DONE
      Object.assign(item, { outcome, together: outcome !== DONE })
    }
  }
  const items = itemsOf(4)
  await bisect(items, send, () => sent.length < calls.length)
  return { sent, ends: items.map(({ outcome }) => outcome) }
}

test('When a call is refused, then its first half is taken apart before the second goes out; when it is cut, the second may pass before', async () => {
  const inTurn = await sendAs([REFUSED, REFUSED, REFUSED, REFUSED], [REFUSED, REFUSED], [DONE], [REFUSED], [])
  expect(inTurn.sent).toEqual([[0, 1, 2, 3], [0, 1], [0], [1], [2, 3]])
  const early = await sendAs([UNSENT, UNSENT, UNSENT, UNSENT], [UNSENT, UNSENT], [], [], [UNSENT])
  expect(early.sent).toEqual([[0, 1, 2, 3], [0, 1], [2, 3], [0], [1]])
})
test('When the time is over, then what was refused together with what was cut is not to blame: it goes out again', async () => {
  expect((await sendAs([REFUSED, UNSENT, DONE, DONE])).ends).toEqual([null, UNSENT, DONE, DONE])
})

test('When calls were refused, or done, after one that was cut, then what was cut last stays so', async () => {
  const { sent, ends } = await sendAs([UNSENT, UNSENT, UNSENT, UNSENT], [DONE, DONE])
  expect(sent).toEqual([
    [0, 1, 2, 3],
    [0, 1],
  ])
  expect(ends).toEqual([DONE, DONE, UNSENT, UNSENT])
})
