import { Command } from 'commander'
import type { Reloaded } from '../../admin/reload.ts'
import { problemLine } from '../../config/reading/config-error.ts'
import { createClient } from '../shared/client.ts'
import { show } from '../shared/print.ts'

export const reload = new Command('reload')
  .description('Have the running hub take its config file in again, all of it or nothing; nothing is refused meanwhile')
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    '\nSIGHUP does the same. The hub reads its own file and environment, not those of this command; "check" reads these.',
  )
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const reloaded = await client.post<Reloaded>('/admin/reload', {})
    show(json, reloaded, () => textOf(reloaded))
  })

function textOf({ file, changed, doubts }: Reloaded): string {
  const said =
    changed.length === 0
      ? 'Nothing in the config has changed; the files that it names were read again.'
      : `Taken in: ${changed.join(', ')}.`
  if (doubts.length === 0) return said
  return [said, 'Most likely wrong:', ...doubts.map((doubt) => problemLine(file, doubt))].join('\n')
}
