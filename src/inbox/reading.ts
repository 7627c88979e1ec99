import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { completes } from '../domain/queue/dedupe.ts'
import { payloadOf } from '../domain/queue/event.ts'
import type { Identity } from '../domain/queue/identity.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { isShort, tooLongName } from '../domain/values/long-name.ts'
import type { Flow, Planned } from '../flows/flow.ts'
import { publish } from '../flows/publish.ts'
import { beyondLimits, type JsonLimits } from '../lib/json-shape.ts'
import { evaluate } from '../lib/jsonata.ts'
import type { Kind } from '../payloads/kind.ts'
import { kindOf } from '../payloads/kinds.ts'
import { type Mappings, mapped, NO_MAPPINGS } from '../payloads/mapping/mapping.ts'
import type { Arrival } from '../store/arrival.ts'
import type { Owed } from '../store/owed.ts'
import type { Route } from './route.ts'

/** Reads what arrived as far as taking it needs; what cannot be read becomes a quarantined arrival. */
export type Read = (incoming: Incoming) => Arrival

interface Options {
  route: Route
  proofs?: (event: Planned) => Proven
  /** Limits on the payload of somebody else; null: none. */
  limits?: JsonLimits | null
  /** Where config says that fields of payloads stand. */
  mappings?: Mappings
}

const NOTHING_PROVEN: Proven = { facts: [], quiet: false }

/** Identity, steps, and what is proven: all that is decided before the commit. */
export function createReading({
  route,
  proofs = () => NOTHING_PROVEN,
  limits = null,
  mappings = NO_MAPPINGS,
}: Options): Read {
  return read

  function read(incoming: Incoming): Arrival {
    const { kind, body, unreadable, packed = null, intake } = incoming
    const arrival = hashed(incoming)
    if (unreadable !== null) return quarantine(arrival, unreadable)

    const ours = incoming.submission !== undefined || intake === true
    // A payload that the hub wrote itself was checked field by field before.
    const beyond = limits === null || ours ? null : beyondLimits(body, limits)
    if (beyond !== null) return quarantine(arrival, packed ?? `not read: ${beyond} (server.limits)`)
    let payload: unknown
    try {
      if (!isUtf8(body)) throw new TypeError('not UTF-8')
      payload = mapped(incoming, payloadOf({ body }), mappings, evaluate)
    } catch (error) {
      // What a header says of a body may be wrong: only what is no JSON either is lost by it.
      return quarantine(arrival, packed ?? `not JSON: ${describe(error)}`)
    }

    const known = kindOf(kind)
    const own = known?.knownFrom === 'hub'
    // Whoever may send webhooks may not submit: that takes a key of /v1.
    if (own !== ours) return quarantine(arrival, `${kind} is not a kind that comes this way`)
    try {
      return planned(arrival, known, payload, own)
    } catch (error) {
      // An own system sends again what is not taken; the platform does not, so that a flow that fails must not refuse it.
      if (own) throw error
      return unacted(arrival, payload, `not acted on: ${failure(error)}`)
    }
  }

  /** Kept in quarantine, and handed on as it came to whoever is to get it: that takes nothing of what it says. */
  function unacted(arrival: Hashed, payload: unknown, problem: string): Arrival {
    const { kind, origin, receivedAt } = arrival
    const raw = { kind, origin, identity: null, entity: null, payload, receivedAt }
    const kept = quarantine(arrival, problem)
    try {
      return { ...kept, deliveries: route(raw, publish.name) }
    } catch {
      // What the platform sent is kept, whatever fails on it.
      return kept
    }
  }

  /** The arrival with its name and all that it owes. */
  function planned(arrival: Hashed, known: Kind | null, payload: unknown, own: boolean): Arrival {
    const { kind, origin, receivedAt } = arrival
    let identity: Identity | null = null
    if (known?.identity) {
      identity = known.identity(payload, origin)
      if (identity === null)
        return unacted(arrival, payload, `no identity: ${kind} is told apart by ${known.identityText}`)
    }
    const entity = identity?.entity ?? known?.entity?.(payload) ?? null
    const key = identity?.key ?? null
    const event = { kind, origin, identity: key, entity, payload, receivedAt }
    const { facts: proves, quiet } = proofs(event)
    const whole: Arrival = {
      ...arrival,
      identity: key,
      versioned: known?.nature === 'versioned' || known?.nature === 'repeatable',
      ...(known?.nature === 'repeatable' && { repeatable: true }),
      exact: own,
      entity,
      facts: identity?.facts ?? null,
      problem: null,
      deliveries: route(event),
      ...(quiet && { quiet }),
      ...(proves.length > 0 && { proves }),
    }
    const misfit = misfitOf(whole)
    return misfit === null ? whole : unacted(arrival, payload, `not acted on: ${misfit}`)
  }
}

