import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import type { KindState, ShownSubscription, SubscriptionsRemoved } from '../admin/platform.ts'
import { readConfig } from '../app/read-config.ts'
import type { Config } from '../config/config.ts'
import type { KindAcknowledged } from '../domain/catalogue/finding.ts'
import { UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import { suggest } from '../lib/suggest.ts'
import type { EndpointOverrides } from '../platform/http/endpoint.ts'
import { SHAPES } from '../platform/payloads/known/kinds.ts'
import { isPath } from '../platform/payloads/mapping/mapping.ts'
import {
  changeText,
  type FieldReport,
  type Proposal,
  type ProposedField,
  proposeMapping,
} from '../platform/payloads/schema/match.ts'
import type { PlatformOptions } from '../platform/platform.ts'
import { createClient } from './shared/client.ts'
import { asks, changing, group, joined } from './shared/command.ts'
import { EXIT } from './shared/exit.ts'
import { type Columns, dayOf, oneLine, show, tableOf, when } from './shared/output.ts'

const kindList = asks<{ kinds: KindState[] }>('list', 'GET /admin/kinds', {
  about: 'Each kind: where its fields are known from, and what is held',
  text: ({ kinds: all }) => tableOf(KINDS, all, 'The hub knows no kinds.'),
})

const showKind = asks<KindState>('show', 'GET /admin/kinds/:kind', {
  about: 'One kind, field by field',
  with: (command) => command.argument('<kind>'),
  text: kindText,
})

const acknowledge = asks<KindAcknowledged>('acknowledge', 'POST /admin/kinds/:kind/acknowledge', {
  about: "Accept the changes of a kind's schema until now: status names them no more",
  with: (command) => command.argument('<kind>').option('--reason <text>', 'why, for the audit'),
  text: ({ kind }) => `What has changed of ${kind} until now is acknowledged.`,
})

const KINDS: Columns<KindState> = {
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

/** Essential fields by name, others as a number. */
function names({ schema, fields }: KindState, state: string): string {
  if (schema === null) return ''
  const found = fields.filter(({ match }) => match?.state === state)
  const needed = found.filter((one) => one.needed).map(({ field }) => field)
  const rest = found.length - needed.length
  return [...needed, ...(rest > 0 ? [needed.length > 0 ? `+${rest}` : String(rest)] : [])].join(' ')
}

function heldText({ held, quarantined }: KindState): string {
  const parts = [...(held > 0 ? [`${held} held`] : []), ...(quarantined > 0 ? [`${quarantined} quarantined`] : [])]
  return parts.join(', ')
}

function kindText(kindState: KindState): string {
  const { kind, shownBy, schema, fields, acknowledged } = kindState
  const { at, by, reason } = acknowledged ?? { at: 0, by: '', reason: null }
  const isOpen = ({ needed, match }: FieldReport) =>
    match?.state === 'ambiguous' || (needed && match?.state === 'absent')
  const changes = schema?.changes.map((change) => `  ${dayOf(change.at)}: ${oneLine(changeText(change))}`) ?? []
  return [
    `${kind}. Shown by: ${shownBy}.`,
    schema === null
      ? "The platform's schema of it is not known (job schemas asks each night)."
      : `The platform's schema of it is as it was on ${when(schema.since)}.`,
    ...(changes.length > 0 ? ['It changed:', ...changes] : []),
    ...(acknowledged
      ? [oneLine(`Acknowledged until ${when(at)} by ${by}${reason === null ? '' : `: ${reason}`}.`)]
      : []),
    `Waiting because of its fields: ${heldText(kindState) || 'nothing'}.`,
    '',
    tableOf(FIELDS, fields, ''),
    ...(fields.some(isOpen) ? ['', `To do: tillbridge kinds propose ${kind} writes lines for the config.`] : []),
  ].join('\n')
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

function noSuchKind(kind: string): UserError {
  const near = suggest(kind, [...SHAPES.keys()])
  return new UserError(`The hub reads no kind "${kind}".${near === null ? '' : ` Did you mean "${near}"?`}`)
}

const TIMEOUT_MS = 10_000

/** Null: no platform to ask. */
export function settingsOf(
  platform: Config['platform'] & { endpoints?: EndpointOverrides | undefined },
): PlatformOptions | null {
  const { preset, baseUrl, odataUrl, apiKey, subscriptionKey, endpoints, allowPrivate } = platform
  if (baseUrl === undefined || apiKey === undefined || subscriptionKey === undefined) return null
  return { preset, baseUrl, odataUrl, apiKey, subscriptionKey, endpoints, allowPrivate }
}

const proposeKinds = new Command('propose')
  .description("Print a mapping for the config, from the platform's schemas; uncertain lines are marked")
  .argument('[kind...]', 'the kinds; without any, all that the platform offers')
  .option('--config <file>', 'the config that names the platform; without it, the one of TILLBRIDGE_CONFIG')
  .option('--json', 'print JSON')
  .action(async (kinds: string[], { config: file, json }) => {
    for (const kind of kinds) if (!SHAPES.has(kind)) throw noSuchKind(kind)
    const { config } = await readConfig({ ...process.env, ...(file && { TILLBRIDGE_CONFIG: file }) })
    const settings = settingsOf(config.platform)
    if (settings === null)
      throw new UserError(
        'Config has no platform.baseUrl, apiKey and subscriptionKey: there is no platform to ask for schemas.',
      )
    const { createPlatform } = await import('../platform/platform.ts')
    const { readSchema } = await import('../platform/resources/webhooks.ts')
    await using platform = createPlatform({ ...settings, timeout: TIMEOUT_MS })
    const offered = kinds.length > 0 ? kinds : (await platform.webhooks.types()).rows
    const proposals: Proposal[] = []
    for (const kind of offered.filter((one) => SHAPES.has(one)))
      proposals.push(proposeMapping(kind, await readSchema(platform, kind), config.platform.payloads))
    show(json, { proposals }, () => proposalText(proposals))
  })

export const kinds = new Command('kinds')
  .description('What the hub knows of the fields of each kind of event')
  .addCommand(kindList, { isDefault: true })
  .addCommand(showKind)
  .addCommand(acknowledge)
  .addCommand(proposeKinds)

/** As YAML; comments mark what to decide. */
function proposalText(proposals: readonly Proposal[]): string {
  const kinds = proposals.map(({ kind, fields, left }) => {
    if (fields === null) return [`    # ${kind}: the platform shows no schema of it that can be read.`]
    const lines = fields.flatMap(fieldLines)
    const rest = left.length > 0 ? [`      # Not in the schema, and not needed: ${left.join(', ')}`] : []
    if (fields.some(({ where }) => where !== null)) return [`    ${kind}:`, ...lines, ...rest]
    if (lines.length > 0) return [`    # ${kind}:`, ...lines, ...rest]
    return [`    # ${kind}: its schema has all that is needed, by the names that the hub reads.`]
  })
  const isEmpty = !proposals.some(({ fields }) => fields?.some(({ where }) => where !== null))
  return [
    "# Where webhooks have the fields that the hub reads, by the platform's own schemas. Names were compared, nothing else: judge",
    '# each line, decide what is marked OPEN, and try it on payloads that came: TILLBRIDGE_CONFIG=<file> tillbridge replay --dry-run --kind <kind>',
    'platform:',
    isEmpty ? '  payloads: {}' : '  payloads:',
    ...kinds.flat(),
  ]
    .map(oneLine)
    .join('\n')
}

function fieldLines({ field, needed, state, where, others }: ProposedField): string[] {
  const notes = [
    ...(needed.length > 0 ? ['needed'] : []),
    ...(state === 'config' ? ['as config has it'] : []),
    ...(state === 'only' ? ['nothing else in the schema can be it'] : []),
    ...(state === 'several' ? [`the schema has ${others.join(', ')}, too`] : []),
    ...(state === 'alike' && others.length > 0 ? [`or ${others.join(', ')}`] : []),
  ]
  if (where !== null)
    return [
      `      ${field}: ${isPath(where) ? where : JSON.stringify(where)}${notes.length > 0 ? ` # ${notes.join('; ')}` : ''}`,
    ]
  const like = others.length > 0 ? `which of ${others.join(', ')}?` : 'the schema has nothing that it can be.'
  return [`      # OPEN, needed: ${needed.join(' or ')}: ${like}`, `      # ${field}: <where it is>`]
}

const OWN = { first: 'this hub', other: 'this hub, with another token', refused: 'this hub, which refuses its token' }

const subscriptionList = asks<{ subscriptions: ShownSubscription[] }>('list', 'GET /admin/subscriptions', {
  about: 'What the platform sends where',
  text: ({ subscriptions: all }) => joined([subscriptionTable(all), tokensText(all)], '\n\n'),
})

const removeSubscriptions = changing(new Command('remove'))
  .description('Remove subscriptions at the platform: by their ids, or all of an address')
  .argument('[ids...]')
  .option('--url <address>', 'all that send to the hub with this server.publicUrl')
  .option('--own', 'also those that send to this hub, which gets nothing then')
  .option('--yes', 'do not ask')
  .action(async (ids: string[], { url, own = false, yes, dryRun = false, reason = null, json }) => {
    const client = await createClient(process.env)
    const asked = { ...(ids.length > 0 && { ids }), ...(url && { url }), own, reason }
    const ask = (dry: boolean) =>
      client.post<SubscriptionsRemoved>('/admin/subscriptions/remove', { ...asked, dryRun: dry })
    const would = await ask(true)
    const count = would.removed.length
    if (dryRun) return show(json, would, () => removedText(would, 'would be removed. Nothing was changed'))
    if (count > 0 && !yes)
      await confirm(subscriptionTable(would.removed), `Remove these ${pluralize(count, 'subscription')}`)
    const done = count > 0 ? await ask(false) : would
    show(json, done, () => removedText(done, `${count === 1 ? 'is' : 'are'} removed`))
    if (done.failed.length > 0) process.exitCode = EXIT.problem
  })

export const subscriptions = group(
  'subscriptions',
  'What the platform sends to whom',
  subscriptionList,
  removeSubscriptions,
)

async function confirm(shown: string, question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UserError(`${question} at the platform? Say --yes, or look at them first.`)
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    console.error(shown)
    const answer = await asking.question(`${question} at the platform? (yes/no) `)
    if (!/^y(es)?$/i.test(answer.trim())) throw new UserError('Nothing was changed.')
  } finally {
    asking.close()
  }
}

function removedText({ removed, failed }: SubscriptionsRemoved, done: string): string {
  return joined([
    `${pluralize(removed.length, 'subscription')} ${done}.`,
    removed.length > 0 && `\n${subscriptionTable(removed)}`,
    failed.length > 0 && `\n${tableOf({ 'not removed': 'id', why: 'why' }, failed, '')}`,
  ])
}

function subscriptionTable(rows: readonly ShownSubscription[]): string {
  const whose = ({ own, token }: ShownSubscription) => (own === true ? OWN[token ?? 'refused'] : null)
  const columns = { id: 'id', event: 'event', store: 'storeId', 'sends to': 'url', '': whose } as const
  return tableOf(columns, rows, 'The platform has no subscriptions.')
}

function tokensText(rows: readonly ShownSubscription[]): string | null {
  const own = rows.filter((one) => one.own === true)
  const late = own.filter(({ token }) => token !== 'first').length
  if (own.length === 0) return null
  return late === 0
    ? `Each of the ${own.length} that send to this hub has the first token of platform.webhooks.tokens: no other one is needed by them.`
    : `${late} of the ${own.length} that send to this hub have not the first token of platform.webhooks.tokens: leave the others there until they have. To do: tillbridge jobs run subscriptions; or correct them at the platform.`
}
