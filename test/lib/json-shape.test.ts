import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beyondLimits, type JsonLimits } from '../../src/lib/json.ts'

const LIMITS: JsonLimits = { depth: 10, keys: 3_000, items: 4_000, values: 20_000 }

/** Text of 16 KB and more is looked at. */
const PADDING = 'x'.repeat(16_384)

function ask(value: unknown): string | null {
  return beyondLimits(Buffer.from(JSON.stringify(['[{,"\\', PADDING, value])), LIMITS)
}

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { inner: value }
  return value
}

function keys(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}, "quoted"`, n]))
}

describe('limits of JSON', () => {
  test.each([
    ['nested as deep as it may be', nested(9), null],
    ['nested deeper', nested(10), 'it is nested deeper than 10 levels'],
    ['an object with as many fields as it may have', keys(3_000), null],
    ['an object with one more', keys(3_001), 'an object in it has more than 3000 fields'],
    ['a list with as many items as it may have', Array(4_000).fill(1), null],
    ['a list with one more', Array(4_001).fill(1), 'a list in it has more than 4000 items'],
    ['lists that have too many together', Array(6).fill(Array(4_000).fill(1)), 'it has more than 20000 values'],
    ['text that looks like too much of everything', '[{":,\\'.repeat(100_000), null],
  ])('when there is %s, then that is told', (_, value, reported) => {
    expect(ask(value)).toBe(reported)
  })

  test('when a body is small, then it is not looked at', () => {
    expect(beyondLimits(Buffer.from('['.repeat(10_000)), LIMITS)).toBeNull()
  })

  test('when any JSON is within the limits by the parsed value, then it is by its text, and the other way round', () => {
    const small = { depth: 4, keys: 3, items: 3, values: 30 }
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        // Space before the value changes nothing, and makes it large enough to be looked at.
        const reported = beyondLimits(Buffer.from(`${' '.repeat(16_384)}${text}`), small)
        expect(reported === null).toBe(isWithin(JSON.parse(text), small))
      }),
    )
  })
})

/** The same, the plain way. Values are counted as the text has them: a member each. */
function isWithin(value: unknown, limits: JsonLimits, depth = 0, count = { values: 0 }): boolean {
  count.values += 1
  if (typeof value !== 'object' || value === null) return count.values <= limits.values
  const members = Object.values(value)
  if (depth + 1 > limits.depth || members.length > (Array.isArray(value) ? limits.items : limits.keys)) return false
  return members.every((one) => isWithin(one, limits, depth + 1, count)) && count.values <= limits.values
}
