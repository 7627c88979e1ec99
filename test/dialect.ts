import { test } from 'vitest'
import { DIALECTS, type DialectName, type EventDialect } from '../sandbox/platform/dialects/dialect.ts'
import { dialectNamed } from '../sandbox/platform/dialects/named.ts'
import { schemaOf } from '../sandbox/platform/schemas/schemas.ts'
import { createRandom } from '../sandbox/platform/seed/random.ts'
import { SHAPES } from '../src/platform/payloads/known/kinds.ts'
import { locationOf, type PayloadField, type Shape } from '../src/platform/payloads/read-field.ts'

/** How platforms speak in this run: `DIALECT=spec`, `facts` (if nobody says) or `frontsystems-v2`. All stories look here, and nowhere else. */
export const DIALECT: DialectName = chosen(process.env.DIALECT)

/** From this, the dialect `spec` draws the names that nobody shows. */
const SEED = 1

const { base, events } = dialectNamed(DIALECT, createRandom(SEED))

/** What a platform of the sandbox is started with; its day is that of a sandbox of which nobody says anything. */
export const SPEAKS = { dialect: DIALECT, ...(DIALECT === 'spec' && { seed: SEED }) } as const

/** What an operator writes under `platform` about it. The specification shows no way to ask whether what a webhook says is so. */
export const UNDERSTANDS =
  DIALECT === 'spec'
    ? ({ preset: 'spec', trustWebhooks: true, payloads: mappingsOf(events) } as const)
    : ({ preset: DIALECT === 'facts' ? 'spec' : DIALECT } as const)

/** Where `/api` begins at a platform, or at what stands before it. */
export function apiAt(url: string): string {
  return url + base
}

/**
 * A test of these dialects alone. In the others it is skipped, and the report says why; dialect-exceptions.test.ts lists all that
 * are.
 */
export function onlyIn(dialects: readonly DialectName[], why: string) {
  const isPlayed = dialects.includes(DIALECT)
  return (name: string, story: () => Promise<void>) => test(name, ({ skip }) => (isPlayed ? story() : skip(why)))
}

/** A path of a request, from `/api` on. */
export function withoutBase(path: string): string {
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path
}

function chosen(name = 'facts'): DialectName {
  const found = DIALECTS.find((dialect) => dialect === name)
  if (!found) throw new Error(`DIALECT=${name}: there are ${DIALECTS.join(', ')}.`)
  return found
}

/** As much of JSON Schema as the schemas of the sandbox use. */
interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  type?: string
}

/** Where every value of a payload stands now, by where it stood: `items.0.gtin` → `zuba.goka.0.mino`. */
type Moves = ReadonlyMap<string, string>

/**
 * `platform.payloads` as an operator writes it who has the schemas of a platform before him: where each field that the hub reads
 * stands, of the kinds that the dialect does not show.
 */
function mappingsOf(events: EventDialect): Record<string, Record<string, string>> {
  const hidden = [...SHAPES].filter(([kind]) => !events.isShown(kind))
  return Object.fromEntries(hidden.map(([kind, shape]) => [kind, mappingOf(kind, shape, events)]))
}

function mappingOf(kind: string, { fields }: Shape, events: EventDialect): Record<string, string> {
  const example = exampleOf((schemaOf(kind) ?? {}) as Schema, '')
  const moves = movesOf(events.write(kind, example as object), '', new Map())
  const entries = Object.entries(fields).flatMap(([key, field]) => {
    const before = rowOf(locationOf(key).list, fields, example)
    if (before === null) return []
    const found = find(field, before, example)
    return found === null ? [] : [[key, written(found.node, found.path, before, moves)] as const]
  })
  return Object.fromEntries(entries)
}

/** A payload whose every value says where it stands. */
function exampleOf(schema: Schema, path: string): unknown {
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, inner]) => [name, exampleOf(inner, joined(path, name))]),
    )
  if (schema.items) return [exampleOf(schema.items, joined(path, '0'))]
  const real = schema.anyOf?.find(({ type }) => type !== 'null')
  return real ? exampleOf(real, path) : path
}

function movesOf(node: unknown, path: string, moves: Map<string, string>): Map<string, string> {
  if (typeof node === 'string') moves.set(node, path)
  else for (const [name, inner] of Object.entries(node as object)) movesOf(inner, joined(path, name), moves)
  return moves
}

/** Where the rows of a list stood; '': the payload itself; null: this payload has no such list. */
function rowOf(list: string | null, fields: Shape['fields'], example: unknown): string | null {
  if (list === null) return ''
  const field = fields[list]
  const before = rowOf(locationOf(list).list, fields, example)
  const found = field && before !== null ? find(field, before, example) : null
  return found && joined(found.path, '0')
}

function find({ names }: PayloadField, before: string, example: unknown): { path: string; node: unknown } | null {
  for (const name of names) {
    let node: unknown = example
    let path = ''
    for (const part of joined(before, name).split('.')) {
      if (typeof node !== 'object' || node === null) {
        path = ''
        break
      }
      const key = Object.keys(node).find((one) => one.toLowerCase() === part.toLowerCase())
      if (key === undefined) {
        path = ''
        break
      }
      node = (node as Record<string, unknown>)[key]
      path = joined(path, key)
    }
    if (path !== '') return { path, node }
  }
  return null
}

/** A path, or JSONata that gives what is inside its old names. `row`: it is written within a row that stood there. */
function written(node: unknown, path: string, row: string, moves: Moves): string {
  if (typeof node === 'string') return within(moves.get(path) ?? '', row, moves)
  if (Array.isArray(node)) return within(listAt(path, moves), row, moves)
  const inner = Object.entries(node as object).map(([name, one]) => {
    const at = joined(path, name)
    if (!Array.isArray(one)) return `"${name}": ${written(one, at, row, moves)}`
    const rows = joined(at, '0')
    return `"${name}": [${written(one, at, row, moves)}.${written(one[0], rows, rows, moves)}]`
  })
  return `{${inner.join(', ')}}`
}

/** Where a list stands now: any of its values tells. */
function listAt(path: string, moves: Moves): string {
  const depth = joined(path, '0').split('.').filter(isIndex).length
  const [, value = ''] = [...moves].find(([before]) => before.startsWith(`${path}.0`)) ?? []
  const parts = value.split('.')
  const index = parts.flatMap((part, at) => (isIndex(part) ? [at] : []))[depth - 1] ?? 0
  return parts.slice(0, index).join('.')
}

function within(path: string, row: string, moves: Moves): string {
  if (row === '') return path
  return path.slice(listAt(row.slice(0, -'.0'.length), moves).length + '.0.'.length)
}

function isIndex(part: string): boolean {
  return part === '0'
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
