import { Command } from 'commander'
import { builtInAdapters } from '../adapters/index.ts'
import { ConfigError } from '../config/config-error.ts'
import { maskedConfig } from '../config/describe.ts'
import { configJsonSchema } from '../config/json-schema.ts'
import { BORNE_OUT_BY, notBorneOut } from './borne-out.ts'
import { guessesOf, guessesText } from './guesses.ts'
import { show, table } from './print.ts'
import { readConfig } from './read-config.ts'

export const check = new Command('check')
  .description('Read the config and say everything that is wrong with it')
  .option('--json', 'print JSON: the config as it is understood, or the problems')
  .action(async ({ json }) => {
    try {
      const { config, path } = await readConfig(process.env)
      const known = await builtInAdapters()
      const optionsOf = (adapter: string) => known.find(({ name }) => name === adapter)?.options
      const held = notBorneOut(config)
      const guessed = guessesText(guessesOf(config))
      show(json, maskedConfig(config, optionsOf), () =>
        [
          `${path} is right.`,
          '',
          table(
            ['destination', 'adapter', 'publish', ''],
            config.destinations.map(({ name, adapter, publish, dryRun }) => [
              name,
              adapter,
              publish === 'all' ? 'all kinds' : (publish?.join(', ') ?? ''),
              dryRun ? 'dry run: nothing is sent' : '',
            ]),
            'It has no destinations: every event will be kept as unrouted.',
          ),
          ...(held === null ? [] : ['', `${held} To do: ${BORNE_OUT_BY}`]),
          ...(guessed === null ? [] : ['', `${guessed} To do: let \`doctor\` ask the platform (docs/evidence.md).`]),
        ].join('\n'),
      )
    } catch (error) {
      if (!json || !(error instanceof ConfigError)) throw error
      show(true, { problems: error.problems }, () => '')
      process.exitCode = 2
    }
  })

export const schema = new Command('schema')
  .description('Print the JSON Schema of the config, for editors')
  .action(async () => show(true, configJsonSchema(await builtInAdapters()), () => ''))
