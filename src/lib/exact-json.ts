import { withoutEnd } from './http/without-end.ts'

/** JSON numbers beyond doubles: 9007199254740993 would be read as …992, another id. */

/** Up to 15 digits are exact. Matches inside texts only cost time. */
const LONG_NUMBER = /[\d.]{16,}|\d[eE][+-]?\d/

/** A whole number of 16 digits or more where a value may begin. */
const LONG_WHOLE = /(?:^|[[:,])\s*-?\d{16}/

/** Longer numbers are no amounts; comparing them is quadratic (characters). */
const LONGEST_NUMBER = 100

/** Parses JSON; numbers that would change are passed to `kept` as typed. Throws a SyntaxError. */
export function parseExact(text: string, kept: (typed: string) => unknown): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return parseWithTyped(text, (number, typed) => (isExact(number, typed) ? number : kept(typed)))
}

/** Parses JSON with ids: whole numbers beyond 2^53 become text, other numbers stay numbers. Throws a SyntaxError. */
export function parseWithIds(text: string): unknown {
  if (!LONG_WHOLE.test(text)) return JSON.parse(text)
  return parseWithTyped(text, (number, typed) =>
    Number.isSafeInteger(number) || !/^-?\d+$/.test(typed) ? number : typed,
  )
}

function parseWithTyped(text: string, read: (number: number, typed: string) => unknown): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? read(value, context.source) : value,
  )
}

function isExact(number: number, typed: string): boolean {
  return typed.length <= LONGEST_NUMBER && digitsOf(typed) === digitsOf(String(number))
}

/** Equal for 1.50, 15e-1 and 1.5. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = withoutEnd(digits, /0/)
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** Nesting too deep to serialise is cut to the outermost fields (`isWhole` false). */
export function jsonOf(value: unknown): { text: string; isWhole: boolean } {
  try {
    return { text: JSON.stringify(value), isWhole: true }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const flat = Object.entries(Object(value)).filter(([, inner]) => typeof inner !== 'object')
    return { text: JSON.stringify(Object.fromEntries(flat)), isWhole: false }
  }
}
