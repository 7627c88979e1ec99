import { Command } from 'commander'
import { UserError } from '../../domain/values/errors.ts'
import { readConfig } from '../../hub/read-config.ts'
import { listenForInterrupt } from '../../lib/interrupt.ts'
import { createProgress } from '../push/progress.ts'
import { EndedError } from '../shared/ended.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { show } from '../shared/print.ts'
import { instantAt, instantOption, numberOf } from '../shared/values.ts'
import { replayText } from './replay-text.ts'

interface Options {
  shadow?: true
  config?: string
  before?: string
  since?: string
  until?: string
  kind?: string
  entity?: string
  limit: number
  json?: true
}

export const replay = new Command('replay')
  .description('Make the calls of recorded events ready under two configs, carry none out, and say where they differ')
  .option('--shadow', 'compare only: there is no replay that carries out (see "reroute", and "deliveries retry")')
  .option('--config <file>', 'the changed config; without it, the one of TILLBRIDGE_CONFIG')
  .option('--before <file>', 'the config to compare it with; without it, the one of TILLBRIDGE_CONFIG')
  .option('--kind <kind>', 'events of this kind')
  .option('--entity <entity>', 'events about this thing, such as order:A1')
  .addOption(instantOption('--since <when>', 'events taken since'))
  .addOption(instantOption('--until <when>', 'events taken before'))
  .option('--limit <n>', 'list so many differences; all are counted', numberOf, 50)
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    '\nExit code 0: the same calls. 1: they differ. The store is that of TILLBRIDGE_CONFIG; it is only read. Nobody is asked.',
  )
  .action(async (options: Options) => {
    const { shadow, config, before, limit, json } = options
    if (!shadow)
      throw new UserError(
        'Say --shadow: it compares, and carries nothing out. To carry out, see "tillbridge reroute" and "tillbridge deliveries retry".',
      )
    if (config === undefined && before === undefined)
      throw new UserError('Name the changed config with --config, or the one that it was before with --before.')
    const filter = filterOf(options)
    const own = await readConfig(process.env)
    const other = (path: string | undefined) =>
      path === undefined ? own : readConfig({ ...process.env, TILLBRIDGE_CONFIG: path })
    const configs = { before: await other(before), after: await other(config) }
    // The flows and the reading of stores come with them, which hardly another command needs.
    const { replayShadow } = await import('../../hub/shadow/replay.ts')
    const { openReading } = await import('../../store/reading/open-reading.ts')
    await using reading = await openReading(own.config.store.url)
    using interrupt = listenForInterrupt()
    const progress = createProgress(process.stderr)
    const replayed = await replayShadow(reading, configs, {
      filter,
      most: limit,
      signal: interrupt.signal,
      progress: (done) => progress.show({ doing: 'planning', done, of: null, unit: 'items' }),
    })
      .catch((error: unknown) => {
        if (!interrupt.signal.aborted) throw error
        throw new EndedError('Stopped. Nothing was changed.', interrupt.exitCode)
      })
      .finally(() => progress.clear())
    const paths = { before: configs.before.path, after: configs.after.path }
    show(json, { ...paths, ...replayed }, () => replayText(replayed, paths))
    if (Object.values(replayed.counts).some((count) => count > 0)) process.exitCode = EXIT.problem
  })

function filterOf({ kind, entity, since, until }: Options) {
  const now = Date.now()
  const [from, to] = [since, until].map((text) => (text === undefined ? undefined : instantAt(text, now)))
  if (from !== undefined && to !== undefined && from > to) throw new UserError('--since: it is after --until.')
  return {
    ...(kind !== undefined && { kind }),
    ...(entity !== undefined && { entity }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
  }
}
