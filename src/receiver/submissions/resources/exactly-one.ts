import { isMap } from '../../../config/reading/path.ts'

type Check = (value: Record<string, unknown>) => boolean
type Told = { error: string; when(payload: { value: unknown }): boolean }

/**
 * For `refine(...)`: exactly one of these fields is given, since nobody knows which of two would win. Told together with what else
 * is wrong.
 */
export function exactlyOne(...names: [string, string, ...string[]]): [Check, Told] {
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  return [
    (value) => names.filter((name) => (value[name] ?? null) !== null).length === 1,
    { error: `exactly one of ${listed}`, when: ({ value }) => isMap(value) },
  ]
}
