import { expect, test } from 'vitest'
import type { Result, Thread } from '../../../src/lib/thread.ts'
import { createPipe, unwrap } from '../../../src/storage/sqlite/pipe.ts'

/** A writer whose groups end when they are told to. */
function given() {
  const groups: { methods: string[]; transfer: number; answer: PromiseWithResolvers<Result[]> }[] = []
  let commits = 0
  const thread: Pick<Thread, 'run'> = {
    run(operations, transfer = []) {
      const answer = Promise.withResolvers<Result[]>()
      groups.push({ methods: operations.map(({ method }) => method), transfer: transfer.length, answer })
      return answer.promise
    },
  }
  const pipe = createPipe(thread as Thread, '/data/store.db', () => {
    commits += 1
  })
  const call = (method: string, transfer: ArrayBuffer[] = []) =>
    pipe.call(method as 'check', [], (value) => `${method} ${value}`, transfer)
  return { pipe, call, groups, commits: () => commits }
}

const value = (one: unknown): Result => ({ value: one })
const error = (name: string, code: string | null = null): Result => ({ error: { name, message: `${name}!`, code } })
const settled = () => new Promise(setImmediate)

test('When two groups are on their way, then what comes gathers for the next, and each gets its own answer', async () => {
  const { call, groups, commits } = given()
  const answers = [call('a'), call('b', [new ArrayBuffer(1)]), call('c'), call('d', [new ArrayBuffer(1)])]
  expect(groups.map(({ methods }) => methods)).toEqual([['a'], ['b']])
  groups[0]?.answer.resolve([value(1)])
  await settled()
  expect(groups.map(({ methods, transfer }) => [methods, transfer])).toEqual([
    [['a'], 0],
    [['b'], 1],
    [['c', 'd'], 1],
  ])
  groups[1]?.answer.resolve([value(2)])
  groups[2]?.answer.resolve([value(3), value(4)])
  expect(await Promise.all(answers)).toEqual(['a 1', 'b 2', 'c 3', 'd 4'])
  expect(commits()).toBe(3)
  // All is idle again: two may be on their way once more.
  void call('e')
  void call('f')
  void call('g')
  expect(groups.slice(3).map(({ methods }) => methods)).toEqual([['e'], ['f']])
})

test('When one of a group fails, or what is done with its answer does, then the others get theirs', async () => {
  const { pipe, call, groups } = given()
  void call('first')
  void call('second')
  const failing = call('a')
  const throwing = pipe.call('check', [], () => {
    throw new RangeError('too deep')
  })
  const fine = call('c')
  groups[0]?.answer.resolve([value(0)])
  await settled()
  groups[2]?.answer.resolve([error('UserError'), value(1), value(2)])
  await expect(failing).rejects.toMatchObject({ name: 'UserError', message: 'UserError!' })
  await expect(throwing).rejects.toThrow('too deep')
  expect(await fine).toBe('c 2')
})

test('When the thread dies, then all that was on its way is told so, and what comes after is tried', async () => {
  const { call, groups, commits } = given()
  const lost = [call('a'), call('b')]
  groups[0]?.answer.reject(new Error('exit 1'))
  groups[1]?.answer.reject(new Error('exit 1'))
  for (const one of lost)
    await expect(one).rejects.toMatchObject({
      name: 'StorageUnavailableError',
      message: 'The store has stopped. Restart the hub.',
    })
  expect(commits()).toBe(0)
  const next = call('c')
  groups[2]?.answer.resolve([value(1)])
  expect(await next).toBe('c 1')
})

test('When a result is an error, then it is one of the kind that it was there', () => {
  const thrown = (result: Result | undefined) => {
    try {
      return unwrap(result, '/data/store.db')
    } catch (one) {
      const failed = one as Error & { code?: string }
      return { name: failed.name, message: failed.message, code: failed.code, is: failed.constructor.name }
    }
  }
  expect(thrown(value(5))).toBe(5)
  expect(thrown(undefined)).toMatchObject({ name: 'Error', message: 'no result' })
  expect(thrown(error('SqliteError', 'SQLITE_FULL'))).toMatchObject({
    is: 'StorageUnavailableError',
    code: 'SQLITE_FULL',
    message: expect.stringMatching(/^The store cannot write: .+\.$/),
  })
  expect(thrown(error('SqliteError', 'SQLITE_CONSTRAINT'))).toMatchObject({ is: 'Error', name: 'SqliteError' })
  for (const name of ['UserError', 'BrokenPayloadError', 'JobLostError'])
    expect(thrown(error(name))).toMatchObject({ name, is: name, message: `${name}!` })
  expect(thrown(error('TypeError'))).toMatchObject({ name: 'TypeError', is: 'Error' })
})
