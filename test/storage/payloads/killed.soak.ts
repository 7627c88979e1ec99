import { test } from 'vitest'
import { expectPackedOnce } from './killed-kit.ts'

test('When a process that packs is killed again and again, then every payload is there once, as it was', () =>
  expectPackedOnce(6))