const UNKNOWN = { identity: null, versioned: false, exact: false, entity: null, facts: null, deliveries: [] }

/** What failed, without the values that it may quote. */
function failure(error: unknown): string {
  const what = error instanceof PermanentError ? error.code : error instanceof Error ? error.name : 'error'
  return `it could not be planned (${what})`
}

type Hashed = ReturnType<typeof hashed>

/** As it came, kept without a look into it. */
export function unread(incoming: Incoming, why: string): Arrival {
  return quarantine(hashed(incoming), `not read: ${why}`)
}

function hashed({ unreadable: _, packed: __, intake: ___, ...incoming }: Incoming) {
  return { ...incoming, bodyHash: hash('sha256', incoming.body).slice(0, 32) }
}

/** Kept with its bytes, and acted on by nobody. */
export function quarantine(arrival: Omit<Arrival, keyof typeof UNKNOWN | 'problem'>, problem: string): Arrival {
  return { ...arrival, ...UNKNOWN, problem }
}

/** Why the parser refused, without the text it quotes: payloads hold personal data. */
function describe(error: unknown): string {
  if (error instanceof TypeError) return 'not UTF-8'
  const place = error instanceof Error && /position \d+/.exec(error.message)
  return place ? `broken at ${place[0]}` : 'broken'
}

/** The fields of an arrival that it has before it has been read. */
type AsItCame = Pick<
  Arrival,
  | 'kind'
  | 'origin'
  | 'subscription'
  | 'receivedAt'
  | 'headers'
  | 'body'
  | 'transportKey'
  | 'submission'
  | 'links'
  | 'acknowledges'
>

/** Something that reached the hub, by whatever road: a webhook, a pull, a submission. Its body is unpacked. */
export interface Incoming extends AsItCame {
  /** Why it cannot be acted on, whatever its bytes say. */
  unreadable: string | null
  /** Why the bytes could not be unpacked; where they are JSON all the same, they were not packed. */
  packed?: string | null
  /** The event is the system's own webhook, or was asked of it, or the hub itself says it. */
  intake?: true
}

/** Facts that an event proves, whoever is there to act on them. */
interface Proven {
  facts: string[]
  /** No flow makes a step of it, and one understood it: there is nothing to do. */
  quiet: boolean
}

/** Reads what events prove, by the flows of their kinds. */
export function createProofs(flows: readonly Flow[]): (event: Planned) => Proven {
  const byKind = Map.groupBy(
    flows.flatMap((flow) => (flow.kinds === 'all' ? [] : flow.kinds.map((kind) => ({ kind, flow })))),
    ({ kind }) => kind,
  )
  return (event) => {
    const concerned = byKind.get(event.kind) ?? []
    const facts = concerned.flatMap(({ flow }) => flow.proves?.(event) ?? [])
    return { facts, quiet: facts.length > 0 && concerned.every(({ flow }) => flow.plan(event).length === 0) }
  }
}

/** What a step is found by. */
const NAMES = ['part', 'entity', 'batch', 'subject', 'effect', 'effectOfNumber'] as const

/**
 * Why an arrival has a name that no store can look it up by: an order's number, an id. Null: it has none. Both sorts of store refuse
 * the same, so that one can be copied to the other.
 */
function misfitOf({ identity, entity, deliveries, proves = [] }: Arrival): string | null {
  // Nearly all are short, and this is asked of each event: no list is made of them.
  const own = isShort(identity) && isShort(entity) && proves.every(isShort)
  return (own ? null : tooLongName([identity, entity, ...proves])) ?? misfitOfSteps(deliveries)
}

/** The same of what is owed by an event that is here already: planned again, it may have names that it had not when it came. */
export function misfitOfSteps(deliveries: readonly Owed[]): string | null {
  return deliveries.every(hasShortNames) ? null : tooLongName(deliveries.flatMap(namesOf))
}

function hasShortNames(step: Owed): boolean {
  return NAMES.every((name) => isShort(step[name]))
}

function namesOf(step: Owed) {
  return NAMES.map((name) => step[name])
}

/** Reads what arrives, where that keeps nobody waiting. */
export interface Reader {
  /** At once where it is small; else a promise, which never rejects: what cannot be read becomes a quarantined arrival. */
  read(incoming: Incoming): Arrival | Promise<Arrival>
  /** Whether one body says all that another one says, and more. What cannot be read completes nothing. */
  completes(fuller: Uint8Array, thinner: Uint8Array): boolean | Promise<boolean>
}

/** Reads everything here and now. */
export function createReader(read: Read): Reader {
  return { read, completes: completesBody }
}

/** Whether one body says all that another one says, and more. */
export function completesBody(fuller: Uint8Array, thinner: Uint8Array): boolean {
  try {
    return completes(payloadOf({ body: fuller }), payloadOf({ body: thinner }))
  } catch {
    return false
  }
}
