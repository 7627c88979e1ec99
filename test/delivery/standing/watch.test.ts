import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHands } from '../../../src/delivery/standing/hands.ts'
import { type Note, readNote } from '../../../src/delivery/standing/note.ts'
import { NOBODY, startWatch } from '../../../src/delivery/standing/watch.ts'
import type { Stood } from '../../../src/delivery/standing/watch-thread.ts'
import { eventually } from '../../eventually.ts'
import { createFolder } from '../../folder.ts'

/* The watcher by itself: the main thread never stands still here, it only does not say that it turns. */

const LIMIT = 50

/** A watcher of a loop that beats when the test says so. */
async function watching({ note = { certain: [], suspects: [] } as Note, folder = '' } = {}) {
  const own = await createFolder()
  const path = join(own.path, folder, 'hub.standing.json')
  const hands = createHands()
  const watch = startWatch({ memory: hands.memory, path, limit: LIMIT, note }, () => {})
  const stood: Stood[] = []
  const problems: string[] = []
  watch.onStood((one) => stood.push(one))
  watch.onNotNoted((problem) => problems.push(problem))
  return {
    hands,
    watch,
    stood,
    problems,
    path,
    noted: () => readNote(path),
    [Symbol.asyncDispose]: async () => {
      await watch.stop()
      await own[Symbol.asyncDispose]()
    },
  }
}

/** Turns the loop now and then only: between two turns it stands still for long enough. */
function untilStood({ beat }: ReturnType<typeof createHands>, check: () => boolean) {
  let looks = 0
  return eventually(() => {
    looks += 1
    if (looks % 20 === 0) beat()
    return check()
  })
}

test('When the loop stands still over one delivery, then that is noted for certain, for how long, and once more each second', async () => {
  await using given = await watching({ note: { certain: [], suspects: [5, 8] } })
  const { hands, watch, stood, noted } = given
  await watch.watching
  hands.alone(5)
  const [first] = await eventually(() => noted().certain.length === 1 && noted().certain)
  expect(first?.delivery).toBe(5)
  expect(first?.ms).toBeGreaterThanOrEqual(LIMIT)
  // It is a suspect no more; the other one, of an earlier process, still is.
  expect(noted().suspects).toEqual([8])
  expect(hands.blamed()).toMatchObject({ delivery: 5 })
  expect(stood).toEqual([])
  const again = await eventually(() => noted().certain.find(({ ms }) => ms >= 1_000 + (first?.ms ?? 0)) ?? false)
  expect(again.ms).toBeLessThan(2_000 + (first?.ms ?? 0))

  hands.alone(null)
  hands.beat()
  await eventually(() => stood.length > 0)
  expect(stood[0]?.stood).toEqual([{ certain: 5, suspects: [] }])
  expect(stood[0]?.ms).toBeGreaterThanOrEqual(1_000)
  expect(Number.isInteger(stood[0]?.ms)).toBe(true)
})

test('When it stands still over some of which nobody knows the one, then these are suspects, and all of a stretch are told', async () => {
  await using given = await watching({ note: { certain: [{ delivery: 1, ms: 9 }], suspects: [] } })
  const { hands, watch, stood, noted } = given
  await watch.watching
  const call = hands.take([1, 2, 3])
  await eventually(() => noted().suspects.length > 0)
  expect(noted()).toEqual({ certain: [{ delivery: 1, ms: 9 }], suspects: [2, 3] })
  // It goes on to something else without a turn of the loop, and stands over that, too.
  call.layDown()
  hands.take([4]).over(null, () => {})
  await eventually(() => noted().suspects.includes(4))
  hands.beat()
  await eventually(() => stood.length > 0)
  expect(stood[0]?.stood).toEqual([
    { certain: null, suspects: [1, 2, 3] },
    { certain: null, suspects: [4] },
  ])
  // What comes after that is another stretch.
  await untilStood(hands, () => stood.length > 1)
  expect(stood[1]?.stood.length).toBeLessThan(2)
})

test('When it stands still and nothing is in hand, then it is told, and nothing is noted', async () => {
  await using given = await watching()
  const { hands, watch, stood, path } = given
  await watch.watching
  await untilStood(hands, () => stood.length > 0)
  expect(stood[0]?.stood.every(({ certain, suspects }) => certain === null && suspects.length === 0)).toBe(true)
  expect(existsSync(path)).toBe(false)
})

test('When what was noted has been acted on, then it is noted no more', async () => {
  const note = { certain: [{ delivery: 9, ms: 5 }], suspects: [7, 8] }
  await using given = await watching({ note })
  const { watch, noted, path } = given
  await watch.watching
  watch.settled([9, 7])
  await eventually(() => noted().suspects.length === 1)
  expect(noted()).toEqual({ certain: [], suspects: [8] })
  watch.settled([8])
  await eventually(() => !existsSync(path))
})

test('When the hub stops, then what was acted on until then is written down first', async () => {
  await using given = await watching({ note: { certain: [{ delivery: 9, ms: 5 }], suspects: [7] } })
  await given.watch.watching
  given.watch.settled([9])
  await given.watch.stop()
  expect(given.noted()).toEqual({ certain: [], suspects: [7] })
})

test('When the note cannot be written, then the main thread is told why', async () => {
  await using given = await watching({ note: { certain: [], suspects: [7, 8] }, folder: 'nowhere' })
  await given.watch.watching
  given.watch.settled([7])
  await eventually(() => given.problems.length > 0)
  expect(given.problems[0]).toContain('ENOENT')
})

test('When nobody watches, then it is as if the loop always turned', async () => {
  await NOBODY.watching
  await NOBODY.stop()
})

test('When the watcher itself breaks, then that is told, and nobody waits for it', async () => {
  const memory = new SharedArrayBuffer(0) as ReturnType<typeof createHands>['memory']
  const watch = startWatch(
    { memory, path: '/nowhere/hub.standing.json', limit: LIMIT, note: { certain: [], suspects: [] } },
    () => {},
  )
  const errors: unknown[] = []
  watch.onError((error) => errors.push(error))
  await watch.watching
  await watch.stop()
  expect(errors).toEqual([expect.any(RangeError)])
})
