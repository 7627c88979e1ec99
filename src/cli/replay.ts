import { Command } from 'commander'
import { readConfig } from '../app/read-config.ts'
import type { Replayed, ReplayedCall } from '../app/replay.ts'
import { UserError } from '../domain/values/errors.ts'
import { readInstant } from '../domain/values/instant.ts'
import { pluralize } from '../domain/values/text.ts'
import { awaited } from './shared/exit.ts'
import { instantOption, limitOption, numberOf } from './shared/options.ts'
import { oneLine, show } from './shared/output.ts'

interface Options {
  dryRun?: true
  since?: string
  until?: string
  kind?: string
  entity?: string
  limit: number
  json?: true
}

export const replay = new Command('replay')
  .description("Print the calls that today's config would make of recorded events; nothing is sent or written")
  .argument('[events...]', 'their numbers, as "events list" shows them; without them, a filter', numbersOf)
  .option('--dry-run', 'print only: there is no replay that sends (see "reroute", and "deliveries retry")')
  .option('--kind <kind>', 'events of this kind')
  .option('--entity <entity>', 'events about this thing, such as order:A1')
  .addOption(instantOption('--since <when>', 'events taken since'))
  .addOption(instantOption('--until <when>', 'events taken before'))
  .addOption(limitOption('so many events, the oldest first'))
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    '\nThe config is TILLBRIDGE_CONFIG: a changed one is tried by naming it there. Its storage is only read. Personal data is masked.',
  )
  .action(async (ids: number[] = [], options: Options) => {
    const { dryRun, limit, json, since, until, ...named } = options
    if (!dryRun)
      throw new UserError(
        'Say --dry-run: it prints the calls, and sends nothing. To send, see "tillbridge reroute" and "tillbridge deliveries retry".',
      )
    const filter = { ...named, ...timesOf(since, until) }
    if (ids.length === 0 && Object.keys(filter).length === 0)
      throw new UserError('Say which events: their numbers, --kind, --entity, --since or --until.')
    const loaded = await readConfig(process.env)
    // Loads the whole hub.
    const { replayCalls } = await import('../app/replay.ts')
    const { openReading } = await import('../storage/open.ts')
    await using reading = await openReading(loaded.config.store.url)
    const replayed = await awaited('Stopped. Nothing was changed.', (signal) =>
      replayCalls(loaded, reading, { ids, limit, ...filter }, signal),
    )
    show(json, replayed, () => replayText(replayed))
  })

function numbersOf(text: string, before: number[] = []): number[] {
  return [...before, numberOf(text)]
}

function timesOf(since: string | undefined, until: string | undefined) {
  const now = Date.now()
  const at = (text: string | undefined) => (text === undefined ? null : readInstant(text, now))
  const [from, to] = [at(since), at(until)]
  if (from !== null && to !== null && from > to) throw new UserError('--since: it is after --until.')
  return { ...(from !== null && { since: from }), ...(to !== null && { until: to }) }
}

function replayText({ events, left, more, calls }: Replayed): string {
  const sent = calls.filter(({ method, why }) => method !== null && why === null).length
  const unplanned = left === 0 ? '' : `; ${left} could not be planned: not here, quarantined, or without payload`
  return [
    ...[...Map.groupBy(calls, ({ event }) => event)].flatMap(([event, group]) => [
      oneLine(`event ${event} ${group[0]?.kind}`),
      ...group.flatMap(callLines).map(oneLine),
      '',
    ]),
    `${pluralize(events, 'event')} planned, ${pluralize(sent, 'call')} would be sent${unplanned}. Nothing was sent.`,
    ...(more ? ['There are more events: --limit.'] : []),
  ].join('\n')
}

function callLines({ destination, flow, part, entity, method, why, fields }: ReplayedCall): string[] {
  const step = part === '' ? flow : `${flow} ${part}`
  const about = entity === null ? '' : ` about ${entity}`
  return [
    `  ${destination} ${step}${method === null ? '' : ` (${method})`}${about}${why === null ? '' : `: ${why}`}`,
    ...Object.entries(fields).map(([path, value]) => `    ${path}: ${value}`),
  ]
}
