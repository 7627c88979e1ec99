import { pick, type Random } from '../seed/random.ts'

/** A payload whose names are other ones: how it is written, and the schema that says so. */
interface Drawn {
  schema: Schema
  write(value: unknown): unknown
}

/** As much of JSON Schema as the schemas of this platform use. */
interface Schema {
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  [key: string]: unknown
}

/** Where a field stands now: its name, or that of an object with its name in there. */
type Place = readonly [string] | readonly [wrapper: string, name: string]

/**
 * Draws new names for every field of a schema, at any depth; some fields are put into an object more. What `write` makes of a
 * payload of the old schema satisfies the new one. Names at the root that are in `kept` stay.
 */
export function drawFields(schema: object, random: Random, kept: readonly string[] = []): Drawn {
  return drawn(schema as Schema, random, kept)
}

function drawn(schema: Schema, random: Random, kept: readonly string[] = []): Drawn {
  if (schema.properties) return drawnObject(schema, schema.properties, random, kept)
  if (schema.items) {
    const item = drawn(schema.items, random)
    const write = (value: unknown) => (Array.isArray(value) ? value.map((one) => item.write(one)) : value)
    return { schema: { ...schema, items: item.schema }, write }
  }
  if (schema.anyOf) {
    // One that may be null: what is not null is of the others.
    const ways = schema.anyOf.map((way) => drawn(way, random))
    const write = (value: unknown) =>
      value === null ? null : ways.reduce<unknown>((written, way) => way.write(written), value)
    return { schema: { ...schema, anyOf: ways.map((way) => way.schema) }, write }
  }
  return { schema, write: (value) => value }
}

function drawnObject(
  schema: Schema,
  properties: Readonly<Record<string, Schema>>,
  random: Random,
  kept: readonly string[],
): Drawn {
  const taken = new Set(kept)
  const wrapper = newName(random, taken)
  const fields = Object.entries(properties).map(([name, inner]) => {
    const isDeeper = !kept.includes(name) && random() < IN_WRAPPER
    const place: Place = kept.includes(name)
      ? [name]
      : isDeeper
        ? [wrapper, newName(random, taken)]
        : [newName(random, taken)]
    return { name, place, ...drawn(inner, random) }
  })
  const required = (name: string) => schema.required?.includes(name) ?? false
  const inside = fields.filter(({ place }) => place.length === 2)
  const outside = fields.filter(({ place }) => place.length === 1)
  const objectOf = (some: typeof fields): Schema => ({
    type: 'object',
    properties: Object.fromEntries(some.map(({ place, schema: inner }) => [place.at(-1), inner])),
    required: some.filter(({ name }) => required(name)).map(({ place }) => place.at(-1) ?? ''),
    additionalProperties: false,
  })
  const all = objectOf(outside)
  const wrapped: Schema = {
    ...all,
    properties: { ...all.properties, [wrapper]: objectOf(inside) },
    required: [...(all.required ?? []), wrapper],
  }

  function write(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const written = (some: typeof fields) =>
      Object.fromEntries(
        some.flatMap(({ name, place, write: writeInner }) =>
          name in value ? [[place.at(-1), writeInner((value as Record<string, unknown>)[name])]] : [],
        ),
      )
    return { ...written(outside), ...(inside.length > 0 && { [wrapper]: written(inside) }) }
  }
  return { schema: { ...schema, ...(inside.length > 0 ? wrapped : all) }, write }
}

/** The share of an object's fields that is put into another one. */
const IN_WRAPPER = 0.2

const SOUNDS = ['ba', 'de', 'fi', 'go', 'hu', 'ka', 'le', 'mi', 'no', 'pu', 'ra', 'se', 'ti', 'vo', 'zu']

function newName(random: Random, taken: Set<string>): string {
  for (;;) {
    const name = [1, 2, 3, 4].map(() => pick(random, SOUNDS)).join('')
    if (taken.has(name)) continue
    taken.add(name)
    return name
  }
}
