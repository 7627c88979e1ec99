import { Command } from 'commander'
import type { SentAgain } from '../../admin/deliveries/messages.ts'
import { createClient } from '../shared/client.ts'
import { show } from '../shared/print.ts'
import { numberOf } from '../shared/values.ts'
import { deliveryTable } from './deliveries.ts'

export const sendAgain = new Command('send-again')
  .description('Send a message (a receipt, an e-mail, an SMS) to its customer once more, or to another address')
  .argument('<delivery>', 'the one that sent it, as "find" and "order" show it', numberOf)
  .option('--to <address>', 'an e-mail address, or a phone number with its country, in place of the first one')
  .option('--reason <text>', 'why, for the record')
  .option('--dry-run', 'say what would be sent to whom, send nothing')
  .option('--json', 'print JSON')
  .action(async (id, { to, reason, dryRun = false, json }) => {
    const client = await createClient(process.env)
    const path = `/admin/deliveries/${id}/send-again`
    const sent = await client.post<SentAgain>(path, { to, reason, dryRun })
    show(json, sent, () => sentText(sent))
  })

function sentText({ delivery, again, to }: SentAgain): string {
  const whom = to ?? 'whoever the order says'
  if (delivery === null) return `What delivery ${again} sent would go to ${whom}. Nothing was sent.`
  return [`What delivery ${again} sent goes to ${whom} once more:`, '', deliveryTable([delivery])].join('\n')
}
