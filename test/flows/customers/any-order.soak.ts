import { test } from 'vitest'
import { expectNothingLeft } from './any-order.ts'
import { expectOthersKeepTheirs } from './families.ts'

const SEEDS = Array.from({ length: 12 }, (_, nth) => nth + 3)

test.each(SEEDS)(
  'When people are erased while payloads come, are compressed and pruned in any order (%i), then nothing of them is left',
  expectNothingLeft,
)

test.each(SEEDS)(
  'When members of families buy for each other, and are erased in any order (%i), then others lose nothing',
  expectOthersKeepTheirs,
)
