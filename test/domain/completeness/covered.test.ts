import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addRange,
  coveredUntil,
  covers,
  intersectRanges,
  mergeRanges,
} from '../../../src/domain/completeness/covered.ts'

const Ranges = fc.array(
  fc.tuple(fc.nat(40), fc.nat(10)).map(([from, length]) => ({ from, to: from + length })),
  { maxLength: 8 },
)
const minutes = Array.from({ length: 60 }, (_, at) => at)

test('when ranges are added in any order, then each instant is covered as one of them covers it, and none touches another', () => {
  fc.assert(
    fc.property(Ranges, Ranges, (some, others) => {
      const ranges = mergeRanges(some)
      const isIn = (all: typeof some, at: number) => all.some(({ from, to }) => from <= at && at < to)
      expect(minutes.filter((at) => isIn(ranges, at))).toEqual(minutes.filter((at) => isIn(some, at)))
      expect(ranges.every(({ from }, nth) => nth === 0 || from > (ranges[nth - 1]?.to ?? 0))).toBe(true)
      const both = intersectRanges(ranges, mergeRanges(others))
      expect(minutes.filter((at) => isIn(both, at))).toEqual(minutes.filter((at) => isIn(some, at) && isIn(others, at)))
      expect(covers(ranges, { from: 0, to: 60 })).toBe(minutes.every((at) => isIn(some, at)))
    }),
  )
})

test('when a range is empty, then nothing is covered, and where nothing is covered, nothing is proven', () => {
  expect(addRange([], { from: 5, to: 5 })).toEqual([])
  expect(coveredUntil([{ from: 1, to: 5 }], 0)).toBe(0)
  expect(coveredUntil([{ from: 1, to: 5 }], 3)).toBe(5)
})

test('when two cover something, then what both cover is a stretch; where they only touch, there is none', () => {
  const range = (from: number, to: number) => ({ from, to })
  expect(intersectRanges([range(0, 10)], [range(5, 20), range(10, 12)])).toEqual([range(5, 10)])
})
