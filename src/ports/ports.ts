import type { BackOfficeCall, BackOfficePort } from './back-office.ts'
import type { CustomersCall, CustomersPort } from './customers.ts'
import type { EmailPort, MessageCall, TextsPort } from './messages.ts'
import type { MirrorCall, MirrorPort } from './mirror.ts'
import type { OrdersCall, OrdersPort } from './orders.ts'
import type { PlatformCall, PlatformPort } from './platform.ts'
import type { PublishCall, PublishPort } from './publish.ts'
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
