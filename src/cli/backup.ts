import { statSync } from 'node:fs'
import { Command } from 'commander'
import { readConfig } from '../app/read-config.ts'
import { listenForInterrupt } from '../lib/interrupt.ts'
import { CopyError, type CopyReport } from '../storage/copy/copy.ts'
import { EndedError, EXIT } from './shared/exit.ts'
import { createNewFile } from './shared/new-file.ts'
import { show, tableOf } from './shared/output.ts'
import { createProgress, grouped } from './shared/progress.ts'
import { group } from './shared/question.ts'

export const backup = new Command('backup')
  .description('Copy the store to a file, also while the hub works')
  .argument('<file>')
  .option('--json', 'print JSON')
  .action(async (file: string, { json }) => {
    const { config } = await readConfig(process.env)
    const { backUp } = await import('../storage/backup.ts')
    using interrupt = listenForInterrupt()
    await using copy = await createNewFile(file)
    const progress = createProgress(process.stderr)
    const { signal } = interrupt
    try {
      await backUp(config.store.url, file, {
        signal,
        progress: (done, of) => progress.show({ doing: 'copying', done, of }),
      })
    } catch (error) {
      progress.clear()
      if (signal.aborted) throw new EndedError('Stopped. Nothing of the copy is left.', interrupt.exitCode)
      throw error
    }
    copy.keep()
    progress.clear()
    const { size } = statSync(file)
    show(json, { file, bytes: size }, () => `${file} holds everything up to now (${Math.ceil(size / 1024)} KB).`)
  })

const restore = new Command('restore')
  .description('Replace the store of a stopped hub by a backup; the old file stays beside it')
  .argument('<file>')
  .option('--json', 'print JSON')
  .action(async (from: string, { json }: { json?: true }) => {
    const { config } = await readConfig(process.env)
    const { restoreStorage } = await import('../storage/backup.ts')
    const restored = restoreStorage(config.store.url, from, Date.now())
    show(json, restored, () => restoredText(from, restored))
  })

function restoredText(from: string, { file, rejected }: { file: string; rejected: readonly string[] }): string {
  return [
    `${file} is what ${from} holds.`,
    ...(rejected.length === 0
      ? ['Nothing was there before.']
      : ['What was there lies here now:', ...rejected.map((one) => `  ${one}`)]),
    '',
    'What to do next:',
    '1. Start the hub, and look at "tillbridge status". What was sent after the backup may be sent once more.',
    '2. For each person who was erased since: "tillbridge people erase --proof <file> --reason …".',
    '3. "tillbridge jobs run resend-failed" fetches what came after the backup, as far as the platform\'s log reaches back.',
    '4. "tillbridge complete" tells what is still missing of the days between.',
    ...(rejected.length === 0 ? [] : ["5. When all is well, take away what lies aside: it holds people's names."]),
  ].join('\n')
}

const copy = new Command('copy')
  .description('Copy the SQLite store of a stopped hub into an empty PostgreSQL database, all or nothing')
  .requiredOption('--from <url>', 'the store of the hub until now: file:./data/tillbridge.db')
  .requiredOption(
    '--to <url>',
    'where it is to be: postgres://user@host:5432/database, with ?schema=… if not "tillbridge"; the password is better in PGPASSWORD, where others do not see it',
  )
  .option('--json', 'print JSON')
  .action(async ({ from, to, json }: { from: string; to: string; json?: true }) => {
    const { copyStorage } = await import('../storage/copy/copy.ts')
    const progress = createProgress(process.stderr)
    try {
      const report = await copyStorage({
        from,
        to,
        progress: progress.show,
      })
      progress.clear()
      show(json, report, () => reportText(report))
    } catch (error) {
      progress.clear()
      throw error instanceof CopyError ? new EndedError(error.message, EXIT.problem) : error
    }
  })

export const store = group('store', 'Where everything is kept', copy, restore)

function reportText({ file, server, schema, tables }: CopyReport): string {
  const rows = tables.reduce((sum, { postgres }) => sum + postgres, 0)
  return [
    tableOf(
      { table: 'table', 'in the file': 'file', 'in PostgreSQL': 'postgres', 'by hash': () => 'equal' },
      tables,
      '',
    ),
    '',
    `All ${grouped(rows)} rows are in the schema ${schema} at ${server}, and the same as in the file. What to do next:`,
    '1. Set store.url to that address, in the config of each hub.',
    '2. Start the hubs. They go on where the last one ended.',
    `3. Keep ${file} as it is, and start no hub on it: it would do everything once more that is waiting.`,
  ].join('\n')
}
