import { test } from 'vitest'
import { playWeek } from './week-kit.ts'

// The whole week is week.soak.ts.
test('When two days of five stores lose, double and mix up webhooks, then books, mirror, shop and platform say the same', async () => {
  await playWeek({ days: 2, customers: 4 })
})
