import type { Batch, BatchResult, Effect } from './attempt.ts'
import type { Call, PortName, Ports } from './ports.ts'

type Port<Name extends PortName> = Required<NonNullable<Ports[Name]>>

/** The methods of a port that have an effect; the others answer questions. */
type EffectName<Name extends PortName> = {
  [Method in keyof Port<Name>]: Port<Name>[Method] extends (...given: never[]) => Promise<Effect | BatchResult>
    ? Method
    : never
}[keyof Port<Name>]

/** How many arguments a method takes at a time, as its first parameter says. */
type TakenBy<Method> = Method extends (first: infer First, ...rest: never[]) => unknown
  ? First extends Batch<unknown>
    ? 'several'
    : 'one'
  : never

type Takes = {
  [Name in PortName]: { [Method in EffectName<Name>]: TakenBy<Port<Name>[Method]> }
}

/** Flows can ask for each of them. A call of a method that no port has is found here, too. */
type Called = { [Name in PortName]: { [Method in Extract<Call, { port: Name }>['method']]: 'one' | 'several' } }

/**
 * The number that each method of each port takes at a time. The types of the ports decide: a method that is missing here, or said to take
 * what it does not, is an error of the compiler.
 */
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
  customers: {
    upsert: 'one',
    noteConsent: 'one',
    drop: 'one',
    remember: 'several',
    take: 'several',
    erase: 'one',
  },
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
