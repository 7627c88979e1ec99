import { Command } from 'commander'
import { builtInAdapters } from '../../adapters/index.ts'
import { configJsonSchema } from '../../config/schema/json-schema.ts'
import { show } from '../shared/print.ts'

export const schema = new Command('schema')
  .description('Print the JSON Schema of the config, for editors')
  .option('--json', 'print JSON; it does so anyway')
  .action(async () => show(true, configJsonSchema(await builtInAdapters()), () => ''))
