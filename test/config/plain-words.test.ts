import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { completed, issuesOf, plainWords } from '../../src/config/reading/issues.ts'

function wordsFor(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { error: plainWords })
  return issuesOf(error?.issues ?? []).map(({ path, expected }) => [...path, expected].join(' '))
}

describe('what was expected, in plain words', () => {
  test.each([
    ['invalid_type', z.string(), undefined, 'text'],
    ['invalid_type', z.string(), 1, 'text: put it in quotes'],
    ['invalid_type', z.number(), 'x', 'a number'],
    ['invalid_type', z.number(), Number.NaN, 'a number'],
    ['invalid_type', z.int(), 1.5, 'a whole number'],
    ['invalid_type', z.boolean(), 'yes', 'true or false'],
    ['invalid_type', z.array(z.string()), 'x', 'a list'],
    ['invalid_type', z.tuple([z.string()]), 'x', 'a list'],
    ['invalid_type', z.object({}), 'x', 'a map of keys and values'],
    ['invalid_type', z.record(z.string(), z.string()), 'x', 'a map of keys and values'],
    ['invalid_type', z.null(), 'x', 'nothing'],
    ['invalid_type', z.never(), 'x', 'nothing'],
    ['invalid_type', z.date(), 'x', 'a date'],
    ['invalid_value', z.literal('all'), 'x', '"all"'],
    ['invalid_value', z.enum(['a', 'b']), 'x', 'one of "a", "b"'],
    ['invalid_value', z.literal([1, true]), 'x', 'one of 1, true'],
    ['invalid_format', z.url(), 'x', 'a URL, such as https://example.com'],
    ['invalid_format', z.email(), 'x', 'an e-mail address'],
    ['invalid_format', z.uuid(), 'x', 'a UUID'],
    ['invalid_format', z.iso.date(), 'x', 'a date, such as 2026-01-31'],
    ['invalid_format', z.string().regex(/^a+$/), 'x', 'text that matches /^a+$/'],
    ['invalid_format', z.string().startsWith('whsec_'), 'x', 'text that begins with "whsec_"'],
    ['invalid_format', z.string().endsWith('.csv'), 'x', 'text that ends with ".csv"'],
    ['invalid_format', z.string().includes('@'), 'x', 'text that holds "@"'],
    ['invalid_format', z.nanoid(), 'x', 'a valid nanoid'],
    ['too_small', z.string().min(2), 'x', 'at least 2 characters'],
    ['too_small', z.string().min(1), '', 'at least 1 character'],
    ['too_small', z.string().length(3), 'x', 'exactly 3 characters'],
    ['too_small', z.array(z.string()).min(1), [], 'at least 1 item in the list'],
    ['too_small', z.number().min(1), 0, 'at least 1'],
    ['too_small', z.number().gt(1), 1, 'more than 1'],
    ['too_big', z.string().max(1), 'xx', 'at most 1 character'],
    ['too_big', z.array(z.string()).max(2), ['a', 'b', 'c'], 'at most 2 items in the list'],
    ['too_big', z.number().lt(1), 1, 'less than 1'],
    ['not_multiple_of', z.number().multipleOf(5), 3, 'a multiple of 5'],
    ['unrecognized_keys', z.strictObject({}), { a: 1, b: 2 }, 'a only keys that are known'],
    ['invalid_key', z.record(z.string().min(2), z.string()), { x: '' }, 'x at least 2 characters'],
    ['invalid_element', z.map(z.string(), z.string()), new Map([['a', 1]]), 'a text: put it in quotes'],
    ['custom', z.string().refine(() => false), 'x', 'another value'],
    ['custom', z.string().refine(() => false, 'a day of the week'), 'x', 'a day of the week'],
  ])('when zod says %s', (_, schema, value, words) => {
    expect(wordsFor(schema, value)[0]).toBe(words)
  })

  test('when no branch of a choice fits, then all of them are named once', () => {
    expect(wordsFor(z.union([z.literal('all'), z.array(z.string()), z.array(z.int())]), 'x')).toEqual([
      '"all" or a list',
    ])
  })

  test('when one branch fits but for something inside, then that is named', () => {
    expect(wordsFor(z.union([z.literal('all'), z.array(z.string())]), ['a', 1])).toEqual(['1 text: put it in quotes'])
    expect(wordsFor(z.union([z.string(), z.strictObject({ a: z.string() })]), { a: 'x', b: 1 })).toEqual([
      'b only keys that are known',
    ])
  })

  test('when the key that chooses a branch holds another value, then those that it may hold are listed', () => {
    const choice = z.discriminatedUnion('type', [
      z.object({ type: z.literal('a') }),
      z.object({ type: z.literal('b') }),
    ])
    expect(wordsFor(choice, { type: 'c' })).toEqual(['type one of "a", "b"'])
  })

  test('when a choice brings its own words, then those are used', () => {
    expect(wordsFor(z.union([z.string(), z.int()], { error: 'a name or a number' }), [])).toEqual([
      'a name or a number',
    ])
  })

  test('when a schema’s message is a sentence, then it is made to fit', () => {
    expect(completed('Must be an http or https URL.')).toBe('an http or https URL')
    expect(completed('Must not have a fragment.')).toBe('a value that must not have a fragment')
    expect(completed('Is given twice.')).toBe('another value: Is given twice')
    expect(completed('a whole number')).toBe('a whole number')
  })
})
