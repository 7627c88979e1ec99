import type { Range } from './covered.ts'

/** Adds a range to ranges that are in order and do not touch; so are those that are given back. An empty one adds nothing. */
export function add(ranges: readonly Range[], { from, to }: Range): Range[] {
  if (from >= to) return [...ranges]
  const before = ranges.filter((range) => range.to < from)
  const after = ranges.filter((range) => range.from > to)
  const touched = ranges.filter((range) => range.to >= from && range.from <= to)
  const merged = touched.reduce(
    (one, range) => ({ from: Math.min(one.from, range.from), to: Math.max(one.to, range.to) }),
    { from, to },
  )
  return [...before, merged, ...after]
}

/** Ranges in any order, merged. */
export function merged(ranges: readonly Range[]): Range[] {
  return ranges.reduce(add, [])
}

/** What both cover. */
export function intersected(a: readonly Range[], b: readonly Range[]): Range[] {
  return a.flatMap((one) =>
    b.flatMap((other) => {
      const from = Math.max(one.from, other.from)
      const to = Math.min(one.to, other.to)
      return from < to ? [{ from, to }] : []
    }),
  )
}
