import { type VendureShop as StandIn, startVendureShop } from '../../peers/vendure-stand-in/vendure.ts'
import { ADMINISTRATOR, GOODS, type ShownOrder, STORE_LOCATION, type VendureShop } from './kit.ts'

/** The sandbox's stand-in as the stories need a shop. */
export interface StandInShop extends VendureShop {
  standIn: StandIn
}

const CUSTOMER = { emailAddress: 'ola.hansen@example.com', firstName: 'Ola', lastName: 'Hansen' }
const ADDRESS = { streetLine1: 'Bryggen 2', city: 'Bergen', postalCode: '5003', countryCode: 'NO' }

/** `permissions`: of the administrator's role; all if left out. */
export async function startStandIn(given: { permissions?: string[] } = {}): Promise<StandInShop> {
  const apiKey = 'an-api-key-of-the-tests'
  const locations = ['Default Stock Location', STORE_LOCATION]
  const standIn = await startVendureShop({ ...ADMINISTRATOR, apiKey, articles: GOODS, locations, ...given })
  return {
    standIn,
    url: standIn.url,
    apiKey,
    async place({ lines, shipping = 'standard', store = null }) {
      const customer = { ...CUSTOMER, phoneNumber: '+47 912 34 567' }
      return standIn.place({ lines, shipping, store, customer, address: ADDRESS })
    },
    async orders() {
      const shown = standIn.orders().map((order) => ({ ...order, history: { items: order.entries.filter(isShown) } }))
      const totals = standIn.orders().map(({ totalWithTax }) => ({ totalWithTax }))
      return structuredClone(shown.map((order, index) => ({ ...order, ...totals[index] }))) as unknown as ShownOrder[]
    },
    async cancel(orderId) {
      standIn.mutate('cancelOrder', { input: { orderId, reason: 'Wished by the customer' } })
    },
    refuse: (call) => standIn.refuse(call),
    async payByHand(orderId) {
      standIn.mutate('transitionOrderToState', { id: orderId, state: 'ArrangingAdditionalPayment' })
      standIn.mutate('addManualPaymentToOrder', { input: { orderId, method: 'cash', metadata: {} } })
      standIn.mutate('transitionOrderToState', { id: orderId, state: 'PaymentSettled' })
    },
    async stockOf(sku, location) {
      const place = standIn.locations().find(({ name }) => name === location)
      const variant = standIn.variants().find((one) => one.sku === sku)
      return variant?.stockLevels.find(({ stockLocationId }) => stockLocationId === place?.id)
    },
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  }
}

function isShown({ type }: { type: string }): boolean {
  return type === 'ORDER_NOTE' || type === 'ORDER_CANCELLATION'
}
