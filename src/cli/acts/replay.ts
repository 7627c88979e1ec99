import { Command } from 'commander'
import { UserError } from '../../domain/values/errors.ts'
import { counted } from '../../domain/values/text.ts'
import { readConfig } from '../../hub/read-config.ts'
import type { Replayed, ReplayedCall } from '../../hub/replay.ts'
import { listenForInterrupt } from '../../lib/interrupt.ts'
import { EndedError } from '../shared/exit.ts'
import { instantAt, instantOption, limitOption, numberOf } from '../shared/options.ts'
import { oneLine, show } from '../shared/output.ts'

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
  .description("Print the calls that today's config would make of recorded events. Nothing is sent, nothing is written")
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
    const { dryRun, limit, json } = options
    if (!dryRun)
      throw new UserError(
        'Say --dry-run: it prints the calls, and sends nothing. To send, see "tillbridge reroute" and "tillbridge deliveries retry".',
      )
    const filter = filterOf(options)
    if (ids.length === 0 && Object.keys(filter).length === 0)
      throw new UserError('Say which events: their numbers, --kind, --entity, --since or --until.')
    const loaded = await readConfig(process.env)
    const { replayCalls } = await import('../../hub/replay.ts')
    const { openReading } = await import('../../store/reading/open-reading.ts')
    await using reading = await openReading(loaded.config.store.url)
    using interrupt = listenForInterrupt()
    const replayed = await replayCalls(loaded, reading, { ids, limit, ...filter }, interrupt.signal).catch(
      (error: unknown) => {
        if (!interrupt.signal.aborted) throw error
        throw new EndedError('Stopped. Nothing was changed.', interrupt.exitCode)
      },
    )
    show(json, replayed, () => replayText(replayed))
  })

function numbersOf(text: string, before: number[] = []): number[] {
  return [...before, numberOf(text)]
}

function filterOf({ kind, entity, since, until }: Options) {
  const now = Date.now()
  const at = (text: string | undefined) => (text === undefined ? undefined : instantAt(text, now))
  const asked = { kind, entity, since: at(since), until: at(until) }
  if (asked.since !== undefined && asked.until !== undefined && asked.since > asked.until)
    throw new UserError('--since: it is after --until.')
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

function replayText({ events, left, more, calls }: Replayed): string {
  const byEvent = Map.groupBy(calls, ({ event }) => event)
  const sent = calls.filter(({ method, why }) => method !== null && why === null).length
  return [
    ...[...byEvent].flatMap(([event, group]) => [
      oneLine(`event ${event} ${group[0]?.kind}`),
      ...group.flatMap(callLines).map(oneLine),
      '',
    ]),
    `${counted(events, 'event')} planned, ${counted(sent, 'call')} would be sent${left === 0 ? '' : `; ${left} could not be planned: not here, quarantined, or without payload`}. Nothing was sent.`,
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
