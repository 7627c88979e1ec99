import { test } from 'vitest'
import { neverFalsely } from './never-falsely.ts'

test('when lists and webhooks come in a hundred thousand ways, then "complete in records" is never said falsely', {
  timeout: 1_800_000,
}, async () => {
  await neverFalsely(100_000)
})
