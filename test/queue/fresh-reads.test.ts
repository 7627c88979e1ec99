import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createFreshReads } from '../../src/queue/order-reader.ts'
import { isErased } from './kit/memory.ts'

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
test('When the clock is put back, then no answer of a time that is still to come is taken for fresh', async () => {
  const { ask, later } = source()
  later(3_600_000)
  await ask(1_000)
  later(-3_600_000)
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

test('When an answer is three seconds old, then it still serves; and a question on its way serves however long it takes', async () => {
  const { ask, asked, later } = source()
  await ask(1_000)
  later(3_000)
  expect(await ask(1_000)).toBe(1)

  const answer = Promise.withResolvers<number>()
  const first = ask(4_000, { answer: () => answer.promise })
  later(60_000)
  const second = ask(4_000)
  answer.resolve(7)
  expect(await Promise.all([first, second])).toEqual([7, 7])
  expect(asked()).toBe(1)
})
test('When an answer came, then whoever waited for it does not hear of its signal any more', async () => {
  const { ask } = source()
  const abort = new AbortController()
  await ask(1_000, { signal: abort.signal })
  expect(getEventListeners(abort.signal, 'abort')).toEqual([])
})

test('When answers are old, then they are given up, but for what is asked still, and what came after that', async () => {
  let now = 0
  const read = createFreshReads<object>({ now: () => now })
  const { signal } = new AbortController()
  async function answered(key: string): Promise<WeakRef<object>> {
    const answer = { key }
    await read(key, now, async () => answer, signal)
    return new WeakRef(answer)
  }
  const first = await answered('A1')
  now = 3_000
  await answered('A2')
  expect(await isErased(first)).toBe(false)
  now = 3_001
  await answered('A2')
  expect(await isErased(first)).toBe(true)
})
