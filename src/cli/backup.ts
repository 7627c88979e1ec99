import { statSync } from 'node:fs'
import { Command } from 'commander'
import { backUp } from '../store/backup.ts'
import { say } from './print.ts'
import { readConfig } from './read-config.ts'

export const backup = new Command('backup')
  .description(
    'Copy the store to a file, also while the hub works; to restore it, stop the hub and put the copy in its place',
  )
  .argument('<file>')
  .action(async (file: string) => {
    const { config } = await readConfig(process.env)
    backUp(config.store.url, file)
    say(`${file} holds everything up to now (${Math.ceil(statSync(file).size / 1024)} KB).`)
  })
