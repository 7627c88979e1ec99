import { afterEach, expect, test, vi } from 'vitest'
import { inParts, type PartAsked } from '../../src/cli/acts/in-parts.ts'

const codeBefore = process.exitCode
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = codeBefore
})

/** An act of so many parts of 1,000; `at`: called in the midst of each. */
function actOf(parts: number, at: (part: number) => void = () => {}) {
  const asked: PartAsked[] = []
  const ask = async (part: PartAsked) => {
    asked.push(part)
    at(asked.length)
    return { act: 7, next: asked.length === parts ? null : asked.length * 1_000, changed: 1_000 }
  }
  const run = () =>
    inParts(ask, {
      doing: 'changing',
      join: (all, more) => ({ ...more, changed: all.changed + more.changed }),
      far: ({ changed }) => ({ done: changed, of: null }),
    })
  return { asked, run }
}

test('When an act has several parts, then each goes on where the last one ended, under the same act', async () => {
  const { asked, run } = actOf(3)
  expect(await run()).toEqual({ act: 7, next: null, changed: 3_000 })
  expect(asked).toEqual([
    { act: null, after: 0, most: 1_000 },
    { act: 7, after: 1_000, most: 1_000 },
    { act: 7, after: 2_000, most: 1_000 },
  ])
})

test('When a person presses Ctrl-C, then it ends after the part that is under way, and says what was done', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { asked, run } = actOf(9, (part) => {
    if (part === 2) process.emit('SIGINT', 'SIGINT')
  })
  expect(await run()).toMatchObject({ changed: 2_000, next: 2_000 })
  expect(asked).toHaveLength(2)
  expect(said.mock.calls.join()).toMatch(/Stopped\. What is done stays done; it is act 7 of the audit/)
  expect(process.exitCode).toBe(130)
})
