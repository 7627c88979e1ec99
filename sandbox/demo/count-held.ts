import type { Effects } from './reconcile.ts'
import type { World } from './world.ts'

/**
 * Events of the platform in words that nobody can know: those of kinds whose payload it shows nowhere, each by its id, and
 * those of them that the hub has put aside, and acted on in no destination. Nothing where the dialect shows them all.
 */
export async function countHeld({ platform, hub }: World): Promise<Effects[]> {
  const reported = platform.events().filter(({ kind }) => !platform.isShown(kind))
  if (reported.length === 0) return []
  const { deliveries } = await hub.admin<{ deliveries: Row[] }>(`deliveries?state=held&${ALL}`)
  const held = new Set(deliveries.map(({ event }) => event))
  const kinds = [...new Set(reported.map(({ kind }) => kind))]
  const counted = await Promise.all(
    kinds.map(async (kind) => {
      const { events } = await hub.admin<{ events: Reported[] }>(`events?kind=${kind}&${ALL}`)
      const rejected = events.filter(({ id, state }) => state === 'quarantined' || held.has(id))
      return rejected.map(({ transportKey }) => `${kind} ${transportKey}`)
    }),
  )
  return [
    {
      name: 'shown nowhere: held, not guessed',
      expected: reported.map(({ kind, webhookEventId }) => `${kind} ${webhookEventId}`),
      counted: counted.flat(),
    },
  ]
}

/** As many as the hub tells at once: more than a day of the demo has. */
const ALL = 'limit=500'

interface Row {
  event: number
}

interface Reported {
  id: number
  state: string
  transportKey: string
}
