import { hash } from 'node:crypto'
import { UNLEARNED } from '../../domain/ledger/lag.ts'
import { PLATFORM, PULLED } from '../../domain/queue/event.ts'
import { jsonOf } from '../../lib/exact-json.ts'
import { evaluate } from '../../lib/jsonata.ts'
import { partsOf } from '../../lib/parts.ts'
import { kindOf } from '../../payloads/kinds.ts'
import { type Mappings, mapped } from '../../payloads/mapping/mapping.ts'
import type { EventRecord } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'

/** Records that are asked for at once: the writer's thread answers in two or three milliseconds, and webhooks wait for it. */
const AT_ONCE = 250

interface Tools {
  store: Pick<Store, 'seen' | 'known'>
  /** Where config says that fields of payloads stand. */
  mappings: Mappings
  payloadOf(record: EventRecord): Promise<unknown>
}

/** Records that are here, and those of which something is here that may be they: it came before a header named events. */
export interface Matched {
  here: Set<string>
  unclear: Set<string>
}

/** Matches the records of one kind to what is here, by their event ids, else by what they say. */
export async function matchRecords(
  kind: string,
  records: readonly EventRecord[],
  { store, mappings, payloadOf }: Tools,
): Promise<Matched> {
  const matched: Matched = { here: new Set(), unclear: new Set() }
  for (const some of partsOf(records, AT_ONCE)) {
    const ids = some.map(({ webhookEventId }) => webhookEventId)
    const seen = await store.seen(PLATFORM, ids)
    for (const record of some) {
      const { webhookEventId, success } = record
      // What failed did not arrive; a lost 2xx is known by its id.
      const is = seen.has(webhookEventId) ? 'here' : success ? await bySaying(record) : 'lacking'
      if (is !== 'lacking') matched[is].add(webhookEventId)
    }
  }
  return matched

  /** What was pulled has no event id; nor has what came before a header named events. */
  async function bySaying(record: EventRecord): Promise<'here' | 'lacking' | 'unclear'> {
    const payload = await payloadOf(record)
    if (payload === undefined) return 'lacking'
    const known = kindOf(kind)
    const of = mapped({ kind, subscription: null }, payload, mappings, evaluate)
    const identity = known?.identity?.(of, PLATFORM)?.key ?? null
    const bodyHash = hash('sha256', jsonOf(payload).text).slice(0, 32)
    const [event = null] = await store.known([{ kind, origin: PLATFORM, transportKey: null, identity, bodyHash }])
    if (event === null) return 'lacking'
    if (event.by === 'identity' && known?.nature === 'immutable') return 'here'
    if (event.hasKey) return 'lacking'
    if (event.bodyHash === bodyHash) return 'here'
    return event.subscription === PULLED ? 'lacking' : 'unclear'
  }
}

/** Records of a window that are looked at: enough to learn from within a day, and few enough to ask for at once. */
const MOST = 200

/**
 * How long after they arose ordinary webhooks of a window had arrived: sent once, and delivered. That is known where a header names each.
 * `records`: those that are looked at for the first time, and are here.
 */
export async function sampleLateness(
  kind: string,
  records: readonly EventRecord[],
  store: Pick<Store, 'known'>,
): Promise<number[]> {
  const ordinary = records.filter(({ success, runsCounter }) => success && (runsCounter ?? 1) <= 1)
  const step = Math.max(1, Math.ceil(ordinary.length / MOST))
  const some = ordinary.filter((_, index) => index % step === 0)
  const events = await store.known(
    some.map(({ webhookEventId: transportKey }) => ({
      ...{ kind, origin: PLATFORM, transportKey, identity: null, bodyHash: '' },
    })),
  )
  return some.flatMap(({ createdAt, runsCounter }, index) => {
    const event = events[index]
    if (event?.by !== 'transport' || event.subscription === PULLED) return []
    const lateness = event.receivedAt - createdAt
    // Where the log does not say how often it was sent, it may have been sent again.
    return runsCounter === null && lateness > UNLEARNED ? [] : [lateness]
  })
}
