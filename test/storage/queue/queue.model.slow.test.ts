import { randomInt } from 'node:crypto'
import { test } from 'vitest'
import { compareWithModel } from './model/property.ts'

test.each([1, randomInt(1e9)])(
  'a queue hands out what a scan of the whole file says, in 50,000 steps (seed %d)',
  (seed) => compareWithModel(seed, 50_000),
)
