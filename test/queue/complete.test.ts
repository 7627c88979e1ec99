import { describe, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../src/domain/values/errors.ts'
import { createResultWriter } from '../../src/queue/worker.ts'
import type { ClaimResult } from '../../src/storage/claim.ts'
import { createStillClock, createTestLog, NOW, resultOf, settled } from './kit/parts.ts'

describe('when a store writes, or not', () => {
  /** A store that answers so, one answer for each write; then it takes all. */
  function given(...answers: (boolean[] | Error | string)[]) {
    const clock = createStillClock()
    const { logger, said } = createTestLog()
    const writes: ClaimResult[][] = []
    const settle = async (results: ClaimResult[]) => {
      writes.push(results)
      const answer = answers.shift() ?? results.map(() => true)
      if (!Array.isArray(answer)) throw answer
      return answer
    }
    const settling = createResultWriter({ settle }, clock, logger)
    const ends: string[] = []
    const settleAll = (name: string, ...ids: number[]) =>
      settling.settle(
        'prompt',
        ids.map((id) => resultOf(id)),
        () => ends.push(name),
      )
    return { clock, said, writes, settling, ends, settleAll }
  }
  const idsOf = (writes: ClaimResult[][]) => writes.map((results) => results.map(({ delivery }) => delivery))

  test('and it is unavailable, then the same results are tried again every second, until they are on disk', async () => {
    const away = new StorageUnavailableError('locked')
    const { clock, said, writes, settling, ends, settleAll } = given(away, away)
    settleAll('one', 1, 2)
    await settled()
    expect([writes.length, settling.unwritten.prompt, ends]).toEqual([1, 2, []])
    clock.advance(999)
    await settled()
    expect(writes).toHaveLength(1)
    for (let second = 0; second < 2; second += 1) {
      clock.advance(1_000)
      await settled()
    }
    expect(idsOf(writes)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ])
    expect([settling.unwritten.prompt, ends, said]).toEqual([0, ['one'], []])
  })

  test('and one result of a commit is at fault, then the others are kept, and that one is held for a person', async () => {
    const fault = new TypeError('a text has no length')
    const { writes, said, settleAll, ends, settling } = given(fault, [true], fault)
    settleAll('all', 1, 2, 3)
    await settling.drained()
    expect(idsOf(writes)).toEqual([[1, 2, 3], [1], [2], [2], [3]])
    const why = 'its result could not be written: a text has no length'
    expect(writes[3]).toEqual([
      {
        fence: 2,
        delivery: 2,
        next: { state: 'held', dueAt: NOW, why, tries: 0, finds: 0, failingSince: null, open: true },
        attempt: { at: NOW, ms: 5, outcome: 'unknown', code: 'result-not-writable', note: why },
        links: [],
      },
    ])
    expect(said).toMatchObject([{ level: 50, msg: 'delivery.result-not-writable', delivery: 2, err: {} }])
    expect(ends).toEqual(['all'])
  })
  test('and to hold it fails as well, then that is tried again every second: it must not go out once more', async () => {
    const fault = new TypeError('it is no text')
    const { clock, writes, settleAll, ends } = given(fault, fault)
    settleAll('one', 1)
    await settled()
    expect([writes.length, ends]).toEqual([2, []])
    clock.advance(999)
    await settled()
    expect(writes).toHaveLength(2)
    clock.advance(1)
    await settled()
    expect(writes[2]).toMatchObject([{ next: { state: 'held' } }])
    expect(ends).toEqual(['one'])
  })

  test('and to hold one fails again and again, then others are written meanwhile, and the log says it once', async () => {
    const fault = new TypeError('it is no text')
    const { clock, said, writes, settling, settleAll, ends } = given(fault, fault, [true], fault, fault)
    settleAll('one', 1)
    await settled()
    settleAll('two', 2)
    await settled()
    expect([ends, settling.unwritten.prompt]).toEqual([['two'], 1])
    for (const [wait, tries] of [
      [1_000, 4],
      [1_000, 4],
      [1_000, 5],
      [3_999, 5],
      [1, 6],
    ] as const) {
      clock.advance(wait)
      await settled()
      expect(writes).toHaveLength(tries)
    }
    expect([ends, settling.unwritten.prompt]).toEqual([['two', 'one'], 0])
    expect(said).toMatchObject([{ msg: 'delivery.result-not-writable', delivery: 1 }])
    expect(said).toHaveLength(1)
  })

  test('and a person has decided about one meanwhile, then its result is not kept, and the log names it', async () => {
    const { said, settleAll, settling } = given([true, false])
    settleAll('both', 1, 2)
    await settling.drained()
    expect(said).toMatchObject([{ level: 40, msg: 'delivery.decided-meanwhile', delivery: 2 }])
    expect(said).toHaveLength(1)
  })
})
