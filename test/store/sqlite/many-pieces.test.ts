import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findPieces } from '../../../src/store/sqlite/people/many-pieces.ts'

const letters = (min: number, max: number) =>
  fc.array(fc.constantFrom(...'aab \u00e5'), { minLength: min, maxLength: max }).map((all) => Buffer.from(all.join('')))

test('When several pieces are looked for at once, then each is found wherever it stands, and nowhere else', () => {
  fc.assert(
    fc.property(fc.array(letters(1, 9), { maxLength: 9 }), letters(0, 200), (pieces, bytes) => {
      const found: string[] = []
      findPieces(pieces)(bytes, (at, nth) => found.push(`${nth} ${at}`))
      const there = pieces.flatMap((piece, nth) =>
        [...bytes.keys()].flatMap((at) =>
          bytes.subarray(at, at + piece.length).equals(piece) ? [`${nth} ${at}`] : [],
        ),
      )
      expect(found.sort()).toEqual(there.sort())
    }),
    { numRuns: 2_000 },
  )
})

test('When a piece is longer than a step can be, then it is found all the same', () => {
  const long = 'x'.repeat(700)
  const pieces = ['a', 'b', 'c', 'd'].map((letter) => Buffer.from(`${letter}${long}${letter}`))
  const found: number[] = []
  findPieces(pieces)(Buffer.concat([Buffer.from('-'.repeat(1_000)), ...pieces]), (_, nth) => found.push(nth))
  expect(found).toEqual([0, 1, 2, 3])
})
