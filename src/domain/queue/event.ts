import type { Instant } from '../values/instant.ts'

/** The platform's name, as the origin of events and as a destination; no own system and no other destination has it. */
export const PLATFORM = 'platform'

/** The hub's own customer directory, as a destination and as a source of lookups; no other destination has the name. */
export const DIRECTORY = 'directory'

/** The hub's own copy of what the platform knows, as a destination; no other destination has the name. */
export const MIRROR = 'mirror'

/** In place of a subscription: its body was not sent by the platform. The hub wrote it, of what it read there. */
export const PULLED = 'pulled'

/** Kinds that the hub itself says, some of them in the platform's name, since it has read them there. No webhook has one of these. */
export const OWN_KINDS = [
  'OrderCalledOff',
  'StockLevelRead',
  'SalesLinesRead',
  'SettlementRead',
  'ProductRead',
  'PersonForgotten',
  'StockChanged',
] as const

/** Whether the platform sent it, and the hub neither pulled it nor says it itself. */
export function isWebhook({ kind, origin, subscription }: Pick<Event, 'kind' | 'origin' | 'subscription'>): boolean {
  return origin === PLATFORM && subscription !== PULLED && !(OWN_KINDS as readonly string[]).includes(kind)
}

/** One fact to act on, as the store keeps it. */
export interface Event {
  id: number
  kind: string
  /** The sender: `platform`, or the name of an own system. An event never goes back to its origin. */
  origin: string
  /** The hub's own name of the subscription that its body came by (`all`, or a store number), or PULLED. */
  subscription: string | null
  receivedAt: Instant
  transportKey: string | null
  /** The name of the fact, the same by any road; null where its kind has none. */
  identity: string | null
  /** Versioned kinds count their revisions from 1; immutable kinds have 0. */
  revision: number
  /** The thing that the event is about (`order:A1`); its events are acted on in order. */
  entity: string | null
  /** First 16 bytes of the body's SHA-256, in hex. */
  bodyHash: string
  /** UTF-8 JSON, byte for byte as it arrived (quarantined events: whatever arrived). */
  body: Uint8Array
}

/** The event's JSON. Throws a SyntaxError for a quarantined body. */
export function payloadOf(event: Pick<Event, 'body'>): unknown {
  const text = Buffer.from(event.body.buffer, event.body.byteOffset, event.body.byteLength).toString('utf8')
  return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
}

const BYTE_ORDER_MARK = '\uFEFF'

/** The same; null where it is no JSON, or no body is kept. */
export function payloadOrNull(body: Uint8Array | null): unknown {
  try {
    return body && payloadOf({ body })
  } catch {
    return null
  }
}

/**
 * The name of one effect, for ever: `kind:identity[:revision]:flow[:part]`, or `fact:flow` where the step brings about a
 * fact that several events may call for. It holds no row id and no destination, so it survives replay, renaming and
 * rerouting. Where the kind has no identity, the transport key stands in, or the bytes and the instant. Only letters,
 * digits and `_~-/%:` occur, so it can travel in a header or a URL as it is.
 */
export function deliveryKey(
  event: Pick<Event, 'kind' | 'identity' | 'revision' | 'transportKey' | 'bodyHash' | 'receivedAt'>,
  flow: string,
  part: string,
  effect: string | null = null,
): string {
  if (effect !== null) return effectKey(effect, flow)
  const identity =
    event.identity ??
    (event.transportKey ? `~${keyPart(event.transportKey)}` : `~${event.bodyHash}-${event.receivedAt}`)
  const revision = event.revision > 0 ? `:${event.revision}` : ''
  return `${keyPart(event.kind)}:${identity}${revision}:${flow}${part ? `:${keyPart(part)}` : ''}`
}

/** The name of a fact that a flow brings about. */
export function effectKey(effect: string, flow: string): string {
  return `${effect}:${flow}`
}

const PLAIN = /^[A-Za-z0-9_~-]*$/

/** Text as one part of an identity or a key: everything but letters, digits and `_~-` is percent-encoded. */
export function keyPart(text: string): string {
  if (PLAIN.test(text)) return text
  return encodeURIComponent(text.toWellFormed()).replace(
    /[.!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}
