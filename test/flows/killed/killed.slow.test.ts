import { test } from 'vitest'
import { expectOneEffect } from './killed-kit.ts'

// The short form: every other point and deed, an order, and a mail, are in killed.soak.ts.
test('When the hub is killed when the shop has given goods back, then it has given them back once', () =>
  expectOneEffect('return', 'saved'))
