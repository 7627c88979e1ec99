import { Command } from 'commander'
import { UserError } from '../../domain/values/errors.ts'
import { readConfig } from '../../hub/read-config.ts'
import { SHAPES } from '../../payloads/known/kinds.ts'
import { isPath } from '../../payloads/mapping/mapping.ts'
import { type Proposal, type ProposedField, proposeMapping } from '../../payloads/schema/propose.ts'
import { readSchema } from '../../platform/areas/webhooks/webhooks.ts'
import { createPlatform } from '../../platform/create-platform.ts'
import { settingsOf } from '../doctor/diagnose.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { show } from '../shared/print.ts'
import { noSuchKind } from './kinds-try.ts'

/** A person waits for it (milliseconds). */
const TIMEOUT = 10_000

export const kindsPropose = new Command('propose')
  .description(
    "Write a mapping for the config from the platform's own schemas, with what is open marked; nothing is changed",
  )
  .argument('[kind...]', 'the kinds; without any, all that the platform offers')
  .option('--config <file>', 'the config that names the platform; without it, the one of TILLBRIDGE_CONFIG')
  .option('--json', 'print JSON')
  .action(async (kinds: string[], { config: file, json }) => {
    for (const kind of kinds) if (!Object.hasOwn(SHAPES, kind)) throw noSuchKind(kind)
    const { config } = await readConfig({ ...process.env, ...(file && { TILLBRIDGE_CONFIG: file }) })
    const settings = settingsOf(config.platform)
    if (settings === null)
      throw new UserError(
        'Config has no platform.baseUrl, apiKey and subscriptionKey: nobody can be asked for schemas.',
      )
    await using platform = createPlatform({ ...settings, timeout: TIMEOUT })
    const offered = kinds.length > 0 ? kinds : (await platform.webhooks.types()).rows
    const proposals: Proposal[] = []
    for (const kind of offered.filter((one) => Object.hasOwn(SHAPES, one)))
      proposals.push(proposeMapping(kind, await readSchema(platform, kind), config.platform.payloads))
    show(json, { proposals }, () => proposalText(proposals))
  })

/** The proposals as YAML for a config: comments say what a person has to decide. */
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
    '# each line, decide what is marked OPEN, and try it on payloads that came: tillbridge kinds try <kind> --config <file>',
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
  if (where !== null) return [`      ${field}: ${scalar(where)}${notes.length > 0 ? ` # ${notes.join('; ')}` : ''}`]
  const like = others.length > 0 ? `which of ${others.join(', ')}?` : 'the schema has nothing that it can be.'
  return [`      # OPEN, needed: ${needed.join(' or ')}: ${like}`, `      # ${field}: <where it is>`]
}

function scalar(where: string): string {
  return isPath(where) ? where : JSON.stringify(where)
}
