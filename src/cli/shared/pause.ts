import { Command } from 'commander'
import { createClient } from './client.ts'
import { oneLine } from './harmless-text.ts'
import { pathPart } from './path-part.ts'
import { show } from './print.ts'

export const pause = new Command('pause')
  .description('Send nothing to a destination until it is resumed; everything is kept')
  .argument('<destination>')
  .option('--reason <text>', 'why, for the record')
  .option('--json', 'print JSON')
  .action((destination, options) => tell(destination, 'pause', 'paused', options))

export const resume = new Command('resume')
  .description('Go on with a paused destination')
  .argument('<destination>')
  .option('--reason <text>', 'why, for the record')
  .option('--json', 'print JSON')
  .action((destination, options) => tell(destination, 'resume', 'resumed', options))

interface Options {
  reason?: string
  json?: true
}

async function tell(destination: string, verb: string, done: string, { reason, json }: Options): Promise<void> {
  const client = await createClient(process.env)
  await client.post(`/admin/destinations/${pathPart(destination)}/${verb}`, { reason })
  show(json, { destination, done }, () => oneLine(`${destination} is ${done}.`))
}
