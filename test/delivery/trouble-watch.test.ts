import { expect, test } from 'vitest'
import { createTroubleWatch } from '../../src/delivery/trouble.ts'
import { createLogger } from '../../src/lib/logger.ts'

const unknown = (code: string) => ({ type: 'unknown', code, why: `it said ${code}` }) as const

function watch() {
  return createTroubleWatch('platform', () => 0.5, createLogger('silent'))
}

test('When a gateway gave up on what must not happen twice, then the others wait, and are not made uncertain too', () => {
  for (const code of ['http-502', 'http-504']) {
    const trouble = watch()
    expect(trouble.follow(unknown(code), 1_000)).toBe(true)
    expect(trouble.current()).toMatchObject({ failures: 1, why: `it said ${code}` })
  }
})

test('When one outcome is not known for a reason of its own, then the others go on', () => {
  const trouble = watch()
  expect(trouble.follow(unknown('http-500'), 1_000)).toBe(false)
  expect(trouble.follow(unknown('timeout'), 2_000)).toBe(false)
  expect(trouble.current()).toBe(null)
})
