import { expect, test } from 'vitest'
import { adviceOn } from '../../../src/domain/queue/advice.ts'

test('When waiting heals nothing, then a person is wanted at once, and told what to mend', () => {
  for (const code of ['http-401', 'http-403', 'http-302', 'login-refused', 'no-api'])
    expect(adviceOn(code)).toMatchObject({ person: true, todo: expect.stringContaining('Nothing is lost') })
})

test('When it may come back by itself, then it is said what that looks like, and nobody is woken yet', () => {
  for (const code of ['http-500', 'http-503', 'no-answer', 'unreachable', 'http-429', 'unreadable-answer', 'whatever'])
    expect(adviceOn(code).person).toBe(false)
  const said = ['http-500', 'no-answer', 'unreachable', 'whatever'].map((code) => adviceOn(code).means)
  expect(new Set(said).size).toBe(4)
})
