import { Command } from 'commander'
import type { KindStanding } from '../../admin/kinds.ts'
import type { KindAcknowledged } from '../../domain/catalogue/finding.ts'
import { changeText, type FieldReport } from '../../payloads/schema/versions.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { asks } from '../shared/question.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { dayOf, when } from '../shared/times.ts'
import { kindsPropose } from './kinds-propose.ts'
import { kindsTry } from './kinds-try.ts'

const list = asks<{ kinds: KindStanding[] }>(
  new Command('list').description(
    'Each kind: where its fields are known from, what the platform says of them, and what is held',
  ),
  { ask: 'GET /admin/kinds', text: ({ kinds: all }) => tableOf(KINDS, all, 'The hub knows no kinds.') },
)

const showOne = asks<KindStanding>(
  new Command('show').description('One kind, field by field, with lines for the config').argument('<kind>'),
  { ask: 'GET /admin/kinds/:kind', text: kindText },
)

const acknowledge = asks<KindAcknowledged>(
  new Command('acknowledge')
    .description('Say that what has changed of a kind until now is in order: status does not tell it any more')
    .argument('<kind>')
    .option('--reason <text>', 'why, for the audit'),
  {
    ask: 'POST /admin/kinds/:kind/acknowledge',
    text: ({ kind }) => `What has changed of ${kind} until now is acknowledged.`,
  },
)

export const kinds = new Command('kinds')
  .description('What the hub knows of the fields of each kind of event')
  .addCommand(list, { isDefault: true })
  .addCommand(showOne)
  .addCommand(acknowledge)
  .addCommand(kindsPropose)
  .addCommand(kindsTry)

const KINDS: Columns<KindStanding> = {
  kind: 'kind',
  'known from': ({ knownFrom }) => knownFrom.join(', '),
  schema: ({ schema }) => (schema === null ? 'not known' : dayOf(schema.since)),
  found: ({ schema, fields }) => schema && String(fields.filter(({ match }) => match?.state === 'found').length),
  ambiguous: (one) => names(one, 'ambiguous'),
  absent: (one) => names(one, 'absent'),
  mapped: ({ fields }) => fields.flatMap(({ field, mapping }) => (mapping === null ? [] : [field])).join(' '),
  held: heldText,
}

const FIELDS: Columns<FieldReport> = {
  field: 'field',
  is: 'is',
  needed: ({ needed }) => (needed ? 'yes' : ''),
  'looked for': ({ mapping, names: all }) => mapping ?? all.join(', '),
  'known from': ({ nearest, knownFrom }) =>
    nearest.length > 0 && knownFrom === 'guess' ? 'guess (nearest public record)' : knownFrom,
  'in the schema': inSchema,
}

/** Fields that something depends on, by name; others as a number. */
function names({ schema, fields }: KindStanding, state: string): string {
  if (schema === null) return ''
  const found = fields.filter(({ match }) => match?.state === state)
  const needed = found.filter((one) => one.needed).map(({ field }) => field)
  const rest = found.length - needed.length
  return [...needed, ...(rest > 0 ? [needed.length > 0 ? `+${rest}` : String(rest)] : [])].join(' ')
}

function heldText({ held, quarantined }: KindStanding): string {
  const parts = [...(held > 0 ? [`${held} held`] : []), ...(quarantined > 0 ? [`${quarantined} quarantined`] : [])]
  return parts.join(', ')
}

function kindText(standing: KindStanding): string {
  const { kind, shownBy, schema, fields, acknowledged } = standing
  const changes = schema?.changes.map((change) => `  ${dayOf(change.at)}: ${oneLine(changeText(change))}`) ?? []
  const suggested = suggestions(kind, fields)
  return [
    `${kind}. Shown by: ${shownBy}.`,
    schema === null
      ? "The platform's schema of it is not known (job schemas asks each night)."
      : `The platform's schema of it is as it was on ${when(schema.since)}.`,
    ...(changes.length > 0 ? ['It changed:', ...changes] : []),
    ...acknowledgedLines(acknowledged),
    `Waiting because of its fields: ${heldText(standing) || 'nothing'}.`,
    '',
    tableOf(FIELDS, fields, ''),
    ...(suggested === null ? [] : ['', suggested]),
  ].join('\n')
}

/** Who said last that what has changed is in order. */
function acknowledgedLines(acknowledged: KindAcknowledged | null = null): string[] {
  if (acknowledged === null) return []
  const { at, by, reason } = acknowledged
  return [oneLine(`Acknowledged until ${when(at)} by ${by}${reason === null ? '' : `: ${reason}`}.`)]
}

function inSchema({ match }: FieldReport): string {
  switch (match?.state) {
    case undefined:
      return ''
    case 'found':
      return `found: ${match.at[0]}`
    case 'ambiguous':
      return `ambiguous: ${match.at.join(', ')}`
    case 'mapped':
      return 'mapped by config'
    default:
      return match?.like.length ? `absent; like it: ${match.like.join(', ')}` : 'absent'
  }
}

/** Lines for the config. A likeness is a person's to judge: it is never used by itself. */
function suggestions(kind: string, fields: readonly FieldReport[]): string | null {
  const lines = fields.flatMap(({ field, needed, match }) => {
    const [first, ...others] =
      match?.state === 'ambiguous' ? match.at.map((path) => relativeTo(field, path)) : (match?.like ?? [])
    if (first === undefined || (!needed && match?.state !== 'ambiguous')) return []
    return [`      ${field}: ${first}${others.length > 0 ? ` # or ${others.join(', ')}` : ''}`]
  })
  if (lines.length === 0) return null
  return oneByOne([
    'If you know it to be so, write in the config, and try it over kept payloads first:',
    `  tillbridge kinds try ${kind} --config <file>`,
    '',
    'platform:',
    '  payloads:',
    `    ${kind}:`,
    ...lines,
  ])
}

/** As config writes it: of a row's field, within the row. */
function relativeTo(field: string, path: string): string {
  return field.includes('.') ? path.slice(path.lastIndexOf('.') + 1) : path
}

function oneByOne(lines: readonly string[]): string {
  return lines.map(oneLine).join('\n')
}
