import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openValue, valueEnd } from '../../src/lib/json.ts'

/** Where the value ends that a text begins with, of which so many bytes come at a time; -1: all of it has come, and it has no end. */
function endInPieces(text: string, sizes: readonly number[]): number {
  const bytes = Buffer.from(text)
  const open = openValue()
  let begin = 0
  for (let nth = 0; begin < bytes.length; nth += 1) {
    const piece = bytes.subarray(begin, begin + (sizes[nth % sizes.length] ?? bytes.length))
    const end = valueEnd(piece, 0, open)
    if (end !== -1) return begin + end
    begin += piece.length
  }
  return -1
}

const Sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 })

test('When a value stands before something else, then it ends where JSON says, in pieces of any size', () => {
  const followed = fc.constantFrom(',', ']', '}', '\n', ' ', '\t1', ',"', '\r\n{')
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), followed, Sizes, (value, space, after, sizes) => {
      const text = JSON.stringify(value, null, space)
      const end = Buffer.byteLength(text)
      expect(valueEnd(Buffer.from(text + after), 0)).toBe(end)
      expect(valueEnd(Buffer.from(`${after}${text}${after}`), after.length)).toBe(after.length + end)
      expect(endInPieces(text + after, sizes)).toBe(end)
    }),
    { numRuns: 500 },
  )
})

test('When a value is cut off, then it has no end; a word or a number may go on', () => {
  const whole = '{"a":["\\"}]",{"b":"é😀\\\\"}]}'
  const bytes = Buffer.from(whole)
  for (let cut = 0; cut < bytes.length; cut += 1) {
    const open = openValue()
    expect(valueEnd(bytes.subarray(0, cut), 0, open)).toBe(-1)
    expect(valueEnd(bytes.subarray(cut), 0, open)).toBe(bytes.length - cut)
  }
  const open = openValue()
  expect([valueEnd(Buffer.from('tr'), 0, open), open.bare]).toEqual([-1, true])
  expect(valueEnd(Buffer.from('ue]'), 0, open)).toBe(2)
})
