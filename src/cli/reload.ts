import { Command } from 'commander'
import { builtInAdapters } from '../adapters/index.ts'
import type { Reloaded } from '../admin/context.ts'
import { problemLine } from '../config/issues.ts'
import { configJsonSchema } from '../config/json-schema.ts'
import { show } from './shared/output.ts'
import { asks } from './shared/question.ts'

export const reload = asks<Reloaded>('reload', 'POST /admin/reload', {
  about: 'Have the running hub read its config again, all or nothing; no webhook is refused meanwhile',
  with: (command) =>
    command.addHelpText(
      'after',
      '\nSIGHUP does the same. The hub reads its own file and environment, not those of this command; "check" reads these.',
    ),
  text: textOf,
})

function textOf({ file, changed, warnings }: Reloaded): string {
  const said =
    changed.length === 0
      ? 'Nothing in the config has changed; the files that it names were read again.'
      : `Taken in: ${changed.join(', ')}.`
  if (warnings.length === 0) return said
  return [said, 'Most likely wrong:', ...warnings.map((warning) => problemLine(file, warning))].join('\n')
}

export const schema = new Command('schema')
  .description('Print the JSON Schema of the config, for editors')
  .option('--json', 'print JSON; it does so anyway')
  .action(async () => show(true, configJsonSchema(await builtInAdapters()), () => ''))
