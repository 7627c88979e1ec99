import { Command } from 'commander'
import type { Hinted } from '../../admin/hints.ts'
import { counted } from '../../domain/values/text.ts'
import type { Rerouted as Planned } from '../../inbox/reroute.ts'
import type { EventRow } from '../../store/screens.ts'
import { createClient } from '../shared/client.ts'
import { changing, filterOf } from '../shared/options.ts'
import { selectEvents } from '../shared/selecting.ts'
import { tableOf } from '../shared/table.ts'
import { idArgument } from '../shared/values.ts'
import { inParts } from './in-parts.ts'
import { hintLines, leftAlone, showDone } from './named.ts'

type Rerouted = Planned & Partial<Hinted>

export const reroute = changing(selectEvents(new Command('reroute')))
  .description("Plan events again with today's config: one by its id, or all that a filter selects")
  .addArgument(idArgument('[id]', 'events list'))
  .action(async (id, options) => {
    const { dryRun = false, reason = null, json } = options
    const filter = { ...filterOf(options), ...(id !== undefined && { id }) }
    const result = await rerouteAll({ filter, dryRun, reason })
    // One that owes nothing new was looked at, and is as today's config has it.
    const isLeft = id !== undefined && result.looked === result.left
    const left = isLeft ? await leftAlone('events', { ...filter, id, own: 'show' }, whyNotPlanned) : null
    showDone(json, result, () => text(result, dryRun), left)
  })

/** Part by part; a dry run is, too: it looks at as many. */
async function rerouteAll(asked: object): Promise<Rerouted> {
  const client = await createClient(process.env)
  return await inParts((part) => client.post<Rerouted>('/admin/events/reroute', { ...asked, part }), {
    doing: 'planning',
    join: (all, more) => ({
      ...all,
      events: all.events + more.events,
      deliveries: all.deliveries + more.deliveries,
      left: all.left + more.left,
      conflicts: all.conflicts + more.conflicts,
      dismissed: all.dismissed + more.dismissed,
      sample: [...all.sample, ...more.sample].slice(0, SAMPLE),
      looked: all.looked + more.looked,
      next: more.next,
    }),
    far: ({ looked }) => ({ done: looked, of: null }),
  })
}

const SAMPLE = 10

function whyNotPlanned({ state }: EventRow): string {
  return `${state === 'quarantined' ? 'nobody can read it' : 'its payload is not kept any more'}, so it cannot be planned again.`
}

function text(rerouted: Rerouted, dryRun: boolean): string {
  const { events, deliveries, left, conflicts, dismissed, sample } = rerouted
  return [
    dryRun
      ? `${counted(events, 'event')} would owe ${counted(deliveries, 'new delivery')}. Nothing was changed.`
      : `${counted(events, 'event')} ${events === 1 ? 'owes' : 'owe'} ${counted(deliveries, 'new delivery')}.`,
    ...(left > 0
      ? [`${counted(left, 'event')} cannot be planned: quarantined, or the payload is not kept any more.`]
      : []),
    ...(conflicts > 0
      ? [
          `${counted(conflicts, 'event')} left, in conflict: compare ("tillbridge events list --conflict"), and accept ("tillbridge events accept") what happened besides the other.`,
        ]
      : []),
    ...(dismissed > 0 ? [`${counted(dismissed, 'event')} left, dismissed: --dismissed takes those alone.`] : []),
    '',
    tableOf({ event: 'id', kind: 'kind', about: 'entity' }, sample, 'Nothing new for any destination.'),
    ...hintLines(rerouted),
  ].join('\n')
}
