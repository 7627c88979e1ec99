import { isSchema, type JsonSchema, mapChildren } from './json-walk.ts'

/** A schema that is shorter than this is written out each time (characters of JSON). */
const WORTH_A_NAME = 1_500

/** Writes what stands in several places once, under `$defs`, so that the file stays as small as the config is simple. */
export function shareRepeated(schema: JsonSchema): JsonSchema {
  const counts = new Map<string, number>()
  count(schema, counts)
  const names = new Map<string, string>()
  for (const [text, times] of counts)
    if (times > 1 && text.length > WORTH_A_NAME) names.set(text, `shared-${names.size + 1}`)
  const $defs: Record<string, JsonSchema> = {}
  const shared = share(schema, names, $defs)
  return Object.keys($defs).length === 0 ? shared : { ...shared, $defs }
}

/** The text of a node stands for it, but for its own description: that stays where it is. */
function textOf({ description: _, ...node }: JsonSchema): string {
  return JSON.stringify(node)
}

function count(node: JsonSchema, counts: Map<string, number>): void {
  const text = textOf(node)
  const times = (counts.get(text) ?? 0) + 1
  counts.set(text, times)
  // A schema within one that is shared is written once already.
  if (times > 1 && text.length > WORTH_A_NAME) return
  mapChildren(node, (child) => {
    count(child, counts)
    return child
  })
}

function share(node: JsonSchema, names: ReadonlyMap<string, string>, $defs: Record<string, JsonSchema>): JsonSchema {
  const name = names.get(textOf(node))
  const within = () => mapChildren(node, (child) => share(child, names, $defs))
  if (name === undefined) return within()
  const { description, ...rest } = isSchema($defs[name]) ? { description: node.description } : within()
  $defs[name] ??= rest
  return { ...(description !== undefined && { description }), $ref: `#/$defs/${name}` }
}
