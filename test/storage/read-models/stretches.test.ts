import { expect, test } from 'vitest'
import { type IdRange, readInIdRanges, STRETCH } from '../../../src/storage/read-models/stretches.ts'

/** A table of ids from 1 on, of which a list wants some; what was read of it. */
function table(last: number, isWanted: (id: number) => boolean) {
  const read: IdRange[] = []
  return {
    read,
    span: { floor: 0, below: last + 1 },
    newest: async (stretch: IdRange, limit: number) => {
      read.push(stretch)
      const ids: number[] = []
      for (let id = stretch.below - 1; id > stretch.above && ids.length < limit; id--) if (isWanted(id)) ids.push(id)
      return ids
    },
    oldest: async (stretch: IdRange, limit: number) => {
      read.push(stretch)
      const ids: number[] = []
      for (let id = stretch.above + 1; id < stretch.below && ids.length < limit; id++) if (isWanted(id)) ids.push(id)
      return ids
    },
  }
}

const ALL = Number.POSITIVE_INFINITY
const LAST = 5 * STRETCH + 7

test('When the newest are wanted, then one stretch is read, and none of it that is not asked for', async () => {
  const { span, newest, read } = table(LAST, () => true)
  expect(await readInIdRanges({ limit: 2 }, span, ALL, newest)).toEqual({ rows: [LAST, LAST - 1], next: null })
  expect(read).toEqual([{ above: LAST - STRETCH, below: LAST + 1 }])
})

test('When few are wanted, then none of them is left out, and none comes twice', async () => {
  const wanted = [1, STRETCH, STRETCH + 1, LAST - STRETCH, LAST - STRETCH - 1, LAST]
  const { span, newest, oldest, read } = table(LAST, (id) => wanted.includes(id))
  const down = await readInIdRanges({}, span, ALL, newest)
  expect(down).toEqual({ rows: [...wanted].sort((a, b) => b - a), next: null })
  expect(read.every(({ above, below }) => below - above <= STRETCH + 1)).toBe(true)
  const up = await readInIdRanges({ after: 0 }, span, ALL, oldest)
  expect(up).toEqual({ rows: [...wanted].sort((a, b) => a - b), next: null })
})

test('When no more is to be looked at, then the list says where it goes on, and goes on there', async () => {
  const { span, newest } = table(LAST, (id) => id === 1)
  const first = await readInIdRanges({}, span, 2 * STRETCH, newest)
  expect(first).toEqual({ rows: [], next: LAST + 1 - 2 * STRETCH })
  const before = first.next ?? 0
  expect(await readInIdRanges({ before }, span, ALL, newest)).toEqual({ rows: [1], next: null })
})
