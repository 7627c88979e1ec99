import { expect, test } from 'vitest'
import { isTrouble, longer, type Run } from '../../../src/domain/queue/run.ts'

const runOf = (...deliveries: number[]) =>
  deliveries.reduce<Run | null>((run, delivery, index) => longer(run, 100 + index, delivery), null)

test('When calls fail in a row, then the run knows since when, how many, and whether they were for several deliveries', () => {
  expect(runOf(7)).toEqual({ since: 100, calls: 1, first: 7, several: false })
  expect(runOf(7, 7)).toEqual({ since: 100, calls: 2, first: 7, several: false })
  expect(runOf(7, 8)).toEqual({ since: 100, calls: 2, first: 7, several: true })
  expect(runOf(7, 8, 7)).toEqual({ since: 100, calls: 3, first: 7, several: true })
})

test('When three have failed, then the trouble is the destination’s; two may be chance', () => {
  expect([runOf(7), runOf(7, 8), runOf(7, 8, 9), runOf(7, 7, 7, 7)].map((run) => run && isTrouble(run))).toEqual([
    false,
    false,
    true,
    true,
  ])
})
