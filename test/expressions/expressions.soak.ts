import { expect, test } from 'vitest'
import { expressionsOfHub } from './find.ts'
import { slowOn } from './run.ts'

test.each(expressionsOfHub().map((one) => ({ ...one, place: one.places[0] })))(
  'when /$source/$flags at $place reads texts of a megabyte, then it reads to the end',
  (expression) => {
    expect(slowOn(expression, 1_000_000)).toBeNull()
  },
)
