import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { completes } from '../domain/queue/dedupe.ts'
import { payloadOf, tooLongName } from '../domain/queue/event.ts'
import type { IndexedStore } from '../domain/stores/store-index.ts'
import { messageOf, PermanentError } from '../domain/values/errors.ts'
import type { EventToRoute, Flow } from '../flows/flow.ts'
import { publish } from '../flows/publish.ts'
import { beyondLimits, HARMLESS, type JsonLimits } from '../lib/json.ts'
import { evaluate } from '../lib/jsonata.ts'
import { createRestingThread } from '../lib/thread.ts'
import { kindOf } from '../platform/payloads/kinds.ts'
import { type Mappings, mapped, NO_MAPPINGS } from '../platform/payloads/mapping/mapping.ts'
import type { Arrival, NewDelivery } from '../storage/arrival.ts'
import type { Routable, Route } from './route.ts'

export type Read = (incoming: Incoming) => Arrival

interface Options {
  route: Route
  proofs?: (event: EventToRoute) => Proven
  limits?: JsonLimits | null
  mappings?: Mappings
}

const NOTHING_PROVEN: Proven = { facts: [], quiet: false }

export function createReading({
  route,
  proofs = () => NOTHING_PROVEN,
  limits = null,
  mappings = NO_MAPPINGS,
}: Options): Read {
  return read

  function read(incoming: Incoming): Arrival {
    const { unreadable, packed = null, intake, ...came } = incoming
    const { kind, body } = came
    const arrival = { ...came, bodyHash: hash('sha256', body).slice(0, 32) }
    if (unreadable !== null) return quarantine(arrival, unreadable)

    const ours = came.submission !== undefined || intake === true
    const isLimited = limits !== null && !ours && body.byteLength >= HARMLESS
    const beyond = isLimited ? beyondLimits(body, limits) : null
    if (beyond !== null) return quarantine(arrival, packed ?? `not read: ${beyond} (server.limits)`)
    if (!isUtf8(body)) return quarantine(arrival, packed ?? 'not JSON: not UTF-8')
    let payload: unknown
    try {
      payload = payloadOf({ body })
      if (Object.hasOwn(mappings, kind)) payload = mapped(incoming, payload, mappings, evaluate)
    } catch (error) {
      // A wrong Content-Encoding loses nothing if the body is JSON.
      return quarantine(arrival, packed ?? `not JSON: ${describe(error)}`)
    }

    const known = kindOf(kind)
    const own = known?.knownFrom === 'hub'
    // Webhook senders may not submit: that takes a /v1 key.
    if (own !== ours) return quarantine(arrival, `${kind} is not a kind that comes this way`)
    try {
      const { origin, receivedAt } = came
      const identity = known?.identity?.(payload, origin) ?? null
      if (known?.identity && identity === null)
        return unacted(arrival, payload, `no identity: ${kind} is distinguished by ${known.identityText}`)
      const entity = identity?.entity ?? known?.entity?.(payload) ?? null
      const key = identity?.key ?? null
      const event = { kind, origin, identity: key, entity, payload, receivedAt }
      const { facts: proves, quiet } = proofs(event)
      const deliveries = route(event)
      const configIssue = tooLongName([key, entity, ...proves, ...deliveries.flatMap(namesOf)])
      if (configIssue !== null) return unacted(arrival, payload, `not acted on: ${configIssue}`)
      return {
        ...arrival,
        identity: key,
        versioned: known?.nature === 'versioned' || known?.nature === 'repeatable',
        ...(known?.nature === 'repeatable' && { repeatable: true }),
        exact: own,
        entity,
        facts: identity?.facts ?? null,
        problem: null,
        deliveries,
        ...(quiet && { quiet }),
        ...(proves.length > 0 && { proves }),
      }
    } catch (error) {
      // The platform does not send again, so a failing flow must not refuse its event.
      if (own) throw error
      return unacted(arrival, payload, `not acted on: ${failure(error)}`)
    }
  }

  /** Quarantined, but its raw `publish` is planned. */
  function unacted(arrival: Hashed, payload: unknown, problem: string): Arrival {
    const { kind, origin, receivedAt } = arrival
    const raw = { kind, origin, identity: null, entity: null, payload, receivedAt }
    const kept = quarantine(arrival, problem)
    try {
      return { ...kept, deliveries: route(raw, publish.name) }
    } catch {
      return kept
    }
  }
}

