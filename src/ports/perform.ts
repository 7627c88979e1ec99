import { BOOKING_NAMES } from '../domain/accounting/bookings.ts'
import type { Money } from '../domain/values/money.ts'
import type { Attempt, Batch, BatchItem, BatchResult, Call, Effect, PortName, Ports } from './ports.ts'

type Port<Name extends PortName> = Required<NonNullable<Ports[Name]>>

type EffectName<Name extends PortName> = {
  [Method in keyof Port<Name>]: Port<Name>[Method] extends (...given: never[]) => Promise<Effect | BatchResult>
    ? Method
    : never
}[keyof Port<Name>]

type TakenBy<Method> = Method extends (first: infer First, ...rest: never[]) => unknown
  ? First extends Batch<unknown>
    ? 'several'
    : 'one'
  : never

type Takes = { [Name in PortName]: { [Method in EffectName<Name>]: TakenBy<Port<Name>[Method]> } }
type Called = { [Name in PortName]: { [Method in Extract<Call, { port: Name }>['method']]: 'one' | 'several' } }

function all<Number extends 'one' | 'several', Name extends string>(takes: Number, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, takes])) as Record<Name, Number>
}

export const TAKES = {
  publish: all('one', 'publish'),
  orders: all('one', 'create', 'draft', 'ready', 'collected', 'decline', 'expire', 'ship', 'refund', 'noteRefund'),
  customers: { ...all('one', 'upsert', 'noteConsent', 'drop', 'erase'), ...all('several', 'remember', 'take') },
  stock: all('several', 'setLevels'),
  email: all('one', 'send'),
  texts: all('one', 'send'),
  platform: {
    ...all('several', 'upsertProducts', 'insertProducts', 'savePrices', 'saveCosts', 'setStock'),
    ...all('one', 'saveProductText', 'countStock', 'createDelivery', 'importSale', 'transferGoods', 'correctStock'),
    ...all('one', 'createOrder', 'changeOrder', 'cancelOrder', 'keepGoods', 'releaseGoods'),
    ...all('one', 'saveCustomer', 'deleteCustomer', 'deleteProduct', 'endPrice'),
  },
  backOffice: all('several', ...BOOKING_NAMES),
  mirror: all('several', 'save'),
} satisfies Takes & Called

export interface CallAttempt {
  call: Call
  attempt: Attempt
}

/** Executes one call, or several of one batch method; results in order. An error thrown holds for all of them. */
export async function perform(ports: Ports, together: readonly CallAttempt[]): Promise<BatchResult> {
  const [first] = together
  if (!first) return []
  const { call, attempt } = first
  const takes: Readonly<Record<string, 'one' | 'several'>> = TAKES[call.port]
  const methods = ports[call.port] as Record<string, unknown> | undefined
  const method = methods?.[call.method]
  if (typeof method !== 'function') throw new Error(`This destination has no ${call.port}.${call.method}.`)
  if (takes[call.method] === 'several') {
    const batch = together.map((one): BatchItem<unknown> => ({ argument: one.call.argument, attempt: one.attempt }))
    const results: BatchResult = await method.call(methods, batch)
    if (results.length === together.length) return results
    throw new TypeError(`the adapter gave ${results.length} results for ${together.length} in a batch`)
  }
  if (together.length > 1) throw new TypeError(`${call.port}.${call.method} takes one at a time`)
  return [await method.call(methods, call.argument, attempt)]
}

export function effectLookupOf(
  ports: Ports,
  port: PortName,
): ((attempt: Attempt, call: Call) => Promise<Effect | null>) | null {
  const found: { find?(attempt: Attempt, call: Call): Promise<Effect | null> } | undefined = ports[port]
  return found?.find ? (attempt, call) => found.find?.(attempt, call) ?? Promise.resolve(null) : null
}

/** `orders`, `orders.create` … */
export function abilitiesOf(ports: Ports): string[] {
  return Object.entries(ports).flatMap(([port, methods]) =>
    methods === undefined ? [] : [port, ...Object.keys(methods).map((name) => `${port}.${name}`)],
  )
}

export function amountOf(call: Call): Money | null {
  if (call.port === 'orders') return call.method === 'create' ? call.argument.total : null
  if (call.port !== 'backOffice') return null
  switch (call.method) {
    case 'bookSale':
      return call.argument.sale.total
    case 'bookInvoice':
      return call.argument.invoice.amount
    case 'bookSettlement':
      return call.argument.settlement.grandTotal
    case 'bookGiftCard':
      return call.argument.transaction.amount
    case 'bookTerminal':
      return call.argument.reconciliation.amount
    default:
      return null
  }
}
