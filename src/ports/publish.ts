import type { Instant } from '../domain/values/instant.ts'
import type { Attempt, Effect, FoundEffect } from './attempt.ts'

/** The raw event, for a system that wants everything (a bus, a warehouse, the retailer's own service). */
export interface PublishedEvent {
  kind: string
  /** UTF-8 JSON: of a webhook, the body as the platform sent it, unchanged. */
  body: Uint8Array
  /** The platform did not send it: the hub wrote it in the form of a webhook, of what it read in the platform's lists. */
  pulled?: true
  /** When the hub took it. */
  receivedAt: Instant
}

export interface PublishPort {
  publish(event: PublishedEvent, attempt: Attempt): Promise<Effect>
  /** Whether the effect of this key is already there. Only for systems that do not deduplicate by key themselves. */
  find?(attempt: Attempt): Promise<Effect | null>
  /** Everything there that bears this key, whichever try made it. Changes nothing. */
  findAll?(attempt: Attempt): Promise<FoundEffect[] | null>
}

export type PublishCall = { port: 'publish'; method: 'publish'; argument: PublishedEvent }
