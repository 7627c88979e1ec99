import { expect, test } from 'vitest'
import type { Result } from '../../../src/lib/thread.ts'
import { createPipe } from '../../../src/storage/sqlite/queues/pipe.ts'

test('When the writer is never free, then what can wait has one turn in fifty milliseconds', async () => {
  const { pipe, writer, clock } = openPipe()
  const all: Promise<unknown>[] = [pipe.call('check', []), pipe.call('check', [])]
  all.push(pipe.callWhenFree('shrink', [1]), pipe.callWhenFree('shrink', [2]))
  /** The next group that it is given while somebody else always waits. */
  const next = async () => {
    all.push(pipe.call('check', []))
    await writer.answer()
    return writer.given().at(-1)
  }

  clock.now += 50
  expect(await next()).toEqual(['check'])
  clock.now += 1
  expect(await next()).toEqual(['shrink'])
  for (let nth = 0; nth < 4; nth++) expect(await next()).toEqual(nth === 0 ? ['check', 'check'] : ['check'])
  clock.now += 51
  expect(await next()).toEqual(['shrink'])
  while (writer.isAsked()) await writer.answer()
  await Promise.all([...all, pipe.drained()])
})

/** A pipe to a writer that answers when it is told to. */
function openPipe() {
  const clock = { now: 1_000 }
  const groups: string[][] = []
  const asked: ((result: Result) => void)[] = []
  const thread = {
    run(operations: { method: string }[]) {
      groups.push(operations.map(({ method }) => method))
      const { promise, resolve } = Promise.withResolvers<Result[]>()
      asked.push((result) => resolve(operations.map(() => result)))
      return promise
    },
    end: async () => {},
    async [Symbol.asyncDispose]() {},
  }
  const pipe = createPipe(
    thread,
    'store.db',
    () => {},
    () => clock.now,
  )
  const writer = {
    given: () => groups,
    isAsked: () => asked.length > 0,
    /** Answers the group that was given first, and lets whoever waited for it go on. */
    async answer(result: Result = { value: null }) {
      asked.shift()?.(result)
      await new Promise(setImmediate)
    },
  }
  return { pipe, writer, clock }
}
