import { hash } from 'node:crypto'
import { type Held, heldBy } from '../../domain/ledger/log-classes.ts'
import { PLATFORM, PULLED } from '../../domain/queue/event.ts'
import { jsonOf } from '../../lib/json-of.ts'
import { evaluate } from '../../lib/jsonata.ts'
import { kindOf } from '../../payloads/kinds.ts'
import { type Mappings, mapped } from '../../payloads/mapping/mapping.ts'
import type { EventRecord } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'

/** Records that are asked for at once: the writer's thread answers in two or three milliseconds, and webhooks wait for it. */
const AT_ONCE = 250

interface Tools {
  store: Pick<Store, 'seen' | 'known'>
  /** A header names each event that arrives. */
  keyed: boolean
  /** Where config says that fields of payloads stand. */
  mappings: Mappings
  payloadOf(record: EventRecord): Promise<unknown>
}

/** What the inbox has of the records of one kind, by their ids: by transport key, else by what they say. */
export async function matchRecords(
  kind: string,
  records: readonly EventRecord[],
  { store, keyed, mappings, payloadOf }: Tools,
): Promise<Map<string, Held>> {
  const held = new Map<string, Held>()
  for (let start = 0; start < records.length; start += AT_ONCE) {
    const some = records.slice(start, start + AT_ONCE)
    const seen = await store.seen(
      PLATFORM,
      some.map(({ webhookEventId }) => webhookEventId),
    )
    for (const record of some) {
      const { webhookEventId, success } = record
      const byKey = seen.has(webhookEventId)
      // What failed did not arrive; a lost 2xx is known by its key, where there are any.
      const isPlain = byKey || (keyed && !success)
      held.set(webhookEventId, isPlain ? (byKey ? 'here' : 'lacking') : await bySaying(record))
    }
  }
  return held

  async function bySaying(record: EventRecord): Promise<Held> {
    const payload = await payloadOf(record)
    if (payload === undefined) return heldBy(null, keyed)
    const known = kindOf(kind)
    const identity =
      known?.identity?.(mapped({ kind, subscription: null }, payload, mappings, evaluate), PLATFORM)?.key ?? null
    const bodyHash = hash('sha256', jsonOf(payload).text).slice(0, 32)
    const [event = null] = await store.known([{ kind, origin: PLATFORM, transportKey: null, identity, bodyHash }])
    if (event === null) return heldBy(null, keyed || known?.nature === 'immutable')
    const { by, hasKey, subscription } = event
    const is = { isPulled: subscription === PULLED, immutable: known?.nature === 'immutable' }
    return heldBy({ by, hasKey, sameBytes: event.bodyHash === bodyHash, ...is }, keyed)
  }
}
