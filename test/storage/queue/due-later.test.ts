import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeEmptyStore } from '../../empty-store.ts'
import { DELIVERED, SHOP } from '../acting.ts'
import { temporaryFolder } from '../sqlite/file.ts'
import { callsOf, openQueues } from './lanes-kit.ts'

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(() => folder[Symbol.dispose]())

test('When the one before it is done, then who claims is told of the next, which is due later', async () => {
  using the = openQueues(empty)
  await the.accept(the.about('a'), the.about('a', { notBefore: the.state.now + 10_000 }))
  const first = await the.claim()
  expect([callsOf(first), first.wakeAt]).toEqual([[[1]], null])
  the.woken.length = 0
  await the.settle(first.calls.flat(), DELIVERED)
  const isWoken = the.woken.length > 0
  // Whoever asked now would hear of it.
  expect((await the.claim(SHOP, { calls: 0 })).wakeAt).toBe(the.state.now + 10_000)
  expect(isWoken).toBe(true)
})
