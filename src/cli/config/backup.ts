import { statSync } from 'node:fs'
import { Command } from 'commander'
import { readConfig } from '../../hub/read-config.ts'
import { listenForInterrupt } from '../../lib/interrupt.ts'
import { EndedError } from '../shared/ended.ts'
import { createNewFile } from '../shared/new-file.ts'
import { show } from '../shared/print.ts'
import { createProgress } from '../shared/progress.ts'

export const backup = new Command('backup')
  .description('Copy the store to a file, also while the hub works; "store restore" puts it back')
  .argument('<file>')
  .option('--json', 'print JSON')
  .action(async (file: string, { json }) => {
    const { config } = await readConfig(process.env)
    const { backUp } = await import('../../store/backup.ts')
    using interrupt = listenForInterrupt()
    await using copy = await createNewFile(file)
    const progress = createProgress(process.stderr)
    const { signal } = interrupt
    try {
      await backUp(config.store.url, file, {
        signal,
        progress: (done, of) => progress.show({ doing: 'copying', done, of, unit: 'bytes' }),
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
