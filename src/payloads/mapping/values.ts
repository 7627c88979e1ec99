import type { KnownField } from '../known/from.ts'
import { valueAt } from '../read-field.ts'

/** Bounded JSONata (lib/jsonata). */
export type Evaluate = (
  expression: string,
  input: unknown,
) => { value: unknown } | { fault: Pick<MappingFault, 'code' | 'position'> }

interface Told {
  key: string
  is: KnownField['is']
  where: string
}

interface How {
  isRow: boolean
  evaluate: Evaluate
  faults: MappingFault[]
}

/** Dotted names; JSONata keywords are excluded. */
const PATH = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)*$/u
const CONSTANTS: readonly string[] = ['true', 'false', 'null']

/** Paths are walked case-insensitively; anything else is JSONata. */
export function isPath(where: string): boolean {
  return PATH.test(where) && !CONSTANTS.includes(where)
}

/** Values by the hub's names; failing expressions are added to the faults. */
export function valuesOf(told: readonly Told[], originals: readonly unknown[], how: How): Record<string, unknown>[] {
  const paths = told.filter(({ where }) => isPath(where))
  const expressions = told.filter(({ where }) => !isPath(where))
  const evaluated = evaluatedOf(expressions, originals, how)
  return originals.map((original, index) => ({
    ...Object.fromEntries(paths.map(({ key, where }) => [key, valueAt(original, where)])),
    ...evaluated[index],
  }))
}

/** All expressions together; one by one if that fails. */
function evaluatedOf(told: readonly Told[], originals: readonly unknown[], how: How): Record<string, unknown>[] {
  if (told.length === 0 || originals.length === 0) return []
  const result = evaluateAll(told, originals, how)
  if (!('fault' in result)) return result.values
  const { code, position } = result.fault
  if (told.length === 1 || code === 'timeout') {
    // A joint position belongs to none of them.
    const at = told.length === 1 && position !== null ? position - PREFIX[how.isRow ? 'row' : 'whole'].length : null
    for (const { key } of told) how.faults.push({ field: key, code, position: at })
    return []
  }
  const each = told.map((one) => evaluatedOf([one], originals, how))
  return originals.map((_, index) => Object.assign({}, ...each.map((values) => values[index])))
}

/** JSONata unwraps single results: force a list. */
const PREFIX = { row: '[$.{"0":(', whole: '{"0":(' }

type All = { values: Record<string, unknown>[] } | { fault: Pick<MappingFault, 'code' | 'position'> }

function evaluateAll(told: readonly Told[], originals: readonly unknown[], { isRow, evaluate }: How): All {
  // No line breaks, which would shift positions; a JSONata comment ends by itself.
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

/** JSONata would skip a row that is no object. */
function asRecord(value: unknown): object {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
}

function read({ is }: Told, values: unknown, index: number): unknown {
  const value = (Object(values) as Record<string, unknown>)[index]
  // JSONata unwraps a list of one.
  if (is === 'list' && value !== undefined && value !== null) return [value].flat()
  return typeof value === 'number' ? inTens(value) : value
}

/** Decimal rounding: 0.1 + 0.2 is 0.3, as $string writes it. */
function inTens(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15))
}

export interface MappingFault {
  field: string
  /** JSONata's code (`D3030`), `timeout` or `failed`; its text may quote values and is dropped. */
  code: string
  /** 1-based; null: unknown. */
  position: number | null
}

/** Key under which a mapped payload holds its faults. */
const NOTED = '~failed'

export function withFaults(payload: object, faults: readonly MappingFault[]): object {
  return faults.length === 0 ? payload : { ...payload, [NOTED]: faults }
}

/** Codes only, even if a sender has a field of that name. */
export function faultsIn(payload: unknown): MappingFault[] {
  if (payload === null || typeof payload !== 'object' || !Object.hasOwn(payload, NOTED)) return []
  const noted = (payload as Record<string, unknown>)[NOTED]
  return Array.isArray(noted) ? noted.filter(isFault) : []
}

/** `its expression fails: D3030 at character 4`. */
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
