import { test } from 'vitest'
import { neverFalsely } from './never-falsely.ts'

test('when lists and webhooks come as they like, and fail as they like, then "complete in records" is never said falsely', async () => {
  await neverFalsely(100)
})
