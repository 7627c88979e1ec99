import { test } from 'vitest'
import { neverFalsely } from './never-falsely.ts'

test('when the log is written in a hundred thousand ways, then "complete" is never said falsely', {
  timeout: 1_800_000,
}, async () => {
  await neverFalsely(100_000)
})
