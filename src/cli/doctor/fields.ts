import type { Offline } from '../../app/offline.ts'
import { pluralize } from '../../domain/values/text.ts'
import { knownFrom, locationOf } from '../../platform/payloads/known/from.ts'
import { GUESSED_KINDS, SHAPES, shapeOf } from '../../platform/payloads/known/kinds.ts'
import { isPath, type Mappings } from '../../platform/payloads/mapping/mapping.ts'
import { judgeSchema, type SchemaVerdict } from '../../platform/payloads/schema/match.ts'
import type { Platform } from '../../platform/platform.ts'
import { readSchema } from '../../platform/resources/webhooks.ts'
import { type Finding, finding } from './hub.ts'

export interface Acting extends Pick<Offline, 'actingOn'> {
  mappings: Mappings
}

export async function checkFields(
  platform: Pick<Platform, 'webhooks'>,
  offered: readonly string[],
  acting: Acting,
): Promise<Finding> {
  const verdicts: SchemaVerdict[] = []
  for (const kind of offered.filter((one) => Object.hasOwn(SHAPES, one))) {
    // A platform need not show schemas.
    const fields = await readSchema(platform, kind)
    if (fields !== null) verdicts.push(judgeSchema(kind, fields, acting.mappings))
  }
  return judgeFields(verdicts, acting)
}

/** Null: no platform to ask. */
export function judgeFields(asked: readonly SchemaVerdict[] | null, acting: Acting): Finding {
  const verdicts = asked ?? []
  // An ambiguous field is no evidence.
  const found = new Set(
    verdicts.flatMap(({ kind, fields }) =>
      fields.filter(({ state }) => state === 'found').map(({ field }) => `${kind}.${field}`),
    ),
  )
  const guesses = guessesText(guessesOf(acting, (kind, field) => found.has(`${kind}.${field}`)))
  const acted = verdicts.filter(({ kind }) => acting.actingOn(kind).length > 0)
  const lacking = acted.filter(({ otherwise }) => otherwise.length > 0)
  const warnings = acted.flatMap(({ kind, fields }) =>
    fields
      .filter(({ state }) => state === 'ambiguous')
      .map(
        ({ field, at }) =>
          `${kind}: its schema has ${at.join(' and ')}, and the hub reads the first that is there as ${field}; platform.payloads.${kind}.${field} says which is meant.`,
      ),
  )
  const held = 'Events of these kinds are held or quarantined before config says where it stands.'
  return finding('fields', {
    fine: fineOf(asked),
    faults: [...lacking.map(absentText), ...(lacking.length > 0 ? [held] : [])].map(onOwnLine),
    remarks: [...warnings, ...(guesses === null ? [] : [guesses])].map(onOwnLine),
    todo: `\n  have the mapping written for you, with what is open marked: tillbridge kinds propose ${lacking
      .map(({ kind }) => kind)
      .join(' ')}`,
  })
}

const MAX_NAMED = 3

function absentText({ kind, otherwise }: SchemaVerdict): string {
  const fields = otherwise.map(({ fields, candidates }) => {
    const named = candidates.slice(0, MAX_NAMED).join(', ')
    const more = candidates.length > MAX_NAMED ? ', …' : ''
    return `${fields.join(' or ')}${named === '' ? '' : ` (it has ${named}${more})`}`
  })
  return `${kind}: its schema does not have, by the names that the hub reads: ${fields.join('; ')}.`
}

function onOwnLine(text: string): string {
  return `\n  ${text}`
}

function fineOf(asked: readonly SchemaVerdict[] | null): string {
  if (asked === null) return 'The platform cannot be asked what the fields of its kinds are called.'
  if (asked.length === 0) return 'The platform shows no schema of its kinds.'
  return `The platform shows the schema of ${pluralize(asked.length, 'kind')}.`
}

interface Guess {
  kind: string
  destinations: string[]
  /** Essential fields with guessed names. */
  fields: string[]
}

/** Kinds that destinations act on whose essential fields are guessed: not documented, mapped, or in the platform's schema. */
export function guessesOf(
  { actingOn, mappings }: Acting,
  inSchema: (kind: string, field: string) => boolean = () => false,
): Guess[] {
  return GUESSED_KINDS.flatMap((kind) => {
    const destinations = actingOn(kind)
    const shape = shapeOf(kind)
    if (destinations.length === 0 || !shape) return []
    const given = Object.hasOwn(mappings, kind) ? (mappings[kind] ?? {}) : {}
    const isGuess = (field: string) => {
      const known = shape.fields[field]
      return known && knownFrom(known, Object.hasOwn(given, field), inSchema(kind, field)) === 'guess'
    }
    // One field of a group is enough.
    const groups = shape.essentials.filter((group) =>
      group.every((field) => isGuess(field) && !isComputed(field, given)),
    )
    const fields = groups.flat()
    return fields.length === 0 ? [] : [{ kind, destinations, fields }]
  })
}

/** Config computes its list, with the hub's own names. */
function isComputed(field: string, given: Readonly<Record<string, string>>): boolean {
  const { list } = locationOf(field)
  const where = list === null ? undefined : given[list]
  return where !== undefined && !isPath(where)
}

export function guessesText(guesses: readonly Guess[]): string | null {
  if (guesses.length === 0) return null
  const kinds = guesses.map(({ kind, destinations }) => `${kind} (${destinations.join(', ')})`)
  return `The field names of these are documented nowhere, so they are guessed; a field that cannot be read holds its delivery, and nothing is sent incomplete: ${kinds.join(', ')}.`
}
