import { expect, test } from 'vitest'
import { createFreshReads } from '../../src/delivery/fresh-reads.ts'

/** A source whose answers are numbered, by a clock of the test's own. */
function source() {
  let now = 1_000
  let asked = 0
  const read = createFreshReads<number>({ now: () => now })
  const { signal } = new AbortController()
  return {
    later: (ms: number) => {
      now += ms
    },
    asked: () => asked,
    ask: (since: number, more: { signal?: AbortSignal; answer?: () => Promise<number> } = {}) =>
      read('A1', since, async () => (more.answer ? await more.answer() : ++asked), more.signal ?? signal),
  }
}

test('When several want to know the same at once, then one question serves them all', async () => {
  const { ask, asked } = source()
  expect(await Promise.all([ask(900), ask(950), ask(1_000)])).toEqual([1, 1, 1])
  expect(asked()).toBe(1)
})

test('When something happened after the question was asked, then its answer is too old', async () => {
  const { ask, later } = source()
  expect(await ask(1_000)).toBe(1)
  later(10)
  expect(await ask(1_005)).toBe(2)
  expect(await ask(1_000)).toBe(2)
})

test('When an answer is some seconds old, then it is asked for anew', async () => {
  const { ask, later } = source()
  await ask(1_000)
  later(3_001)
  expect(await ask(1_000)).toBe(2)
})

test('When a question failed, then the next one is asked', async () => {
  const { ask } = source()
  await expect(ask(1_000, { answer: () => Promise.reject(new Error('away')) })).rejects.toThrow('away')
  expect(await ask(1_000)).toBe(1)
})

test('When whoever asked first leaves, then the others still get the answer', async () => {
  const { ask } = source()
  const first = new AbortController()
  const answer = Promise.withResolvers<number>()
  const left = ask(1_000, { signal: first.signal, answer: () => answer.promise })
  const stayed = ask(1_000)
  first.abort(new Error('no time left'))
  await expect(left).rejects.toThrow('no time left')
  answer.resolve(7)
  expect(await stayed).toBe(7)
})
