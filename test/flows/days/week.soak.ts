import { test } from 'vitest'
import { playWeek } from './week-kit.ts'

test('When a week of five stores loses, doubles and mixes up webhooks, then books, mirror, shop and platform say the same', async () => {
  await playWeek({ days: 7, customers: 60 })
})
