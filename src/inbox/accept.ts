import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { payloadOf } from '../domain/event.ts'
import type { Identity } from '../domain/identity.ts'
import type { Instant } from '../domain/instant.ts'
import { kindOf } from '../domain/kinds.ts'
import type { Link } from '../domain/link.ts'
import type { Planned } from '../flows/flow.ts'
import type { Arrival, Store, SubmissionLine, Verdict } from '../store/store.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Proven } from './proofs.ts'
import type { Route } from './route.ts'

/** Something that reached the hub, by whatever road: a webhook, a pull, a submission. */
export interface Incoming {
  kind: string
  origin: string
  subscription: string | null
  receivedAt: Instant
  headers: Record<string, string>
  /** Decoded bytes: what is to be kept. */
  body: Uint8Array
  transportKey: string | null
  /** Why the bytes could not even be decoded. */
  unreadable: string | null
  /** The line of an own system's request that it is. */
  submission?: SubmissionLine
  /** It is the system's own webhook, or was asked of it, or the hub itself says it. */
  intake?: true
  /** See Arrival. */
  links?: Link[]
  acknowledges?: NonNullable<Arrival['acknowledges']>
}

export interface Inbox {
  /** Takes it, durably and once: when this resolves it is on disk. Rejects with a StoreUnavailableError. */
  accept(incoming: Incoming): Promise<Verdict>
  /** Takes what the hub itself reads or works out. */
  announce(kind: string, origin: string, payload: object, now: Instant): Promise<void>
  /** Keeps a trace of what was refused for its size, so that its payload can be fetched from the event log. */
  refuse(incoming: Omit<Incoming, 'body' | 'unreadable'>, why: string): Promise<Verdict>
}

/** Identity, then steps, then one commit. */
export function createInbox(
  store: Pick<Store, 'accept'>,
  route: Route,
  proofs: (event: Planned) => Proven = () => ({ facts: [], quiet: false }),
): Inbox {
  const commit = createGroupCommit((arrivals) => store.accept(arrivals))
  return {
    accept: (incoming) => commit(read(incoming, route, proofs)),
    async announce(kind, origin, payload, now) {
      const body = Buffer.from(JSON.stringify(payload))
      const own = { subscription: null, headers: {}, transportKey: null, unreadable: null, intake: true as const }
      await commit(read({ ...own, kind, origin, receivedAt: now, body }, route, proofs))
    },
    refuse: ({ kind, origin, subscription, receivedAt, headers, transportKey }, why) =>
      commit({
        kind,
        origin,
        subscription,
        receivedAt,
        headers,
        transportKey,
        body: new Uint8Array(),
        bodyHash: '',
        ...UNKNOWN,
        problem: why,
        refused: true,
        deliveries: [],
      }),
  }
}

const UNKNOWN = { identity: null, versioned: false, exact: false, entity: null, facts: null }

/** Reads what arrived as far as taking it needs; what cannot be read becomes a quarantined arrival. */
function read(
  { unreadable, intake, ...incoming }: Incoming,
  route: Route,
  proofs: (event: Planned) => Proven,
): Arrival {
  const { kind, origin, body } = incoming
  const arrival = { ...incoming, bodyHash: hash('sha256', body).slice(0, 32) }
  const quarantined = (problem: string): Arrival => ({ ...arrival, ...UNKNOWN, problem, deliveries: [] })
  if (unreadable !== null) return quarantined(unreadable)

  let payload: unknown
  try {
    if (!isUtf8(body)) throw new TypeError('not UTF-8')
    payload = payloadOf({ body })
  } catch (error) {
    return quarantined(`not JSON: ${describe(error)}`)
  }

  const known = kindOf(kind)
  const own = known?.knownFrom === 'hub'
  // Whoever may send webhooks may not submit: that takes a key of /v1.
  if (own !== (incoming.submission !== undefined || intake === true))
    return quarantined(`${kind} is not a kind that comes this way`)
  let identity: Identity | null = null
  if (known?.identity) {
    identity = known.identity(payload, origin)
    if (identity === null) return quarantined(`no identity: ${kind} is told apart by ${known.identityText}`)
  }
  const entity = identity?.entity ?? known?.entity?.(payload) ?? null
  const key = identity?.key ?? null
  const planned = { kind, origin, identity: key, entity, payload, receivedAt: incoming.receivedAt }
  const { facts: proves, quiet } = proofs(planned)
  return {
    ...arrival,
    identity: key,
    versioned: known?.nature === 'versioned',
    exact: own,
    entity,
    facts: identity?.facts ?? null,
    problem: null,
    deliveries: route(planned),
    ...(quiet && { quiet }),
    ...(proves.length > 0 && { proves }),
  }
}

/** Why the parser refused, without the text it quotes: payloads hold personal data. */
function describe(error: unknown): string {
  if (error instanceof TypeError) return 'not UTF-8'
  const place = error instanceof Error && /position \d+/.exec(error.message)
  return place ? `broken at ${place[0]}` : 'broken'
}
