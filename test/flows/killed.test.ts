import { test } from 'vitest'
import { expectOneOrder } from './killed-kit.ts'

// The short form: every other point, and a mail, are in killed.soak.ts.
test('When the hub is killed when the shop has saved the order, then the shop has one order, paid', () =>
  expectOneOrder('saved'))
