import { test } from 'vitest'
import { expectOneEffect, expectOneOrder } from './killed-kit.ts'

// The short form: every other point and deed, and a mail, are in killed.soak.ts.
test('When the hub is killed when the shop has saved the order, then the shop has one order, paid', () =>
  expectOneOrder('saved'))

test('When the hub is killed when the shop has given goods back, then it has given them back once', () =>
  expectOneEffect('return', 'saved'))
