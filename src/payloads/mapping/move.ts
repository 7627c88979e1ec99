import type { KnownField } from '../known/from.ts'

/** Puts what was found where the hub looks first, and takes away whatever else it would look at. */
export function move(
  here: readonly [string, KnownField][],
  copy: object,
  found: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, string>>,
): void {
  const moved = here.filter(([key]) => given[key] !== undefined)
  for (const [, { names }] of moved) for (const name of names) remove(copy, name.split('.'))
  for (const [key, { names }] of moved)
    if (found[key] !== undefined) put(copy, names[0].split('.'), structuredClone(found[key]))
}

/** Takes a field away, in whatever case it is written. */
function remove(record: unknown, [name = '', ...rest]: readonly string[]): void {
  if (record === null || typeof record !== 'object') return
  const fields = record as Record<string, unknown>
  for (const key of Object.keys(fields))
    if (key.toLowerCase() === name.toLowerCase()) {
      if (rest.length > 0) remove(fields[key], rest)
      else delete fields[key]
    }
}

function put(record: object, [name = '', ...rest]: readonly string[], value: unknown): void {
  const fields = record as Record<string, unknown>
  const key = Object.keys(fields).find((one) => one.toLowerCase() === name.toLowerCase()) ?? name
  if (rest.length === 0) {
    fields[key] = value
    return
  }
  const inner = fields[key]
  const next = inner !== null && typeof inner === 'object' ? inner : {}
  fields[key] = next
  put(next, rest, value)
}
