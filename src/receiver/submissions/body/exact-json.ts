import { isUtf8 } from 'node:buffer'
import { withoutEnd } from '../../../lib/http/without-end.ts'

/** A JSON number whose digits JavaScript's numbers cannot hold: kept as it was typed, so that it can be refused by name. */
export class InexactNumber {
  readonly typed: string

  constructor(typed: string) {
    this.typed = typed
  }
}

/** Whether there may be a number that is not exact: up to 15 digits always are. (Text that looks so costs only time.) */
const LONG_NUMBER = /[\d.]{16,}|\d[eE][+-]?\d/

/** A longer number is nobody's amount, and comparing it takes time that grows with its square (characters). */
const LONGEST_NUMBER = 100

/** JSON as it was typed: a number that would change is an InexactNumber. Throws a SyntaxError that quotes nothing of it. */
export function parseExact(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new SyntaxError('it is not UTF-8')
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, keepTyped) : JSON.parse(text)
  } catch (error) {
    const place = error instanceof Error && /position (\d+)/.exec(error.message)
    throw new SyntaxError(
      place ? `it is broken at character ${Number(place[1]) + 1}` : 'it is broken or ends too early',
    )
  }
}

function keepTyped(_key: string, value: unknown, context?: { source?: string }): unknown {
  const typed = context?.source
  if (typeof value !== 'number' || typed === undefined) return value
  const exact = typed.length <= LONGEST_NUMBER && digitsOf(typed) === digitsOf(String(value))
  return exact ? value : new InexactNumber(typed)
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
