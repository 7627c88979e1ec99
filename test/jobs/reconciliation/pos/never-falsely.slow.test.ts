import { test } from 'vitest'
import { neverFalsely } from './never-falsely.ts'

test('whatever comes late or never, the POS of a store are never said to have balanced past what is missing', async () => {
  await neverFalsely(75)
})
