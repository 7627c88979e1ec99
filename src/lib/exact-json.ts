import { withoutEnd } from './http/without-end.ts'

/*
 * JSON whose numbers JavaScript cannot hold: 9007199254740993 would be read as …992, which is the id of something else.
 */

/** Whether there may be a number that is not exact: up to 15 digits always are. (Text that looks so costs only time.) */
const LONG_NUMBER = /[\d.]{16,}|\d[eE][+-]?\d/

/** Whether a whole number of 16 digits or more may stand where a value begins. (In a text it costs only time.) */
const LONG_WHOLE = /(?:^|[[:,])\s*-?\d{16}/

/** A longer number is nobody's amount, and comparing it takes time that grows with its square (characters). */
const LONGEST_NUMBER = 100

/** JSON in which a number that would change is what `kept` makes of it as it was typed. Throws a SyntaxError. */
export function parseExact(text: string, kept: (typed: string) => unknown): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return parseWithTyped(text, (number, typed) => (isExact(number, typed) ? number : kept(typed)))
}

/**
 * JSON of a system whose ids may be any whole numbers: one beyond 2^53 is text, digit by digit, so that it names the same thing
 * there. Others are numbers, to compute with: what else has more digits than a number holds comes of a sum in binary. Throws a
 * SyntaxError.
 */
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

/** The digits that count, and where the point is among them: equal for 1.50, 15e-1 and 1.5. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = withoutEnd(digits, /0/)
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/**
 * A value as JSON. What is nested too deep to be written (JSON of thousands of levels can be read, and not be written again) is there
 * with its outermost fields only: then it is not whole.
 */
export function jsonOf(value: unknown): { text: string; isWhole: boolean } {
  try {
    return { text: JSON.stringify(value), isWhole: true }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const flat = Object.entries(Object(value)).filter(([, inner]) => typeof inner !== 'object')
    return { text: JSON.stringify(Object.fromEntries(flat)), isWhole: false }
  }
}
