import { isId } from '../../../domain/values/id.ts'
import { evaluate } from '../../../lib/jsonata.ts'
import { MappingError } from './mapping-error.ts'

/** The value that an expression of the config gives for this input; undefined: nothing. Throws a MappingError. */
export function resultOf(expression: string, input: object): unknown {
  const result = evaluate(expression, input)
  if ('fault' in result) throw new MappingError('it cannot be evaluated', result.fault)
  return result.value
}

/** Whether an expression holds, as JSONata's $boolean has it. */
export function holds(expression: string, input: object): boolean {
  const value = resultOf(expression, input)
  if (Array.isArray(value)) return value.length > 0
  if (value !== null && typeof value === 'object') return Object.keys(value).length > 0
  return Boolean(value)
}

/** An id that an expression gives, as text; of several the first. Null: none. Throws a MappingError where its digits are lost. */
export function idOf(expression: string, input: object): string | null {
  return asId([resultOf(expression, input)].flat()[0])
}

/** All ids that an expression gives, as text. Throws a MappingError where the digits of one are lost. */
export function idsOf(expression: string, input: object): string[] {
  return listOf(expression, input).flatMap((value) => asId(value) ?? [])
}

function asId(value: unknown): string | null {
  if (typeof value === 'number') return value === 0 ? null : String(withAllDigits(value))
  return typeof value === 'string' && isId(value) ? value.trim() : null
}

/** Whether a number can be none but the one that is meant: beyond 2^53 it stands for its neighbours, too. */
export function hasAllDigits(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

/** The number. Throws a MappingError where it may be another than the one that is meant. */
export function withAllDigits(value: number): number {
  if (hasAllDigits(value)) return value
  throw new MappingError('it gives a number beyond 2^53, whose last digits are lost: give it as text, without $number')
}

/** The value of an expression as a list: JSONata gives a single one of a list bare. */
export function listOf(expression: string, input: object): unknown[] {
  const value = resultOf(expression, input)
  return value === undefined || value === null ? [] : [value].flat()
}
