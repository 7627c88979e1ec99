import { expect, test } from 'vitest'
import type { Operation, Result, StartThread } from '../../../src/lib/thread.ts'
import { createCheckpoints, createPipe } from '../../../src/storage/sqlite/pipe.ts'

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

test('When the WAL has grown, then a thread copies it, and the writer the rest, when nobody waits for it', async () => {
  const { commit, asked } = given({ pages: 1_000, left: [128] })

  for (let nth = 0; nth < 4; nth++) await commit()

  expect(asked).toEqual(['wal-pages', 'copy', 'writer, when it is free: checkpoint'])
})

test('When more comes than the thread copies, then the writer is not kept with it, and the next time goes on', async () => {
  const { commit, asked } = given({ pages: 1_000, left: [500, 400, 129, 90] })

  for (let nth = 0; nth < 4; nth++) await commit()
  expect(asked.splice(0)).toEqual(['wal-pages', 'copy', 'copy', 'copy'])

  for (let nth = 0; nth < 4; nth++) await commit()
  expect(asked).toEqual(['wal-pages', 'copy', 'writer, when it is free: checkpoint'])
})

test('When the thread fails, then the WAL is tried again later', async () => {
  const { commit, asked } = given({ pages: 1_000, left: [null, 0] })

  for (let nth = 0; nth < 4; nth++) await commit()
  expect(asked.splice(0)).toEqual(['wal-pages', 'copy'])

  for (let nth = 0; nth < 4; nth++) await commit()
  expect(asked).toEqual(['wal-pages', 'copy', 'writer, when it is free: checkpoint'])
})

/** A WAL of so many pages, and how many the other thread leaves each time; null: it fails. */
function given({ pages, left }: { pages: number; left: (number | null)[] }) {
  const asked: string[] = []
  const answer = ([operation]: Operation[], value: number | null): Promise<Result[]> => {
    asked.push(operation?.method ?? '')
    const error = { name: 'Error', message: 'disk I/O error', code: 'SQLITE_IOERR' }
    return Promise.resolve([value === null ? { error } : { value }])
  }
  const startThread: StartThread = () => ({
    run: (operations) => answer(operations, left.shift() ?? null),
    end: async () => {},
    async [Symbol.asyncDispose]() {},
  })
  const checkpoints = createCheckpoints({
    writer: { run: (operations) => answer(operations, pages) },
    pipe: { callWhenFree: async (method) => void asked.push(`writer, when it is free: ${method}`) as never },
    path: 'store.db',
    startThread,
  })
  const commit = async () => {
    checkpoints.committed()
    await new Promise(setImmediate)
  }
  return { commit, asked }
}
