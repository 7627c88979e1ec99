import type { MirrorFact } from '../domain/catalogue/mirror.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Attempt, Batch, BatchResult, Effect } from './attempt.ts'
import type { BackOfficeCall, BackOfficePort } from './back-office.ts'
import type { CustomersCall, CustomersPort } from './customers.ts'
import type { EmailPort, MessageCall, TextsPort } from './messages.ts'
import type { OrdersCall, OrdersPort } from './orders.ts'
import type { PlatformCall, PlatformPort } from './platform.ts'
import type { StockCall, StockPort } from './stock.ts'

/** What flows may need of an outside system; an adapter gives those that its system can serve. */
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

/** A call as data: decided by a flow, executed by the worker (or recorded, with `dryRun`). */
export type Call =
  | PublishCall
  | OrdersCall
  | CustomersCall
  | StockCall
  | MessageCall
  | MirrorCall
  | BackOfficeCall
  | PlatformCall

/** Read models; the later fact wins, in any order. */
export interface MirrorPort {
  save(batch: Batch<MirrorFact>): Promise<BatchResult>
  find?(attempt: Attempt, call: MirrorCall): Promise<Effect | null>
}

type MirrorCall = { port: 'mirror'; method: 'save'; argument: MirrorFact }

/** The raw event, for a bus, a warehouse or an own service. */
export interface PublishedEvent {
  kind: string
  body: Uint8Array
  /** Written by the hub in the form of a webhook, from the platform's lists. */
  pulled?: true
  receivedAt: Instant
}

export interface PublishPort {
  publish(event: PublishedEvent, attempt: Attempt): Promise<Effect>
  /** Whether the effect of this key is already there. Only for systems that do not deduplicate by key themselves. */
  find?(attempt: Attempt): Promise<Effect | null>
}

type PublishCall = { port: 'publish'; method: 'publish'; argument: PublishedEvent }
