import { test } from 'vitest'
import { expectNothingLeft } from './any-order.ts'
import { expectOthersKeepTheirs } from './families.ts'

/* An order each; many of them: any-order.soak.ts. */

test('When people are erased while payloads come, are compressed and pruned in any order, then nothing of them is left', () =>
  expectNothingLeft(2))

test('When members of families buy for each other, and are erased in any order, then others lose nothing', () =>
  expectOthersKeepTheirs(1))
