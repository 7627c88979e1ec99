import { afterEach, expect, test, vi } from 'vitest'
import { inParts, type PartAsked } from '../../src/cli/shared/command.ts'

const codeBefore = process.exitCode
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = codeBefore
})

interface How {
  act: number | null
  rest: (act: number) => string
}

/** An act of so many parts of 1,000; `at`: called in the midst of each. */
function actOf(parts: number, at: (part: number) => void = () => {}, { act = 7, rest }: Partial<How> = {}) {
  const asked: PartAsked[] = []
  const ask = async (part: PartAsked) => {
    asked.push(part)
    at(asked.length)
    return { act, next: asked.length === parts ? null : asked.length * 1_000, changed: 1_000 }
  }
  const run = () => inParts('changing', ask, rest)
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
  expect(said.mock.calls.join()).toMatch(
    /Stopped\. What is done stays done; it is audit entry 7\. The same command does the rest\./,
  )
  expect(process.exitCode).toBe(130)
})

test('When a part fails, then what was done before it is told, and how it goes on, and the failure is that of the command', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const fail = (nth: number) => (part: number) => {
    if (part === nth) throw new Error('No hub answers.')
  }
  await expect(actOf(9, fail(3)).run()).rejects.toThrow('No hub answers.')
  expect(said.mock.calls).toEqual([
    ['Broken off. What is done stays done; it is audit entry 7. The same command does the rest.'],
  ])
  // Of the first one nobody knows whether it began.
  said.mockClear()
  await expect(actOf(9, fail(1)).run()).rejects.toThrow('No hub answers.')
  expect(said).not.toHaveBeenCalled()
})
