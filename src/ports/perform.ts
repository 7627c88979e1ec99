import type { Money } from '../domain/values/money.ts'
import type { Attempt, Batch, BatchItem, BatchResult, Effect } from './attempt.ts'
import type { Call, PortName, Ports } from './ports.ts'

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

/** Flows can ask for each of them. A call of a method that no port has is found here, too. */
type Called = { [Name in PortName]: { [Method in Extract<Call, { port: Name }>['method']]: 'one' | 'several' } }

/** The number that each method of each port takes at a time. */
export const TAKES = {
  publish: { publish: 'one' },
  orders: {
    create: 'one',
    draft: 'one',
    ready: 'one',
    collected: 'one',
    decline: 'one',
    expire: 'one',
    ship: 'one',
    refund: 'one',
    noteRefund: 'one',
  },
  customers: { upsert: 'one', noteConsent: 'one', drop: 'one', remember: 'several', take: 'several', erase: 'one' },
  stock: { setLevels: 'several' },
  email: { send: 'one' },
  texts: { send: 'one' },
  platform: {
    upsertProducts: 'several',
    insertProducts: 'several',
    saveProductText: 'one',
    savePrices: 'several',
    saveCosts: 'several',
    setStock: 'several',
    countStock: 'one',
    createDelivery: 'one',
    importSale: 'one',
    createOrder: 'one',
    changeOrder: 'one',
    cancelOrder: 'one',
    keepGoods: 'one',
    releaseGoods: 'one',
    saveCustomer: 'one',
    deleteProduct: 'one',
    endPrice: 'one',
    transferGoods: 'one',
    correctStock: 'one',
    deleteCustomer: 'one',
  },
  backOffice: {
    bookSale: 'several',
    bookInvoice: 'several',
    bookSettlement: 'several',
    bookReceived: 'several',
    bookCost: 'several',
    bookDelivery: 'several',
    bookMovement: 'several',
    bookCount: 'several',
    bookAdjustment: 'several',
    bookTransfer: 'several',
    bookGiftCard: 'several',
    bookTerminal: 'several',
    bookReservation: 'several',
  },
  mirror: { save: 'several' },
} as const satisfies Takes & Called

export interface Performed {
  call: Call
  attempt: Attempt
}

/**
 * Carries out what goes out together on the ports of a destination: one call, or several of one method that takes a batch.
 * What became of each, in their order; what is thrown holds for all of them.
 */
export async function perform(ports: Ports, together: readonly Performed[]): Promise<BatchResult> {
  const [first] = together
  if (!first) return []
  const { call, attempt } = first
  if (takesBatch(call)) {
    const batch = together.map((one): BatchItem<unknown> => ({ argument: one.call.argument, attempt: one.attempt }))
    const results = await method<BatchMethod>(ports, call)(batch)
    if (results.length === together.length) return results
    throw new TypeError(`the adapter gave ${results.length} results for ${together.length} in a batch`)
  }
  if (together.length > 1) throw new TypeError(`${call.port}.${call.method} takes one at a time`)
  return [await method<OneMethod>(ports, call)(call.argument, attempt)]
}

export function finderOf(
  ports: Ports,
  port: PortName,
): ((attempt: Attempt, call: Call) => Promise<Effect | null>) | null {
  const found: Finds | undefined = ports[port]
  return found?.find ? (attempt, call) => found.find?.(attempt, call) ?? Promise.resolve(null) : null
}

interface Finds {
  find?(attempt: Attempt, call: Call): Promise<Effect | null>
}

/** The abilities of a destination: the names of its ports, and of each method of them (`orders`, `orders.create` …). */
export function abilitiesOf(ports: Ports): string[] {
  return Object.entries(ports).flatMap(([port, methods]) =>
    methods === undefined ? [] : [port, ...Object.keys(methods).map((name) => `${port}.${name}`)],
  )
}

type BatchMethod = (batch: Batch<unknown>) => Promise<BatchResult>
type OneMethod = (argument: unknown, attempt: Attempt) => Promise<Effect>

function takesBatch({ port, method }: Call): boolean {
  const takes: Readonly<Record<string, 'one' | 'several'>> = TAKES[port]
  return takes[method] === 'several'
}

/** The union of calls says which argument each method takes; a flow that makes one has been checked against it. */
function method<Method>(ports: Ports, { port, method: name }: Call): Method {
  const methods = ports[port] as Record<string, unknown> | undefined
  const found = methods?.[name]
  if (typeof found !== 'function') throw new Error(`This destination has no ${port}.${name}.`)
  return found.bind(methods) as Method
}

/** The amount that a call is about, by which both sides can be compared; null: it has none. */
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
