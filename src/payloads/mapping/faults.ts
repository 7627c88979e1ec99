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
