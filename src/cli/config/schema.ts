import { Command } from 'commander'
import { builtInAdapters } from '../../adapters/index.ts'
import { configJsonSchema } from '../../config/schema/json-schema.ts'
import { show } from '../shared/print.ts'

export const schema = new Command('schema')
  .description('Print the JSON Schema of the config, for editors')
  .action(async () => show(true, configJsonSchema(await builtInAdapters()), () => ''))
