import type { Config } from '../../config/config.ts'
import { flows } from '../../flows/index.ts'
import { knownFrom, placeOf } from '../../payloads/known/from.ts'
import { GUESSED_KINDS, shapeOf } from '../../payloads/known/kinds.ts'
import { isPath } from '../../payloads/mapping/mapping.ts'

/** The parts of config that tell what acts on a kind. */
type Configured = Pick<Config, 'destinations' | 'mirror' | 'platform'>

/** The ports that a destination of a built-in adapter can have; one of the operator's own may have any. */
const PORTS: Readonly<Record<string, readonly string[]>> = {
  files: ['backOffice'],
  sql: ['backOffice'],
  http: [],
  smtp: ['email'],
  'sms-http': ['texts'],
  woocommerce: ['orders', 'customers', 'stock'],
  vendure: ['orders', 'customers', 'stock'],
}

/** The destinations that something goes to because of a kind, as far as config tells. */
export function actingOn({ destinations, mirror }: Configured, kind: string): string[] {
  return [
    ...destinations.filter((one) => actsOn(one, kind)).map(({ name }) => name),
    ...(mirror === 'all' && portsOf(kind).has('mirror') ? ['mirror'] : []),
  ]
}

function actsOn(destination: Config['destinations'][number], kind: string): boolean {
  return flowsOf(destination, kind).length > 0
}

/** The flows by which a kind makes steps for a destination, as far as config tells. */
export function flowsOf({ adapter, options, skip, messages }: Config['destinations'][number], kind: string) {
  const ports = PORTS[adapter] ?? (adapter === 'rest' ? Object.keys(options) : null)
  return flows.filter(
    ({ name, kinds, port, message }) =>
      kinds !== 'all' &&
      kinds.includes(kind) &&
      (ports === null ? port !== 'mirror' : ports.includes(port)) &&
      (message === undefined || messages.includes(message)) &&
      !skip.includes(name),
  )
}

function portsOf(kind: string): Set<string> {
  return new Set(flows.filter(({ kinds }) => kinds !== 'all' && kinds.includes(kind)).map(({ port }) => port))
}

/** A kind whose fields are guessed, and that something is done about. */
interface Guess {
  kind: string
  /** The destinations that something goes to because of it. */
  destinations: string[]
  /** Without which nothing is made of it, and whose names are guessed. */
  fields: string[]
}

/**
 * The guesses that an operator's flows rest on: kinds that destinations act on, whose essentials neither spec nor public
 * documentation shows, nor config maps. `inSchema`: whether the platform's schema of a kind names a field.
 */
export function guessesOf(
  config: Configured,
  inSchema: (kind: string, field: string) => boolean = () => false,
): Guess[] {
  const { payloads: mappings } = config.platform
  return GUESSED_KINDS.flatMap((kind) => {
    const told = actingOn(config, kind)
    const shape = shapeOf(kind)
    if (told.length === 0 || !shape) return []
    const given = Object.hasOwn(mappings, kind) ? (mappings[kind] ?? {}) : {}
    const isGuess = (field: string) => {
      const known = shape.fields[field]
      return known && knownFrom(known, Object.hasOwn(given, field), inSchema(kind, field)) === 'guess'
    }
    // Of a group one field is enough, and what stands in a list that config computes is no guess of the hub's.
    const groups = shape.essentials.filter((group) =>
      group.every((field) => isGuess(field) && !isComputed(field, given)),
    )
    const fields = groups.flat()
    return fields.length === 0 ? [] : [{ kind, destinations: told, fields }]
  })
}

/** Whether its list is an expression of config, which makes rows of the hub's own names. */
function isComputed(field: string, given: Readonly<Record<string, string>>): boolean {
  const { list } = placeOf(field)
  const where = list === null ? undefined : given[list]
  return where !== undefined && !isPath(where)
}

/** In a sentence; null: nothing does. */
export function guessesText(guesses: readonly Guess[]): string | null {
  if (guesses.length === 0) return null
  const kinds = guesses.map(({ kind, destinations }) => `${kind} (${destinations.join(', ')})`)
  return `Nobody shows what the fields of these are called, so it is guessed; a field that cannot be read holds its delivery, and nothing is sent incomplete: ${kinds.join(', ')}.`
}
