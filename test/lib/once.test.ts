import { expect, test } from 'vitest'
import { once } from '../../src/hub.ts'

test('When it is called again, then the work is not done again, and its first result is given', () => {
  const asked: string[] = []
  const greet = once((name: string) => {
    asked.push(name)
    return `for ${name}`
  })
  expect([greet('Ada'), greet('Ben')]).toEqual(['for Ada', 'for Ada'])
  expect(asked).toEqual(['Ada'])
})

test('When its result is nothing, then that is remembered, too', () => {
  let calls = 0
  const count = once(() => {
    calls += 1
  })
  count()
  count()
  expect(calls).toBe(1)
})
