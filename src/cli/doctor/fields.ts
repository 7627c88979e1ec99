import type { KindStanding } from '../../admin/kinds.ts'
import type { Config } from '../../config/config.ts'
import { counted } from '../../domain/values/text.ts'
import { SHAPES } from '../../payloads/known/kinds.ts'
import { judgeSchema, type SchemaVerdict } from '../../payloads/schema/match.ts'
import { changeText } from '../../payloads/schema/versions.ts'
import { readSchema } from '../../platform/areas/webhooks/webhooks.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Client } from '../shared/client.ts'
import { dayOf } from '../shared/times.ts'
import { actingOn, guessesOf, guessesText } from './acting-on.ts'
import { type Finding, finding } from './finding.ts'
import { askHub } from './hub.ts'

type Configured = Pick<Config, 'destinations' | 'mirror' | 'platform'>

/** Asks the platform what the fields of its kinds are called, and holds it against what the hub looks for. */
export async function examineFields(
  platform: Pick<Platform, 'webhooks'>,
  offered: readonly string[],
  config: Configured,
): Promise<Finding> {
  const verdicts: SchemaVerdict[] = []
  for (const kind of offered.filter((one) => Object.hasOwn(SHAPES, one))) {
    // A platform that shows no schemas, or none of this kind, is none the worse for it.
    const fields = await readSchema(platform, kind)
    if (fields !== null) verdicts.push(judgeSchema(kind, fields, config.platform.payloads))
  }
  return judgeFields(verdicts, config)
}

/** The finding from the schemas, or their absence; null: there is nobody to ask. Pure. */
export function judgeFields(asked: readonly SchemaVerdict[] | null, config: Configured): Finding {
  const verdicts = asked ?? []
  // A field that stands in several places is a doubt, and no evidence.
  const found = new Set(
    verdicts.flatMap(({ kind, fields }) =>
      fields.filter(({ state }) => state === 'found').map(({ field }) => `${kind}.${field}`),
    ),
  )
  const guesses = guessesText(guessesOf(config, (kind, field) => found.has(`${kind}.${field}`)))
  const acted = verdicts.filter(({ kind }) => actingOn(config, kind).length > 0)
  const faults = acted.flatMap(({ kind, otherwise }) => (otherwise.length === 0 ? [] : [absentText(kind, otherwise)]))
  const doubts = acted.flatMap(({ kind, fields }) =>
    fields
      .filter(({ state }) => state === 'ambiguous')
      .map(
        ({ field, at }) =>
          `${kind}: its schema has ${at.join(' and ')}, and the hub reads the first that is there as ${field}; platform.payloads.${kind}.${field} says which is meant.`,
      ),
  )
  const held =
    faults.length > 0 ? ['Events of these kinds are held or quarantined before config says where it stands.'] : []
  return finding('fields', {
    fine: fineOf(asked),
    faults: [...faults, ...held].map(onOwnLine),
    remarks: [...doubts, ...(guesses === null ? [] : [guesses])].map(onOwnLine),
    todo: `\n  have the mapping written for you, with what is open marked: tillbridge kinds propose ${acted
      .filter(({ otherwise }) => otherwise.length > 0)
      .map(({ kind }) => kind)
      .join(' ')}`,
  })
}

/** The most names that a field might have instead, and that are told: kinds show has all. */
const MOST_TOLD = 3

function absentText(kind: string, otherwise: SchemaVerdict['otherwise']): string {
  const fields = otherwise.map(({ fields, candidates }) => {
    const told = candidates.slice(0, MOST_TOLD).join(', ')
    const more = candidates.length > MOST_TOLD ? ', …' : ''
    return `${fields.join(' or ')}${told === '' ? '' : ` (it has ${told}${more})`}`
  })
  return `${kind}: its schema does not have, by the names that the hub reads: ${fields.join('; ')}.`
}

/** A platform of other names has a line for each kind: in one line nobody would read them. */
function onOwnLine(text: string): string {
  return `\n  ${text}`
}

function fineOf(asked: readonly SchemaVerdict[] | null): string {
  if (asked === null) return 'The platform cannot be asked what the fields of its kinds are called.'
  if (asked.length === 0) return 'The platform shows no schema of its kinds.'
  return `The platform shows the schema of ${counted(asked.length, 'kind')}.`
}

/** How the platform's schemas changed while a running hub looked; nothing where there is none to ask, or they did not. */
export async function examineSchemaChanges(hub: () => Promise<Pick<Client, 'get'>>): Promise<Finding[]> {
  const known = await askHub<{ kinds: KindStanding[] }>(hub, '/admin/kinds')
  const says = (known?.kinds ?? []).flatMap(({ kind, schema }) => {
    const last = schema?.changes.at(-1)
    return last ? [`The schema of ${kind} changed on ${dayOf(last.at)}: ${changeText(last)}.`] : []
  })
  if (says.length === 0) return []
  return [
    { check: 'schemas', state: 'note', says: says.join(' '), todo: 'see what it means with "kinds show <kind>".' },
  ]
}
