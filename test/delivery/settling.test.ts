import { expect, test } from 'vitest'
import { createSettling } from '../../src/delivery/settling.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogger } from '../../src/lib/logger.ts'
import type { ClaimResult } from '../../src/store/claim.ts'
import { eventually } from '../eventually.ts'

function resultOf(delivery: number): ClaimResult {
  return {
    fence: delivery,
    delivery,
    next: { state: 'delivered', dueAt: 0, why: null, tries: 0, finds: 0, failingSince: null, open: false },
    attempt: { at: 0, ms: 1, outcome: 'delivered', code: 'delivered', note: null },
    links: [],
  }
}

/** A disk that is slow: it writes when it is told to. */
function createDisk() {
  const commits: number[][] = []
  let written = () => {}
  return {
    commits,
    write: () => written(),
    settle(results: ClaimResult[]): Promise<boolean[]> {
      commits.push(results.map(({ delivery }) => delivery))
      return new Promise((resolve) => {
        written = () => resolve(results.map(() => true))
      })
    },
  }
}

test('When five thousand results of one call wait for the disk, then a prompt one goes in the next commit, and its lane goes on', async () => {
  const disk = createDisk()
  const settling = createSettling(disk, systemClock, createLogger('fatal', { write: () => {} }))
  const ends: string[] = []
  const many = Array.from({ length: 5_000 }, (_, no) => resultOf(no + 1))
  settling.settle('bulk', many, () => ends.push('bulk'))
  settling.settle('prompt', [resultOf(9_999)], () => ends.push('prompt'))
  expect([settling.unwritten('prompt'), settling.unwritten('bulk')]).toEqual([1, 5_000])
  disk.write()
  await eventually(() => disk.commits.length === 2)
  expect(disk.commits[1]?.[0]).toBe(9_999)
  disk.write()
  await eventually(() => disk.commits.length === 3)
  expect(ends).toEqual(['prompt'])
  expect(settling.unwritten('prompt')).toBe(0)
  const drained = settling.drained()
  for (let commit = 3; ; commit += 1) {
    disk.write()
    if (settling.unwritten('bulk') === 0) break
    await eventually(() => disk.commits.length > commit || settling.unwritten('bulk') === 0)
  }
  await drained
  expect(ends).toEqual(['prompt', 'bulk'])
  expect(disk.commits.flat()).toHaveLength(5_001)
  expect(Math.max(...disk.commits.map((commit) => commit.length))).toBeLessThanOrEqual(500)
})
