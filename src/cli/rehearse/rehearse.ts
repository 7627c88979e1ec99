import { join, resolve } from 'node:path'
import { Command } from 'commander'
import type { LoadedConfig } from '../../config/reading/load.ts'
import { FAULT_WORDS, readFaults } from '../../domain/rehearsal/fault.ts'
import { UserError } from '../../domain/values/errors.ts'
import { readConfig } from '../../hub/read-config.ts'
import { listenForInterrupt } from '../../lib/interrupt.ts'
import type { StoreReading } from '../../store/reading/open-reading.ts'
import { createProgress } from '../push/progress.ts'
import { EndedError } from '../shared/ended.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { show } from '../shared/print.ts'
import type { Day, DayOptions } from './day.ts'
import { temporaryFolder } from './folder.ts'
import { dayOf, durationOf, madeOf, readLatencies, several, speedOf } from './options.ts'
import { rehearsalText } from './rehearse-text.ts'

/** Where nothing is recorded of a destination, a call takes so long (milliseconds). */
const LATENCY = 50

interface Options extends DayOptions {
  speed: number
  fault: string[]
  latency: string[]
  config?: string
  store?: string
  in?: string
  within: number
  patience: number
  json?: true
}

export const rehearse = new Command('rehearse')
  .description(
    'Play the webhooks of a recorded day to a second hub with shadow destinations, and say which promises held',
  )
  .option('--day <yyyy-mm-dd>', "the day, by this machine's clock", dayOf)
  .option('--made <size>', 'a day that is made, in the shape of what was recorded: stores=20,sales=5000', madeOf)
  .option('--speed <n>', 'so many times as fast as it was', speedOf, 10)
  .option('--fault <fault>', `what goes wrong, several times: ${FAULT_WORDS}`, several, [])
  .option('--latency <ms>', 'how long a call takes, 80ms or erp:200ms; without it, as recorded, else 50ms', several, [])
  .option('--config <file>', 'the config to rehearse; without it, the one of TILLBRIDGE_CONFIG')
  .option('--store <url>', 'a store for the second hub, not there yet; without it, a file that is removed again')
  .option('--in <folder>', 'where that file is made: on the disk of your store, it is as fast as that')
  .option('--within <ms>', 'how soon webhooks are to be answered (p99)', durationOf, 1_000)
  .option('--patience <time>', 'how long lanes may take to drain', durationOf, 600_000)
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    '\nExit code 0: every promise was kept. 1: one was not. The store of TILLBRIDGE_CONFIG is only read; no destination and no platform is called.',
  )
  .action(async (options: Options) => {
    const { config: path, json } = options
    const own = await readConfig(process.env)
    const loaded = path === undefined ? own : await readConfig({ ...process.env, TILLBRIDGE_CONFIG: path })
    if (options.store !== undefined && storeName(options.store) === storeName(own.config.store.url))
      throw new UserError('--store: that is the store of the hub itself. Name one that is not there yet.')
    const names = loaded.config.destinations.map(({ name }) => name)
    const faults = readFaults(options.fault, names)
    const given = readLatencies(options.latency, names)
    // The reading of stores and the hub come with them, which hardly another command needs.
    const [{ readDay, readingOf }, { runRehearsal }] = await Promise.all([import('./day.ts'), import('./run.ts')])
    await using reading = await readingOf(own.config.store.url, options)
    const { source, what, span } = await readDay(options, reading)
    const latencies = { ...(await latenciesOf(loaded, reading, span)), ...given }
    using folder = temporaryFolder(options.in)
    using interrupt = listenForInterrupt()
    const progress = createProgress(process.stderr)
    const result = await runRehearsal({
      loaded,
      env: process.env,
      reading,
      source,
      speed: options.speed,
      faults,
      latencies,
      folder: folder.path,
      storeUrl: options.store ?? `file:${join(folder.path, 'rehearsal.db')}`,
      patience: options.patience,
      within: options.within,
      signal: interrupt.signal,
      progress,
    })
      .catch((error: unknown) => {
        if (!interrupt.signal.aborted) throw error
        const left = options.store === undefined ? '' : ' What the store of --store has by now stays: drop it.'
        throw new EndedError(`Stopped. The second hub has ended, and its files are gone.${left}`, interrupt.exitCode)
      })
      .finally(() => progress.clear())
    show(json, { what, faults, latencies, ...result }, () => rehearsalText(result, what))
    if (result.promises.some(({ kept }) => !kept)) process.exitCode = EXIT.problem
  })

/** How long calls took, by destination. */
async function latenciesOf({ config }: LoadedConfig, reading: StoreReading | null, span: Day['span']) {
  const { recordedLatency } = await import('../../hub/rehearsal/latency.ts')
  const all: Record<string, number> = {}
  for (const { name } of config.destinations)
    all[name] = (reading && span && (await recordedLatency(reading, name, span))) ?? LATENCY
  return all
}

/** One file has many names. */
function storeName(url: string): string {
  return url.startsWith('file:') ? resolve(url.slice('file:'.length)) : url
}
