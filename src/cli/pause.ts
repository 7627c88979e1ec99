import { Command } from 'commander'
import { createClient } from './client.ts'
import { say } from './print.ts'

export const pause = new Command('pause')
  .description('Send nothing to a destination until it is resumed; everything is kept')
  .argument('<destination>')
  .action((destination) => tell(destination, 'pause', 'paused'))

export const resume = new Command('resume')
  .description('Go on with a paused destination')
  .argument('<destination>')
  .action((destination) => tell(destination, 'resume', 'resumed'))

async function tell(destination: string, verb: string, done: string): Promise<void> {
  const client = await createClient(process.env)
  await client.post(`/admin/destinations/${encodeURIComponent(destination)}/${verb}`, {})
  say(`${destination} is ${done}.`)
}
