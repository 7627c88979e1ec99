import { expect, test } from 'vitest'
import { TROUBLE_ALARM } from '../../../src/domain/queue/lane.ts'
import { adviceOn, isDown } from '../../../src/domain/queue/outcome.ts'

test('When waiting heals nothing, then a person is wanted at once, and told what to mend', () => {
  for (const code of ['http-401', 'http-403', 'http-302', 'login-refused', 'no-api', 'certificate-refused'])
    expect(adviceOn(code)).toMatchObject({ person: true, todo: expect.stringContaining('Nothing is lost') })
})

test('When it may come back by itself, then it is said what that looks like, and nobody is woken yet', () => {
  for (const code of [
    'http-500',
    'http-503',
    'no-answer',
    'unreachable',
    'http-429',
    'unreadable-answer',
    'smtp-550',
    'http-404',
    'whatever',
  ])
    expect(adviceOn(code).person).toBe(false)
  const said = ['http-500', 'no-answer', 'unreachable', 'whatever'].map((code) => adviceOn(code).means)
  expect(new Set(said).size).toBe(4)
})

const CODES = [
  ...[
    'http-401',
    'http-403',
    'files-host-key',
    'files-missing',
    'files-full',
    'no-database',
    'no-api',
    'http-302',
    'certificate-refused',
  ],
  ...['unreadable-answer', 'http-429', 'http-503', 'no-answer', 'unreachable', 'whatever'],
  ...['smtp-554', 'http-404', 'http-400'],
]

test('When there is trouble of any sort, then it has a meaning of its own, and says what to do', () => {
  const advice = CODES.map(adviceOn)
  expect(new Set(advice.map(({ means }) => means)).size).toBe(CODES.length)
  for (const { means, todo } of advice) for (const said of [means, todo]) expect(said).toMatch(/^\w.{10}/)
})

test('When only a person can mend it, then nobody waits; else it is down after a while', () => {
  const since = 1_000
  const down = (code: string, after: number) => isDown({ code, since, why: '', person: false } as never, since + after)
  expect(['files-missing', 'files-full', 'http-401'].map((code) => down(code, 0))).toEqual([true, true, true])
  expect(['http-503', 'files-lost'].map((code) => down(code, TROUBLE_ALARM))).toEqual([false, false])
  expect(down('http-503', TROUBLE_ALARM + 1)).toBe(true)
})
