import { Command } from 'commander'
import type { KindStanding } from '../../admin/kinds.ts'
import type { KindAcknowledged } from '../../domain/catalogue/finding.ts'
import { changeText, type FieldReport } from '../../payloads/schema/versions.ts'
import { createClient } from '../shared/client.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { pathPart } from '../shared/path-part.ts'
import { show } from '../shared/print.ts'
import { table } from '../shared/table.ts'
import { dayOf, when } from '../shared/times.ts'
import { kindsPropose } from './kinds-propose.ts'
import { kindsTry } from './kinds-try.ts'

const list = new Command('list')
  .description('Each kind: where its fields are known from, what the platform says of them, and what is held')
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const found = await client.get<{ kinds: KindStanding[] }>('/admin/kinds')
    show(json, found, () => kindTable(found.kinds))
  })

const showOne = new Command('show')
  .description('One kind, field by field, with lines for the config')
  .argument('<kind>')
  .option('--json', 'print JSON')
  .action(async (kind, { json }) => {
    const client = await createClient(process.env)
    const found = await client.get<KindStanding>(`/admin/kinds/${pathPart(kind)}`)
    show(json, found, () => kindText(found))
  })

const acknowledge = new Command('acknowledge')
  .description('Say that what has changed of a kind until now is in order: status does not tell it any more')
  .argument('<kind>')
  .option('--reason <text>', 'why, for the audit')
  .option('--json', 'print JSON')
  .action(async (kind, { reason = null, json }) => {
    const client = await createClient(process.env)
    const path = `/admin/kinds/${pathPart(kind)}/acknowledge`
    const said = await client.post<KindAcknowledged>(path, { reason })
    show(json, said, () => `What has changed of ${said.kind} until now is acknowledged.`)
  })

export const kinds = new Command('kinds')
  .description('What the hub knows of the fields of each kind of event')
  .addCommand(list, { isDefault: true })
  .addCommand(showOne)
  .addCommand(acknowledge)
  .addCommand(kindsPropose)
  .addCommand(kindsTry)

function kindTable(all: readonly KindStanding[]): string {
  return table(
    ['kind', 'known from', 'schema', 'found', 'ambiguous', 'absent', 'mapped', 'held'],
    all.map(({ kind, knownFrom, schema, fields, held, quarantined }) => [
      kind,
      knownFrom.join(', '),
      schema === null ? 'not known' : dayOf(schema.since),
      ...(schema === null
        ? ['', '', '']
        : [count(fields, 'found'), names(fields, 'ambiguous'), names(fields, 'absent')]),
      fields
        .filter(({ mapping }) => mapping !== null)
        .map(({ field }) => field)
        .join(' '),
      heldText(held, quarantined),
    ]),
    'The hub knows no kinds.',
  )
}

function count(fields: readonly FieldReport[], state: string): string {
  return String(fields.filter(({ match }) => match?.state === state).length)
}

/** Fields that something depends on, by name; others as a number. */
function names(fields: readonly FieldReport[], state: string): string {
  const found = fields.filter(({ match }) => match?.state === state)
  const needed = found.filter((one) => one.needed).map(({ field }) => field)
  const rest = found.length - needed.length
  return [...needed, ...(rest > 0 ? [needed.length > 0 ? `+${rest}` : String(rest)] : [])].join(' ')
}

function heldText(held: number, quarantined: number): string {
  const parts = [...(held > 0 ? [`${held} held`] : []), ...(quarantined > 0 ? [`${quarantined} quarantined`] : [])]
  return parts.join(', ')
}

function kindText({ kind, shownBy, schema, fields, held, quarantined, acknowledged }: KindStanding): string {
  const changes = schema?.changes.map((change) => `  ${dayOf(change.at)}: ${oneLine(changeText(change))}`) ?? []
  const suggested = suggestions(kind, fields)
  return [
    `${kind}. Shown by: ${shownBy}.`,
    schema === null
      ? "The platform's schema of it is not known (job schemas asks each night)."
      : `The platform's schema of it is as it was on ${when(schema.since)}.`,
    ...(changes.length > 0 ? ['It changed:', ...changes] : []),
    ...acknowledgedLines(acknowledged),
    `Waiting because of its fields: ${heldText(held, quarantined) || 'nothing'}.`,
    '',
    table(
      ['field', 'is', 'needed', 'looked for', 'known from', 'in the schema'],
      fields.map((one) => [
        one.field,
        one.is,
        one.needed ? 'yes' : '',
        one.mapping ?? one.names.join(', '),
        one.nearest.length > 0 && one.knownFrom === 'guess' ? 'guess (nearest public record)' : one.knownFrom,
        inSchema(one),
      ]),
      '',
    ),
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
