import type { MirrorFact } from '../domain/catalogue/mirror.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Attempt, Batch, BatchResult, Effect } from './attempt.ts'
import type { BackOfficeCall, BackOfficePort } from './back-office.ts'
import type { CustomersCall, CustomersPort } from './customers.ts'
import type { EmailPort, MessageCall, TextsPort } from './messages.ts'
import type { OrdersCall, OrdersPort } from './orders.ts'
import type { PlatformCall, PlatformPort } from './platform.ts'
import type { StockCall, StockPort } from './stock.ts'

/** Everything a flow may need of an outside system. An adapter gives the ports that its system can serve. */
export interface Ports {
  publish?: PublishPort
  orders?: OrdersPort
  customers?: CustomersPort
  stock?: StockPort
  email?: EmailPort
  texts?: TextsPort
  platform?: PlatformPort
  backOffice?: BackOfficePort
  mirror?: MirrorPort
}

export type PortName = keyof Ports

/** One call on a port, as data: what a flow decides and the worker carries out (or records, with `dryRun`). */
export type Call =
  | PublishCall
  | OrdersCall
  | CustomersCall
  | StockCall
  | MessageCall
  | MirrorCall
  | BackOfficeCall
  | PlatformCall

/** The hub's own copy of platform facts: later ones take the place of earlier ones, in whatever order they come. */
export interface MirrorPort {
  save(batch: Batch<MirrorFact>): Promise<BatchResult>
  find?(attempt: Attempt, call: MirrorCall): Promise<Effect | null>
}

type MirrorCall = { port: 'mirror'; method: 'save'; argument: MirrorFact }

/** The raw event, for a system that wants everything (a bus, a warehouse, the retailer's own service). */
export interface PublishedEvent {
  kind: string
  body: Uint8Array
  /** The platform did not send it: the hub wrote it in the form of a webhook, of what it read in the platform's lists. */
  pulled?: true
  receivedAt: Instant
}

export interface PublishPort {
  publish(event: PublishedEvent, attempt: Attempt): Promise<Effect>
  /** Whether the effect of this key is already there. Only for systems that do not deduplicate by key themselves. */
  find?(attempt: Attempt): Promise<Effect | null>
}

type PublishCall = { port: 'publish'; method: 'publish'; argument: PublishedEvent }
