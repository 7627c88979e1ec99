import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPosPriority } from '../../src/http/pos-priority.ts'

test('When no POS waits, then webhooks are answered at once', () => {
  expect(createPosPriority().turn()).toBeNull()
})

test('When a POS waits, then webhooks are answered a few a turn, in their order, and all of them once it is over', async () => {
  const priority = createPosPriority()
  const over = Promise.withResolvers<void>()
  const asked = priority.during(() => over.promise)
  const answered: number[] = []
  for (let webhook = 1; webhook <= 10; webhook++) void priority.turn()?.then(() => answered.push(webhook))
  await turn()
  await turn()
  expect(answered.length).toBeGreaterThan(0)
  expect(answered.length).toBeLessThan(10)
  over.resolve()
  await asked
  await turn()
  await turn()
  expect(answered).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(priority.turn()).toBeNull()
})

test('When a question fails, then nobody waits because of it', async () => {
  const priority = createPosPriority()
  await expect(priority.during(() => Promise.reject(new Error('the source is down')))).rejects.toThrow('down')
  expect(priority.turn()).toBeNull()
})
