import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { completed, issuesOf, plainWords } from '../../src/config/issues.ts'

function wordsFor(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { error: plainWords })
  return issuesOf(error?.issues ?? []).map(({ path, expected }) => [...path, expected].join(' '))
}

describe('what was expected, in plain words', () => {
  test.each([
    ['invalid_type', z.string(), undefined, 'text'],
    ['invalid_type', z.string(), 1, 'text: put it in quotes'],
    ['invalid_type', z.number(), 'x', 'a number'],
    ['invalid_type', z.int(), 1.5, 'a whole number'],
    ['invalid_type', z.boolean(), 'yes', 'true or false'],
    ['invalid_type', z.array(z.string()), 'x', 'a list'],
    ['invalid_type', z.record(z.string(), z.string()), 'x', 'a map of keys and values'],
    ['invalid_value', z.enum(['a', 'b']), 'x', 'one of "a", "b"'],
    ['invalid_format', z.url(), 'x', 'a URL, such as https://example.com'],
    ['invalid_format', z.string().regex(/^a+$/), 'x', 'text that matches /^a+$/'],
    ['invalid_format', z.string().startsWith('whsec_'), 'x', 'text that begins with "whsec_"'],
    ['too_small', z.string().min(2), 'x', 'at least 2 characters'],
    ['too_small', z.string().min(1), '', 'at least 1 character'],
    ['too_small', z.array(z.string()).min(1), [], 'at least 1 item in the list'],
    ['too_small', z.number().min(1), 0, 'at least 1'],
    ['too_big', z.string().max(1), 'xx', 'at most 1 character'],
    ['unrecognized_keys', z.strictObject({}), { a: 1, b: 2 }, 'a only keys that are known'],
    ['invalid_key', z.record(z.string().min(2), z.string()), { x: '' }, 'x at least 2 characters'],
    ['custom', z.string().refine(() => false, 'a day of the week'), 'x', 'a day of the week'],
  ])('when zod says %s', (_, schema, value, words) => {
    expect(wordsFor(schema, value)[0]).toBe(words)
  })

  test('when the key that chooses a branch holds another value, then those that it may hold are listed', () => {
    const choice = z.discriminatedUnion('type', [
      z.object({ type: z.literal('a') }),
      z.object({ type: z.literal('b') }),
    ])
    expect(wordsFor(choice, { type: 'c' })).toEqual(['type one of "a", "b"'])
  })

  test('when a schema’s message is a sentence, then it is made to fit', () => {
    expect(completed('Must be an http or https URL.')).toBe('an http or https URL')
    expect(completed('Must not have a fragment.')).toBe('a value that must not have a fragment')
    expect(completed('Is given twice.')).toBe('another value: Is given twice')
    expect(completed('a whole number')).toBe('a whole number')
  })
})
