import { Command } from 'commander'
import { createClient } from './client.ts'
import { oneLine } from './harmless-text.ts'
import { pathPart } from './path-part.ts'
import { show } from './print.ts'

export const pause = telling('pause', 'paused', 'Send nothing to a destination until it is resumed; everything is kept')
export const resume = telling('resume', 'resumed', 'Go on with a paused destination')

function telling(verb: 'pause' | 'resume', done: string, description: string): Command {
  return new Command(verb)
    .description(description)
    .argument('<destination>')
    .option('--reason <text>', 'why, for the record')
    .option('--json', 'print JSON')
    .action(async (destination, { reason, json }) => {
      const client = await createClient(process.env)
      await client.post(`/admin/destinations/${pathPart(destination)}/${verb}`, { reason })
      show(json, { destination, done }, () => oneLine(`${destination} is ${done}.`))
    })
}
