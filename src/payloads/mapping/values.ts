import type { KnownField } from '../known/from.ts'
import { valueAt } from '../read-field.ts'

/** Evaluates JSONata over JSON, in bounded time (lib/jsonata): what it gives (undefined: nothing), or what it fails with. */
export type Evaluate = (
  expression: string,
  input: unknown,
) => { value: unknown } | { fault: Pick<MappingFault, 'code' | 'position'> }

/** The words of config on one field. */
interface Told {
  key: string
  is: KnownField['is']
  where: string
}

interface How {
  /** The values are of rows of a list, not of a payload. */
  isRow: boolean
  evaluate: Evaluate
  faults: MappingFault[]
}

/** Names joined by dots. Those of JSONata that mean themselves are none. */
const PATH = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)*$/u
const CONSTANTS: readonly string[] = ['true', 'false', 'null']

/** Whether it is a path, which is walked in whatever case, as the hub walks its own; other JSONata is evaluated. */
export function isPath(where: string): boolean {
  return PATH.test(where) && !CONSTANTS.includes(where)
}

/** The values of each place, by the hub's own names. Expressions that fail are added to the faults. */
export function valuesOf(told: readonly Told[], originals: readonly unknown[], how: How): Record<string, unknown>[] {
  const paths = told.filter(({ where }) => isPath(where))
  const expressions = told.filter(({ where }) => !isPath(where))
  const evaluated = evaluatedOf(expressions, originals, how)
  return originals.map((original, index) => ({
    ...Object.fromEntries(paths.map(({ key, where }) => [key, valueAt(original, where)])),
    ...evaluated[index],
  }))
}

/** All expressions at once, and one by one where that fails: each may be the only one that does. */
function evaluatedOf(told: readonly Told[], originals: readonly unknown[], how: How): Record<string, unknown>[] {
  if (told.length === 0 || originals.length === 0) return []
  const result = evaluateAll(told, originals, how)
  if (!('fault' in result)) return result.values
  const { code, position } = result.fault
  if (told.length === 1 || code === 'timeout') {
    // Where several are written as one, a position is of none of them.
    const at = told.length === 1 && position !== null ? position - PREFIX[how.isRow ? 'row' : 'whole'].length : null
    for (const { key } of told) how.faults.push({ field: key, code, position: at })
    return []
  }
  const each = told.map((one) => evaluatedOf([one], originals, how))
  return originals.map((_, index) => Object.assign({}, ...each.map((values) => values[index])))
}

/** The beginning of the first expression. A single result of a step is no list in JSONata, so one is made. */
const PREFIX = { row: '[$.{"0":(', whole: '{"0":(' }

type All = { values: Record<string, unknown>[] } | { fault: Pick<MappingFault, 'code' | 'position'> }

function evaluateAll(told: readonly Told[], originals: readonly unknown[], { isRow, evaluate }: How): All {
  // Fields follow each other without line breaks, which would move positions: a comment in JSONata ends by itself.
  const fields = told.map(({ where }, index) => `"${index}":(${where})`).join(',')
  const rows = originals.map(asRecord)
  const result = isRow ? evaluate(`[$.{${fields}}]`, rows) : evaluate(`{${fields}}`, rows[0])
  if ('fault' in result) return result
  const found = isRow ? result.value : [result.value]
  const values = Array.isArray(found) ? found : []
  return {
    values: values.map((value) => Object.fromEntries(told.map((one, index) => [one.key, read(one, value, index)]))),
  }
}

/** A row that is none would not be counted by JSONata. */
function asRecord(value: unknown): object {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
}

function read({ is }: Told, values: unknown, index: number): unknown {
  const value = (Object(values) as Record<string, unknown>)[index]
  // JSONata gives a list of one bare.
  if (is === 'list' && value !== undefined && value !== null) return [value].flat()
  return typeof value === 'number' ? inTens(value) : value
}

/** JSONata counts in twos: 0.1 + 0.2 is meant to be 0.3, as its own $string writes it. */
function inTens(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15))
}

/** An expression of the config that failed on a payload. */
export interface MappingFault {
  /** By the hub's own name. */
  field: string
  /** JSONata's own code (`D3030`), `timeout` or `failed`. Its words may show the payload's values, and are not kept. */
  code: string
  /** The character of the expression, from 1; null: it is about the whole. */
  position: number | null
}

/** Where a mapped payload says what failed on it. */
const NOTED = '~failed'

/** The payload with what failed on it, where something did. */
export function withFaults(payload: object, faults: readonly MappingFault[]): object {
  return faults.length === 0 ? payload : { ...payload, [NOTED]: faults }
}

/** Faults of a mapped payload. A sender's own field of that name says nothing but codes. */
export function faultsIn(payload: unknown): MappingFault[] {
  if (payload === null || typeof payload !== 'object' || !Object.hasOwn(payload, NOTED)) return []
  const noted = (payload as Record<string, unknown>)[NOTED]
  return Array.isArray(noted) ? noted.filter(isFault) : []
}

/** In words: `its expression fails: D3030 at character 4`. */
export function faultText({ code, position }: Pick<MappingFault, 'code' | 'position'>): string {
  return `its expression fails: ${code}${position === null ? '' : ` at character ${position}`}`
}

function isFault(value: unknown): value is MappingFault {
  const { field, code, position } = Object(value) as Record<string, unknown>
  return (
    typeof field === 'string' &&
    /^[\w.]{1,80}$/.test(field) &&
    typeof code === 'string' &&
    /^(?:[A-Z]\d{4}|timeout|failed)$/.test(code) &&
    (position === null || typeof position === 'number')
  )
}
