import { expect, test } from 'vitest'
import { BusyError, createSemaphore, createSequentialByKey } from '../../src/lib/semaphore.ts'

const settled = () => new Promise(setImmediate)

/** Work that ends when it is told to, and what began and ended of it, in order. */
function createWorks() {
  const log: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  return {
    log,
    work: (name: string) => async () => {
      log.push(`${name} begins`)
      const end = Promise.withResolvers<void>()
      ends.set(name, end)
      await end.promise
      log.push(`${name} ends`)
      return name
    },
    async end(name: string, error?: Error) {
      if (error) ends.get(name)?.reject(error)
      else ends.get(name)?.resolve()
      await settled()
    },
  }
}

test('so many run at a time, the others in their order, and one that fails keeps nobody waiting', async () => {
  const run = createSemaphore(2)
  const { log, work, end } = createWorks()
  const all = ['a', 'b', 'c', 'd'].map((name) => run(work(name)).catch((error: Error) => error.message))
  await settled()
  expect(log).toEqual(['a begins', 'b begins'])
  await end('b', new Error('b is broken'))
  await end('a')
  expect(log.slice(2)).toEqual(['c begins', 'a ends', 'd begins'])
  await end('d')
  await end('c')
  expect(await Promise.all(all)).toEqual(['a', 'b is broken', 'c', 'd'])
})

test('what comes beyond those that may wait is refused, until one of them has its turn', async () => {
  const run = createSemaphore(1, 1)
  const { log, work, end } = createWorks()
  void run(work('a'))
  void run(work('b'))
  await expect(run(work('c'))).rejects.toThrow(BusyError)
  await end('a')
  void run(work('d'))
  await end('b')
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'd begins'])
})

test('one that is aborted while it waits leaves the line; one that does not end keeps its place', async () => {
  const run = createSemaphore(1)
  const { log, work, end } = createWorks()
  const gone = new AbortController()
  void run(work('a'), gone.signal)
  const waits = run(work('b'), gone.signal)
  void run(work('c'))
  await settled()
  gone.abort(new Error('hung up'))
  await expect(waits).rejects.toThrow('hung up')
  await expect(run(work('d'), gone.signal)).rejects.toThrow('hung up')
  await settled()
  expect(log).toEqual(['a begins'])
  await end('a')
  expect(log.slice(2)).toEqual(['c begins'])
})

test('one that is aborted as its turn comes gives it to the next', async () => {
  const run = createSemaphore(1)
  const { log, work, end } = createWorks()
  const gone = new AbortController()
  void run(async () => {
    await work('a')()
    queueMicrotask(() => gone.abort(new Error('hung up')))
  })
  const waits = run(work('b'), gone.signal)
  const after = run(work('c'))
  waits.catch(() => {})
  after.catch(() => {})
  await settled()
  await end('a')
  await settled()
  expect(log).toContain('c begins')
})

test('of one key one runs at a time; other keys do not wait', async () => {
  const run = createSequentialByKey()
  const { log, work, end } = createWorks()
  const first = run('order 1', work('a'))
  void run('order 1', work('b'))
  void run('order 2', work('c'))
  first.catch(() => {})
  await settled()
  expect(log).toEqual(['a begins', 'c begins'])
  await end('a', new Error('broken'))
  expect(log).toEqual(['a begins', 'c begins', 'b begins'])
})
