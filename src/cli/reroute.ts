import { Command } from 'commander'
import type { Rerouted } from '../inbox/reroute.ts'
import { createClient } from './client.ts'
import { changing, filterOf, selectEvents } from './options.ts'
import { show, table } from './print.ts'

export const reroute = changing(selectEvents(new Command('reroute')))
  .description("Plan events again with today's config: one by its id, or all that a filter selects")
  .argument('[id]')
  .action(async (id, options) => {
    const client = await createClient(process.env)
    const { dryRun = false, json } = options
    const filter = { ...filterOf(options), ...(id !== undefined && { id: Number(id) }) }
    const result = await client.post<Rerouted>('/admin/events/reroute', { filter, dryRun })
    show(json, result, () => text(result, dryRun))
  })

function text({ events, deliveries, left, sample }: Rerouted, dryRun: boolean): string {
  const rows = sample.map(({ id, kind, entity }) => [id, kind, entity])
  return [
    dryRun
      ? `${events} events would owe ${deliveries} new deliveries. Nothing was changed.`
      : `${events} events owe ${deliveries} new deliveries.`,
    ...(left > 0 ? [`${left} events cannot be planned: quarantined, or their payload is not kept any more.`] : []),
    '',
    table(['event', 'kind', 'about'], rows, 'Nothing new for any destination.'),
  ].join('\n')
}
