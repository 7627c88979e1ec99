import { test } from 'vitest'
import { expectPrunedOnce } from './killed-kit.ts'

// The short form: a kill at each single slice is in killed.soak.ts.
test('When a prune is killed again and again, then what stays is whole, and nothing is left behind', () =>
  expectPrunedOnce(400, [2, 9, 17]))
