import type { Field } from './fields.ts'

/** How the numbers of a file are written. */
export interface Numbers {
  /** The sign before the decimals; null: one that can be nothing else. */
  decimal: '.' | ',' | null
  /** Semicolons stand between cells, so commas may stand in numbers. */
  commas: boolean
}

/** Null: there is nothing. */
export type Value = { value: unknown } | { fault: string } | null

/** A value of JSON, or a cell. */
export function readValue(raw: unknown, as: Field['as'], numbers: Numbers): Value {
  if (raw === null || raw === undefined) return null
  if (typeof raw === 'string') {
    const cell = raw.trim()
    return cell === '' ? null : readCell(cell, as, numbers)
  }
  if (typeof raw === 'number' && as !== 'urls') return readCell(String(raw), as, { decimal: '.', commas: false })
  if (typeof raw === 'boolean' && as === 'boolean') return { value: raw }
  if (as === 'urls' && Array.isArray(raw) && raw.every((one) => typeof one === 'string')) return { value: raw }
  const found = Array.isArray(raw) ? 'a list' : typeof raw === 'object' ? 'an object' : String(raw)
  return { fault: `found ${found}, expected ${EXPECTED[as]}` }
}

const EXPECTED = {
  text: 'text',
  code: 'text',
  decimal: 'a number',
  boolean: 'true or false',
  urls: 'web addresses',
}

function readCell(cell: string, as: Field['as'], numbers: Numbers): Value {
  if (as === 'decimal') return readNumber(cell, numbers)
  if (as === 'boolean') {
    if (/^(true|yes|1)$/i.test(cell)) return { value: true }
    if (/^(false|no|0)$/i.test(cell)) return { value: false }
    return { fault: `found ${shown(cell)}, expected true or false (yes, no, 1, 0)` }
  }
  if (as === 'urls') return { value: cell.split(/[\s|]+/).filter((url) => url !== '') }
  // 7.04E+12: the last digits of a GTIN are lost for good.
  if (as === 'code' && /^\d([.,]\d+)?E\+\d+$/i.test(cell))
    return {
      fault: `${shown(cell)} was a long number until a spreadsheet shortened it: format its column as text there`,
    }
  return { value: cell }
}

/**
 * A number as decimal text with a point. A decimal comma is read where it can be nothing else: 1,399 may be one thousand or
 * one point four, so it is a fault, and so is 1.399 beside semicolons, where commas are at home.
 */
function readNumber(cell: string, { decimal, commas }: Numbers): Value {
  if (/^[+-]?\d+$/.test(cell)) return { value: cell }
  const [, sign = '', whole = '', mark = '', rest = ''] = /^([+-]?)(\d*)([.,])(\d+)$/.exec(cell) ?? []
  if (mark === '') return { fault: `found ${shown(cell)}, expected a number like 1399.50, without thousands signs` }
  if (decimal !== null && mark !== decimal)
    return { fault: `found ${shown(cell)}, expected a number with "${decimal}" before its decimals` }
  const thousands = /^[1-9]\d{0,2}$/.test(whole) && rest.length === 3
  if (decimal === null && thousands && (mark === ',' || commas))
    return { fault: `${shown(cell)} may be ${whole}${rest} or ${whole}.${rest}: csv.decimal in config settles it` }
  return { value: `${sign}${whole || '0'}.${rest}` }
}

function shown(cell: string): string {
  return JSON.stringify(cell.length > 60 ? `${cell.slice(0, 57)}…` : cell)
}
