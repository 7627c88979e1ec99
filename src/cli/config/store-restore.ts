import { Command } from 'commander'
import { readConfig } from '../../hub/read-config.ts'
import { show } from '../shared/print.ts'

export const restore = new Command('restore')
  .description(
    'Put a backup in the place of the store of a hub that is stopped; what was there lies beside it afterwards',
  )
  .argument('<file>')
  .option('--json', 'print JSON')
  .action(async (from: string, { json }: { json?: true }) => {
    const { config } = await readConfig(process.env)
    const { restoreStore } = await import('../../store/copy/restore.ts')
    const restored = restoreStore(config.store.url, from, Date.now())
    show(json, restored, () => restoredText(from, restored))
  })

function restoredText(from: string, { file, aside }: { file: string; aside: readonly string[] }): string {
  return [
    `${file} is what ${from} holds.`,
    ...(aside.length === 0
      ? ['Nothing was there before.']
      : ['What was there lies here now:', ...aside.map((one) => `  ${one}`)]),
    '',
    'What to do next:',
    '1. Start the hub, and look at "tillbridge status". What was sent after the backup may be sent once more.',
    '2. For each person who was forgotten since: "tillbridge people erase --proof <file> --reason …".',
    '3. "tillbridge jobs run resend-failed" fetches what came after the backup, as far as the platform\'s log reaches back.',
    '4. "tillbridge complete" tells what is still missing of the days between.',
    ...(aside.length === 0 ? [] : ["5. When all is well, take away what lies aside: it holds people's names."]),
  ].join('\n')
}
