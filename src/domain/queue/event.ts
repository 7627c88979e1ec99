import { isId } from '../values/field.ts'
import type { Instant } from '../values/instant.ts'
import { digestOf } from '../values/text.ts'

export const PLATFORM = 'platform'
export const DIRECTORY = 'directory'
export const MIRROR = 'mirror'

/** In place of a subscription: the body was written by the hub from what it read. */
export const PULLED = 'pulled'

export const OWN_KINDS = [
  'OrderCalledOff',
  'StockLevelRead',
  'SalesLinesRead',
  'SettlementRead',
  'ProductRead',
  'PersonErased',
  'StockChanged',
] as const

export function isWebhook({ kind, origin, subscription }: Pick<Event, 'kind' | 'origin' | 'subscription'>): boolean {
  return origin === PLATFORM && subscription !== PULLED && !(OWN_KINDS as readonly string[]).includes(kind)
}

export interface Event {
  id: number
  kind: string
  /** `platform` or an own system; events never return to their origin. */
  origin: string
  subscription: string | null
  receivedAt: Instant
  transportKey: string | null
  identity: string | null
  revision: number
  entity: string | null
  /** SHA-256, first 16 bytes, hex. */
  bodyHash: string
  /** UTF-8 JSON as received (quarantined: any bytes). */
  body: Uint8Array
}

/** Throws a SyntaxError for a quarantined body. */
export function payloadOf(event: Pick<Event, 'body'>): unknown {
  return JSON.parse(UTF8.decode(event.body))
}

/** Drops a byte order mark. */
const UTF8 = new TextDecoder()

export function payloadOrNull(body: Uint8Array | null): unknown {
  try {
    return body && payloadOf({ body })
  } catch {
    return null
  }
}

/** Permanent effect name: `kind:identity[:revision]:flow[:part]`, or `fact:flow` for a fact of several events. */
export function deliveryKey(
  event: Pick<Event, 'kind' | 'identity' | 'revision' | 'transportKey' | 'bodyHash' | 'receivedAt'>,
  flow: string,
  part: string,
  effect: string | null = null,
): string {
  if (effect !== null) return `${effect}:${flow}`
  const identity =
    event.identity ??
    (event.transportKey ? `~${keyPart(event.transportKey)}` : `~${event.bodyHash}-${event.receivedAt}`)
  const revision = event.revision > 0 ? `:${event.revision}` : ''
  return `${keyPart(event.kind)}:${identity}${revision}:${flow}${part ? `:${keyPart(part)}` : ''}`
}

/** Step of what another event was enqueued for under the same effect, saying something else; that event's id follows. */
export const POSSIBLE_DUPLICATE = '~perhaps-booked-'

const PLAIN = /^[A-Za-z0-9_~-]*$/

export function keyPart(text: string): string {
  if (PLAIN.test(text)) return text
  const hexOf = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text.toWellFormed()).replace(/[.!'()*]/g, hexOf)
}

export interface Identity {
  key: string
  entity: string
  facts: ComparedFields | null
}

export type ComparedFields = [amount: string | null, time: string | null, store: string | null]

const GUID = /^(?=[-0]*[1-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Normalised event id; a proxy may duplicate the header. Null: none, or zeros. */
export function transportKeyOf(written: string): string | null {
  if (GUID.test(written)) return written
  const copies = new Set(written.split(', ').map((one) => one.trim()))
  const [only = ''] = copies
  const key = copies.size === 1 ? only : written.trim()
  const guid = plainGuid(key)?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return isId(key) ? (guid ?? key) : null
}

export function plainGuid(text: string): string | null {
  const plain = text
    .trim()
    .replace(/^\{|\}$/g, '')
    .replaceAll('-', '')
    .toLowerCase()
  return /^[0-9a-f]{32}$/.test(plain) ? plain : null
}

/** Longest indexed name (bytes): PostgreSQL takes rows of some 2,700. */
const LONGEST_NAME = 2_000

/** Null: none. */
export function tooLongName(names: Iterable<string | null | undefined>): string | null {
  for (const name of names) {
    // At most three bytes per UTF-16 unit.
    if (!name || name.length * 3 <= LONGEST_NAME) continue
    const bytes = Buffer.byteLength(name)
    const what = /^[a-z-]+[:/]/.exec(name)?.[0] ?? ''
    if (bytes > LONGEST_NAME)
      return `a name in it${what && ` (${what}…)`} has ${bytes} bytes, and is kept up to ${LONGEST_NAME}`
  }
  return null
}

export function keyWithin(key: string): string {
  return tooLongName([key]) === null ? key : `${key.slice(0, KEPT).toWellFormed()}~${digestOf(key)}`
}

const KEPT = 100
