import { expect, test } from 'vitest'
import type { Operation, Result, StartThread } from '../../../src/lib/thread.ts'
import { createCheckpoints } from '../../../src/storage/sqlite/file/checkpoints.ts'

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
