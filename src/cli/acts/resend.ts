import { Command } from 'commander'
import type { Resent } from '../../admin/deliveries/resend.ts'
import { createClient } from '../shared/client.ts'
import { show } from '../shared/print.ts'
import { idArgument } from '../shared/values.ts'

/** `deliveries resend`. */
export const resend = new Command('resend')
  .description('Give a destination once more what it has acknowledged and has no more, as a gap says')
  .addArgument(idArgument('<id>', 'deliveries list'))
  .option('--reason <text>', 'why, for the record')
  .option('--dry-run', 'say whether it can be given, give nothing')
  .option('--json', 'print JSON')
  .action(async (id, { reason, dryRun = false, json }) => {
    const client = await createClient(process.env)
    const resent = await client.post<Resent>(`/admin/deliveries/${id}/resend`, { reason, dryRun })
    show(json, resent, () => textOf(resent))
  })

function textOf({ delivery, again, act }: Resent): string {
  if (delivery === null) return `What delivery ${again} gave can be given once more. Nothing was sent.`
  return `What delivery ${again} gave goes to ${delivery.destination} once more as delivery ${delivery.id} (audit entry ${act}). The next run of compare-destinations closes the gap.`
}
