import { argumentsOf } from './check.ts'
import type { Selection } from './document.ts'
import { isRefused } from './fault.ts'

type Variables = Readonly<Record<string, unknown>>

/** What a selection shows of a value: a method of it is a field with arguments. */
export function select(value: unknown, fields: readonly Selection[] | null, given: Variables): unknown {
  if (fields === null || value === null || value === undefined) return value ?? null
  if (Array.isArray(value)) return value.map((one) => select(one, fields, given))
  const shown: Record<string, unknown> = {}
  for (const selection of fields) {
    if (selection.on !== null) {
      if (isOfType(value, selection.on)) Object.assign(shown, select(value, selection.fields, given))
      continue
    }
    const field = (value as Record<string, unknown>)[selection.name]
    const found = typeof field === 'function' ? field.call(value, argumentsOf(selection, given)) : field
    shown[selection.name] = select(found, selection.fields, given)
  }
  return shown
}

/** Whatever is refused is an ErrorResult; what is not, is what the fragment waits for. */
function isOfType(value: unknown, type: string): boolean {
  if (type === 'ErrorResult') return isRefused(value)
  return isRefused(value) ? value.__typename === type : !type.endsWith('Error')
}
