/** How the numbers of a file are written, where its owner says so. */
export type DecimalSign = 'point' | 'comma'

/** Decimal text with a point, or what is wrong with it. */
export type ReadNumber = { decimal: string } | { fault: string }

/**
 * A number of a CSV cell as decimal text with a point. A decimal comma is read where it can be nothing else: 1,399 may be
 * one thousand or one point four, so it is a fault, and so is 1.399 beside semicolons, where commas are at home. `sign`
 * settles it for the whole file.
 */
export function readNumber(cell: string, { sign, commas }: { sign: DecimalSign | null; commas: boolean }): ReadNumber {
  if (/^[+-]?\d+$/.test(cell)) return { decimal: cell }
  const [, lead = '', whole = '', mark = '', rest = ''] = /^([+-]?)(\d*)([.,])(\d+)$/.exec(cell) ?? []
  const decimal = `${lead}${whole || '0'}.${rest}`
  if (mark === '') return { fault: `"${cell.slice(0, 60)}" is not a number. ${HOW}` }
  const ours = mark === ',' ? 'comma' : 'point'
  if (sign !== null && sign !== ours)
    return { fault: `"${cell}" has a ${ours}, but the numbers of this file have a ${sign}. ${HOW}` }
  const thousands = /^[1-9]\d{0,2}$/.test(whole) && rest.length === 3
  if (sign === null && thousands && (mark === ',' || commas))
    return {
      fault: `"${cell}" may be ${whole}${rest} or ${whole}.${rest}. Write it so, or say --decimal point or --decimal comma.`,
    }
  return { decimal }
}

const HOW = 'Write it like 1399.50, without thousands signs.'
