import { randomInt } from 'node:crypto'
import { test } from 'vitest'
import { compareWithModel } from './model/property.ts'

/* A short form of `queue.model.slow.test.ts`. */

test.each([1, randomInt(1e9)])('a queue hands out what a scan of the whole file says (seed %d)', (seed) =>
  compareWithModel(seed, 1_000),
)
