import { test } from 'vitest'
import { neverFalsely } from './never-falsely.ts'

test('when the log is written in any way, and scans fail as they like, then "complete" is never said falsely', async () => {
  await neverFalsely(100)
})
