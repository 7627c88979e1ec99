import { test } from 'vitest'
import { expectPrunedOnce } from './killed-kit.ts'

test('When a prune is killed at any of its slices, then what stays is whole, and nothing is left behind', () =>
  expectPrunedOnce(400, 'each'))
