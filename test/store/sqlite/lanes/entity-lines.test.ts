import { expect, test } from 'vitest'
import { createEntityLines } from '../../../../src/store/sqlite/lanes/entity-lines.ts'
import { isBefore, placeOf } from '../../../../src/store/sqlite/lanes/place.ts'
import { item } from './items.ts'

function lineOf(...items: ReturnType<typeof item>[]) {
  const lines = createEntityLines()
  for (const one of items) lines.join(one)
  return lines
}

const of = (id: number, entity: string | null = 'a', given: { event?: number; yields?: boolean } = {}) =>
  item({ id, entity, ...given })

test('When deliveries join, then they stand in the order of their events, and of one event in that of their ids', () => {
  const [a1, a2, a3, a4] = [
    of(7, 'a', { event: 1 }),
    of(2, 'a', { event: 2 }),
    of(3, 'a', { event: 2 }),
    of(1, 'a', { event: 3 }),
  ]
  const lines = lineOf(a4, a3, a2, a1)
  expect(lines.first('a')).toBe(a1)
  expect(lines.behind(a1)).toEqual([a2, a3, a4])
  expect(lines.behind(a2)).toEqual([])
})

test('When one has no entity, then it stands in no line, whatever the others are called', () => {
  const alone = of(1, null)
  const named = of(2, 'null')
  const lines = lineOf(alone, named)
  expect(lines.first(null)).toBeNull()
  expect(lines.first('null')).toBe(named)
  expect(lines.all()).toEqual([named])
  expect(lines.behind(alone)).toEqual([])
  lines.leave(alone)
  expect(lines.first('null')).toBe(named)
  lines.claimed(alone)
  expect([lines.claimedOf(null), lines.claimedOf('null')]).toEqual([null, null])
  lines.claimed(named)
  lines.unclaimed(alone)
  expect([lines.claimedOf(null), lines.claimedOf('null')]).toEqual([null, named])
})

test('When one leaves, then the next is first; when it was not there, then nobody has left', () => {
  const [a1, a2] = [of(1), of(2)]
  const lines = lineOf(a1, a2)
  lines.leave(a1)
  expect(lines.first('a')).toBe(a2)
  lines.leave(a1)
  expect(lines.all()).toEqual([a2])
  lines.leave(a2)
  expect([lines.first('a'), lines.all()]).toEqual([null, []])
  lines.leave(a2)
  expect(lines.all()).toEqual([])
})

test('When one is looked for by its id, then it is found in the line of its entity only', () => {
  const [a1, a2, b3] = [of(1), of(2), of(3, 'b')]
  const lines = lineOf(a1, a2, b3)
  expect([lines.find('a', 2), lines.find('a', 3), lines.find('c', 1)]).toEqual([a2, null, null])
})

test('When the first waits long, then those behind it wait long, too; an older one that comes before it does not', () => {
  const [a1, a2, a3] = [of(1), of(2), of(3)]
  a2.body = null
  const lines = lineOf(a2, a3, a1)
  expect(a3.body).toBeNull()
  expect(a1.body).not.toBeNull()
  const [b4, b5] = [of(4, 'b'), of(5, 'b')]
  lines.join(b4)
  lines.join(b5)
  expect(b5.body).not.toBeNull()
})

test('When one lets others go first, then it does so as long as all of its entity do', () => {
  const [yielding, patient, urgent] = [of(1, 'a', { yields: true }), of(2, 'a', { yields: true }), of(3)]
  const lines = lineOf(yielding, patient)
  expect([lines.yields(yielding), lines.yields(patient)]).toEqual([true, true])
  lines.join(urgent)
  expect([lines.yields(yielding), lines.yields(patient), lines.yields(urgent)]).toEqual([false, false, false])
  // Without an entity it stands before nobody, and without a line, too.
  lines.join(of(4, 'null'))
  expect(lines.yields(of(5, null, { yields: true }))).toBe(true)
  expect(lines.yields(of(6, 'gone', { yields: true }))).toBe(true)
})

test('When one of an entity is out, then that is known until it is back, though all that waits is forgotten', () => {
  const [a1, b2] = [of(1), of(2, 'b')]
  const lines = lineOf(a1, b2)
  lines.claimed(a1)
  lines.clear()
  expect([lines.all(), lines.first('b')]).toEqual([[], null])
  expect([lines.claimedOf('a'), lines.claimedOf('b')]).toEqual([a1, null])
  lines.unclaimed(a1)
  expect(lines.claimedOf('a')).toBeNull()
})

test('When one is compared with itself, or with one of its event, then only the lower id is before', () => {
  const [first, second] = [placeOf(of(2, 'a', { event: 5 })), placeOf(of(3, 'a', { event: 5 }))]
  expect([isBefore(first, second), isBefore(second, first), isBefore(first, first)]).toEqual([true, false, false])
})