const UNKNOWN = { identity: null, versioned: false, exact: false, entity: null, facts: null, deliveries: [] }

/** Values that the message quotes may be personal data. */
function failure(error: unknown): string {
  const what = error instanceof PermanentError ? error.code : error instanceof Error ? error.name : 'error'
  return `it could not be planned (${what})`
}

type Hashed = AsItCame & Pick<Arrival, 'bodyHash' | 'refused'>

export function quarantine(arrival: Hashed, problem: string): Arrival {
  return { ...arrival, ...UNKNOWN, problem }
}

function describe(error: unknown): string {
  const place = error instanceof Error && /position \d+/.exec(error.message)
  return place ? `broken at ${place[0]}` : 'broken'
}

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

/** From any source, unpacked. */
export interface Incoming extends AsItCame {
  /** Quarantined whatever its bytes say. */
  unreadable: string | null
  /** Unpacking error; ignored if the bytes are JSON. */
  packed?: string | null
  /** From an order feed, a poll, or the hub itself. */
  intake?: true
}

interface Proven {
  facts: string[]
  /** Understood, without steps. */
  quiet: boolean
}

export function createProofs(flows: readonly Flow[]): (event: EventToRoute) => Proven {
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

/** Null: all names can be indexed, by either engine. */
export function configIssueOfSteps(deliveries: readonly NewDelivery[]): string | null {
  return tooLongName(deliveries.flatMap(namesOf))
}

function namesOf({ part, entity, batch, subject, effect, keyByNumber }: NewDelivery) {
  return [part, entity, batch, subject, effect, keyByNumber]
}

export interface Reader {
  read(incoming: Incoming): Arrival | Promise<Arrival>
  completes(richer: Uint8Array, sparser: Uint8Array): boolean | Promise<boolean>
}

export function createReader(read: Read): Reader {
  return { read, completes: completesBody }
}

export function completesBody(richer: Uint8Array, sparser: Uint8Array): boolean {
  try {
    return completes(payloadOf({ body: richer }), payloadOf({ body: sparser }))
  } catch {
    return false
  }
}

interface ThreadOptions {
  read: Read
  routables: readonly Routable[]
  limits: JsonLimits
  mappings?: Mappings
  stores: () => readonly IndexedStore[]
  /** Timeout of one body (ms). */
  patience?: number
}

export interface ReaderData {
  routables: readonly Routable[]
  limits: JsonLimits
  mappings: Mappings
}

const LARGE_BYTES = 256 * 1024

const HEAP = { youngMb: 8, oldMb: 160 }

/** A body that exhausts the time or memory of its worker thread is quarantined. */
export function createThreadReader(options: ThreadOptions): Reader & AsyncDisposable {
  const { read, routables, limits, mappings = NO_MAPPINGS, stores, patience } = options
  const data = { routables: routables.map(asData), limits, mappings } satisfies ReaderData
  const url = new URL('./reader-thread.ts', import.meta.url)
  const thread = createRestingThread({ url, data, heap: HEAP, ...(patience !== undefined && { patience }) })
  let known: readonly IndexedStore[] | null = null

  function ask(method: string, args: unknown[]): Promise<unknown> {
    return thread.run((isNew) => {
      const now = stores()
      const news = known === now && !isNew ? [] : [{ method: 'stores', args: [now] }]
      known = now
      return [...news, { method, args }]
    })
  }

  return {
    read(incoming) {
      if (incoming.body.byteLength <= LARGE_BYTES) return read(incoming)
      return ask('read', [incoming]).then(
        (arrival) => ({ ...(arrival as Omit<Arrival, 'body'>), body: incoming.body }),
        (error: unknown) => read({ ...incoming, unreadable: `not read: ${messageOf(error)}` }),
      )
    },
    completes(richer, sparser) {
      if (richer.byteLength + sparser.byteLength <= LARGE_BYTES) return completesBody(richer, sparser)
      return ask('completes', [richer, sparser]).catch(() => false) as Promise<boolean>
    },
    [Symbol.asyncDispose]: thread[Symbol.asyncDispose],
  }
}

function asData({ name, abilities, publish, skip, stores, messages, channels, daily, gathers }: Routable): Routable {
  return { name, abilities, publish, skip, stores, messages, channels, daily, ...(gathers && { gathers }) }
}
