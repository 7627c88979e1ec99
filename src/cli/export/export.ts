import { extname } from 'node:path'
import { Argument, Command, Option } from 'commander'
import { SET_NAMES } from '../../domain/access/scope.ts'
import { UserError } from '../../domain/values/errors.ts'
import { listenForInterrupt } from '../../lib/interrupt.ts'
import { EndedError } from '../shared/ended.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { carried, hubUrl } from '../shared/hub-url.ts'
import { complain, show } from '../shared/print.ts'
import { createReadHub } from './hub.ts'
import { createRowCounter } from './progress.ts'
import { reportText } from './report.ts'
import { type Format, runExport } from './run.ts'
import { fileSink, streamSink } from './sink.ts'

export const exportCommand = new Command('export')
  .description('Write what the hub has a copy of to a file, or to standard output')
  .addArgument(new Argument('<what>', 'what to write').choices(SET_NAMES))
  .option('--from <day>', "not before this day of the store's, such as 2026-11-01")
  .option('--to <day>', 'not after this day')
  .option('--store <number>', 'of the store with this number')
  .option('--stock <id>', 'of the stock with this id')
  .option('--gtin <gtin>', 'about this article')
  .addOption(
    new Option('--format <format>', 'if the name of the file does not tell; else csv').choices(['csv', 'ndjson']),
  )
  .option('--rows <list>', 'CSV: a row for each of these, such as payments or lines')
  .option('--as-is', 'CSV: for a machine, which reads texts as they are: none gets an apostrophe against spreadsheets')
  .option('--out <file>', 'the file; without it, standard output')
  .option('--force', 'overwrite a file that is there')
  .option('--personal', 'with personal data, for keys that have the scope customers too')
  .option(
    '--key <key>',
    'an API key that may read this ("keys create"); better in TILLBRIDGE_KEY, where others do not see it',
  )
  .option('--json', 'print the report as JSON')
  .action(run)

interface Options {
  from?: string
  to?: string
  store?: string
  stock?: string
  gtin?: string
  format?: Format
  rows?: string
  asIs?: true
  out?: string
  force?: true
  personal?: true
  key?: string
  json?: true
}

async function run(what: string, options: Options): Promise<void> {
  const { from, to, store, stock, gtin, out, rows = null, asIs = false, personal = false } = options
  const given = options.key ?? process.env.TILLBRIDGE_KEY
  if (!given)
    throw new UserError(
      `Set TILLBRIDGE_KEY to an API key. "tillbridge keys create <system> --may read:${what}" makes one, at the hub.`,
    )
  const key = carried(options.key === undefined ? 'TILLBRIDGE_KEY' : '--key', given)
  if (options.json && out === undefined)
    throw new UserError('--json prints the report where the rows go: say --out <file>.')
  const format = options.format ?? formatOf(out)
  if (rows !== null && format !== 'csv')
    throw new UserError('--rows is for CSV: NDJSON has what is nested where it is.')

  using interrupt = listenForInterrupt()
  await using hub = createReadHub({ url: await hubUrl(process.env), key, signal: interrupt.signal })
  await using sink = out === undefined ? streamSink(process.stdout) : await fileSink(out, options.force === true)
  try {
    const filters = { from, to, store, stock, gtin }
    using progress = createRowCounter(process.stderr, out === undefined && process.stdout.isTTY === true)
    const report = await runExport({ what, filters, personal, format, rows, asIs, hub, sink, progress })
    if (out === undefined) complain(reportText(report, null))
    else show(options.json, { file: out, ...report }, () => reportText(report, out))
  } catch (error) {
    if (interrupt.signal.aborted) throw new EndedError('Interrupted. Nothing was kept.', interrupt.exitCode)
    // As a shell tells that a program was ended because nobody read its output any more (`| head`).
    if (isBrokenPipe(error)) process.exitCode = EXIT.brokenPipe
    else throw error
  }
}

function formatOf(out: string | undefined): Format {
  return out !== undefined && ['.ndjson', '.jsonl'].includes(extname(out).toLowerCase()) ? 'ndjson' : 'csv'
}

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}
