import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readNote } from '../../../src/delivery/standing/note.ts'
import { openStanding } from '../../../src/delivery/standing/standing.ts'
import type { DeliveryState } from '../../../src/domain/queue/delivery.ts'
import { eventually } from '../../eventually.ts'
import { createFolder } from '../../folder.ts'
import { createStillClock, createTestLog, settled } from '../kit/parts.ts'

const MINUTE = 60_000

/** What an earlier process left, and how its deliveries stand now. */
async function opened({
  note = {},
  states = {} as Record<number, DeliveryState | Error>,
  limit = null as number | null,
} = {}) {
  const folder = await createFolder()
  const path = join(folder.path, 'hub.standing.json')
  await writeFile(path, JSON.stringify(note))
  const clock = createStillClock()
  const { logger, said, about } = createTestLog()
  const asked: number[] = []
  const stateOf = async (delivery: number) => {
    asked.push(delivery)
    const state = states[delivery] ?? null
    if (state instanceof Error) throw state
    return state
  }
  const standing = openStanding({ path, limit, stateOf, clock, logger })
  return {
    standing,
    clock,
    said,
    about,
    asked,
    path,
    states,
    async [Symbol.asyncDispose]() {
      await standing[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const LEFT = { certain: [{ delivery: 1, ms: 4_200 }], suspects: [2, 3] }

describe('when an earlier process left a note', () => {
  test('then what it says is known, and told', async () => {
    await using given = await opened({ note: LEFT })
    const { standing, said } = given
    expect(said).toMatchObject([{ level: 40, msg: 'hub.stood-still-before', certain: [1], suspects: 2 }])
    expect([standing.isQuiet(), standing.stoodFor(1), standing.stoodFor(2)]).toEqual([false, 4_200, null])
    expect([1, 2, 3, 4].map(standing.isSuspect)).toEqual([false, true, true, false])
    standing.forget([1, 2])
    expect([standing.isQuiet(), standing.stoodFor(1), standing.isSuspect(2)]).toEqual([false, null, false])
    standing.forget([3])
    expect(standing.isQuiet()).toBe(true)
  })

  test('then it is one of certain ones, or of suspects, alone, too', async () => {
    await using certain = await opened({ note: { certain: LEFT.certain } })
    await using suspects = await opened({ note: { suspects: [2] } })
    expect([certain.standing.isQuiet(), suspects.standing.isQuiet()]).toEqual([false, false])
    expect([certain.said.length, suspects.said.length]).toEqual([1, 1])
  })

  test('and there is none, then nothing is known, said, or asked', async () => {
    await using given = await opened()
    expect([given.standing.isQuiet(), given.said, given.clock.waiting()]).toEqual([true, [], 0])
  })

  test('then each minute it is asked whether somebody else has decided, and what is done is forgotten', async () => {
    await using given = await opened({ note: LEFT, states: { 1: 'waiting', 2: 'claimed', 3: 'skipped' } })
    const { standing, clock, asked, states } = given
    clock.advance(MINUTE - 1)
    await settled()
    expect(asked).toEqual([])
    clock.advance(1)
    await settled()
    expect(asked).toEqual([1, 2, 3])
    expect([1, 2, 3].map((one) => standing.isSuspect(one) || standing.stoodFor(one) !== null)).toEqual([
      true,
      true,
      false,
    ])
    states[1] = new Error('locked')
    states[2] = 'held'
    clock.advance(MINUTE)
    await settled()
    expect([standing.stoodFor(1), standing.isSuspect(2)]).toEqual([4_200, false])
    // There is no such delivery any more.
    delete states[1]
    clock.advance(MINUTE)
    await settled()
    expect([standing.isQuiet(), clock.waiting()]).toEqual([true, 0])
  })

  test('and the hub ends, then nobody is asked any more', async () => {
    const given = await opened({ note: LEFT, states: { 1: 'waiting' } })
    await using rest = given
    await rest.standing[Symbol.asyncDispose]()
    given.clock.advance(MINUTE)
    await settled()
    expect([given.asked, given.clock.waiting()]).toEqual([[], 0])
  })

  test('and the hub ends while it asks, then it asks no further', async () => {
    const given = await opened({ note: LEFT, states: { 1: 'waiting', 2: 'waiting', 3: 'waiting' } })
    await using rest = given
    given.clock.advance(MINUTE)
    expect(given.asked).toEqual([1])
    await rest.standing[Symbol.asyncDispose]()
    await settled()
    expect([given.asked, given.clock.waiting()]).toEqual([[1], 0])
  })
})

describe('when the loop of this process stands still', () => {
  /** Longer than it may. */
  function stand(ms: number) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  }
  const LIMIT = 60

  test('over one payload, then that one is known at once, noted, told, and forgotten when it was acted on', async () => {
    await using given = await opened({ limit: LIMIT, states: { 5: 'waiting' } })
    const { standing, about, path, clock } = given
    await standing.watching
    // The watcher may want for a processor of its own.
    await eventually(() => {
      standing.take([5, 6]).over(5, () => stand(4 * LIMIT))
      return standing.stoodFor(5) !== null
    })
    expect([standing.isQuiet(), standing.stoodFor(6), standing.isSuspect(6)]).toEqual([false, null, false])
    await eventually(() => about('hub.stood-still').length > 0)
    expect(about('hub.stood-still')[0]).toMatchObject({ level: 40, deliveries: [5] })
    expect(standing.stoodFor(5)).toBeGreaterThanOrEqual(LIMIT)
    expect(readNote(path).certain).toMatchObject([{ delivery: 5 }])
    expect(clock.waiting()).toBe(1)
    standing.forget([5])
    expect([standing.stoodFor(5), standing.isQuiet()]).toEqual([null, true])
    await eventually(() => !existsSync(path))
  })

  test('and what it stood over was acted on before the watcher has told of it, then it is not known again', async () => {
    await using given = await opened({ limit: LIMIT })
    const { standing, about, path } = given
    await standing.watching
    await eventually(() => {
      standing.take([5]).over(5, () => stand(4 * LIMIT))
      return standing.stoodFor(5) !== null
    })
    standing.forget([5])
    expect([standing.stoodFor(5), standing.isQuiet()]).toEqual([null, true])
    await eventually(() => about('hub.stood-still').length > 0)
    expect(standing.isQuiet()).toBe(true)
    await eventually(() => !existsSync(path))
  })

  test('and nobody may write the note, then the log says so', async () => {
    await using given = await opened({ limit: LIMIT })
    const { logger, about } = createTestLog()
    const path = join(given.path, 'nowhere.json')
    await using standing = openStanding({ path, limit: LIMIT, stateOf: async () => null, clock: given.clock, logger })
    await standing.watching
    const call = standing.take([7])
    await eventually(() => {
      call.over(7, () => stand(4 * LIMIT))
      return standing.stoodFor(7) !== null
    })
    await eventually(() => about('hub.standing-not-noted').length > 0)
    expect(about('hub.standing-not-noted')[0]).toMatchObject({
      level: 40,
      path,
      problem: expect.stringContaining('ENOTDIR'),
    })
  })
})
