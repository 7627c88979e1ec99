import type { z } from 'zod'
import type { Instant } from '../domain/instant.ts'
import type { Link } from '../domain/link.ts'
import type { TillOrder } from '../domain/order.ts'
import type { Sale } from '../domain/sale.ts'

/** What an adapter is told about the attempt that it carries out. */
export interface Attempt {
  /** Names the effect for ever: it survives retry, replay, renaming and rerouting. Send it as the idempotency key. */
  key: string
  /** How the last try ended: there was `none`, it `failed` for certain, or it is `open` (it may have had its effect). */
  previous: 'none' | 'failed' | 'open'
  /** When the first try of this delivery began; null on the first. */
  firstTriedAt: Instant | null
  /** Aborted when the lane's timeout is over: stop, and throw. */
  signal: AbortSignal
  /** What this destination is known to call our things, by kind (`order` …) and our ids. */
  links(kind: string, ids: string[]): Promise<Link[]>
}

/** What a successful effect leaves behind. */
export interface Effect {
  /** Ids that came back, without the destination: the worker adds it. */
  links?: Omit<Link, 'destination'>[]
  /** A short fact for the timeline (`202 Accepted`). No secret, no personal data. */
  note?: string
}

/** The raw event, for a system that wants everything (a bus, a warehouse, the retailer's own service). */
export interface PublishedEvent {
  kind: string
  /** The body as the platform sent it: UTF-8 JSON, unchanged. */
  body: Uint8Array
  /** When the hub took it. */
  receivedAt: Instant
}

export interface PublishPort {
  publish(event: PublishedEvent, attempt: Attempt): Promise<Effect>
  /** Whether the effect of this key is already there. Only for systems that do not deduplicate by key themselves. */
  find?(attempt: Attempt): Promise<Effect | null>
}

/** Orders of an online shop or OMS. */
export interface OrdersPort {
  /** Creates a paid order. The effect links `order` by the order's number to the system's own id. */
  create(order: TillOrder, attempt: Attempt): Promise<Effect>
  /** The order that an earlier attempt of this key created, made whole if it was left half done; null: there is none. */
  find?(attempt: Attempt): Promise<Effect | null>
}

/** A message to a customer: a digital receipt. */
export interface ReceiptMessage {
  type: 'receipt'
  sale: Sale
  /** An e-mail address, or a phone number with its country prefix. */
  to: string
  /** The customer's name, as the till has it. */
  name: string | null
}

interface EmailPort {
  send(message: ReceiptMessage, attempt: Attempt): Promise<Effect>
  find?(attempt: Attempt): Promise<Effect | null>
}

export interface TextsPort {
  send(message: ReceiptMessage, attempt: Attempt): Promise<Effect>
  find?(attempt: Attempt): Promise<Effect | null>
}

/** Everything a flow may need of an outside system. An adapter gives the ports that its system can serve. */
export interface Ports {
  publish?: PublishPort
  orders?: OrdersPort
  email?: EmailPort
  texts?: TextsPort
}

export type PortName = keyof Ports

/** One call on a port, as data: what a flow decides and the worker carries out (or records, with `dryRun`). */
export type Call =
  | { port: 'publish'; method: 'publish'; argument: PublishedEvent }
  | { port: 'orders'; method: 'create'; argument: TillOrder }
  | { port: 'email'; method: 'send'; argument: ReceiptMessage }
  | { port: 'texts'; method: 'send'; argument: ReceiptMessage }

/** Carries out a call on the ports of a destination. */
export function perform(ports: Ports, call: Call, attempt: Attempt): Promise<Effect> {
  switch (call.port) {
    case 'publish':
      return given(ports, call.port).publish(call.argument, attempt)
    case 'orders':
      return given(ports, call.port).create(call.argument, attempt)
    case 'email':
    case 'texts':
      return given(ports, call.port).send(call.argument, attempt)
  }
}

/** The `find` of a port, where the adapter has one. */
export function finderOf(ports: Ports, port: PortName): ((attempt: Attempt) => Promise<Effect | null>) | null {
  const found = ports[port]
  return found?.find ? (attempt) => found.find?.(attempt) ?? Promise.resolve(null) : null
}

function given<P extends PortName>(ports: Ports, port: P): NonNullable<Ports[P]> {
  const found = ports[port]
  if (!found) throw new Error(`This destination has no ${port} port.`)
  return found
}

/**
 * What the hub lends an adapter.
 * @public for adapters of the operator's own
 */
export interface AdapterContext {
  /** The operator's name of the destination. */
  destination: string
  /** The lane's timeout in milliseconds: what the adapter sets on its sockets. */
  timeout: number
  /** How many calls the lane makes at once: how many connections are worth keeping. */
  concurrency: number
}

/** A destination's adapter at work. Disposing it closes every socket it opened. */
export interface AdapterInstance extends AsyncDisposable {
  ports: Ports
}

/** One kind of outside system. */
export interface Adapter<Options extends z.ZodObject = z.ZodObject> {
  name: string
  /** Keys that an operator writes under the destination. Secrets are marked with `secret()` of lib/secret.ts. */
  options: Options
  create(options: z.output<Options>, context: AdapterContext): AdapterInstance
}

/** Gives an adapter its types; the adapter's file exports the result as its default. */
export function defineAdapter<Options extends z.ZodObject>(adapter: Adapter<Options>): Adapter<Options> {
  return adapter
}
