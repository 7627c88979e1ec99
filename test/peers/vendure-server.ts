import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import {
  ADMINISTRATOR,
  GOODS,
  type PlacedInShop,
  SHOWN,
  type ShownOrder,
  STORE_LOCATION,
  type VendureShop,
} from '../../packages/tillbridge-adapter-vendure/test/kit.ts'

/** A real Vendure server on loopback, with its data in a folder of its own. */
export interface Vendure extends VendureShop {
  /** Asks the Admin API as its owner; throws for every error. */
  admin: Ask
}

const OWNER = { username: 'owner', password: 'of-the-tests-only' }

/** No more than packages/tillbridge-adapter-vendure/README.md says that the adapter needs. */
const RIGHTS = [
  ...['ReadOrder', 'CreateOrder', 'UpdateOrder', 'DeleteOrder', 'ReadPaymentMethod'],
  ...['ReadCatalog', 'UpdateCatalog', 'ReadCustomer', 'CreateCustomer', 'UpdateCustomer', 'DeleteCustomer'],
]

const SERVER = fileURLToPath(new URL('./vendure/server.mjs', import.meta.url))

export async function startVendure(): Promise<Vendure> {
  // Not skipped: a test that is left out proves nothing.
  if (!existsSync(join(dirname(SERVER), 'node_modules')))
    throw new Error('Vendure is not installed: run npm ci in test/peers/vendure.')
  const folder = mkdtempSync(join(tmpdir(), 'tillbridge-vendure-'))
  const environment = { ...process.env, OWNER_NAME: OWNER.username, OWNER_PASSWORD: OWNER.password, NODE_OPTIONS: '' }
  const server = spawn(process.execPath, [SERVER, folder], { env: environment, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  const address = await addressOf(server.stdout)
  const url = `${address}/admin-api`
  const admin = await logIn(url)
  const seeded = await seed(admin)

  return {
    url,
    admin,
    apiKey: seeded.apiKey,
    place: (order) => place(`${address}/shop-api`, seeded, order),
    async orders() {
      const { orders } = await admin<{ orders: { items: ShownOrder[] } }>(
        `{ orders(options: { filter: { state: { notEq: "AddingItems" } } }) { items { ${SHOWN} } } }`,
      )
      return orders.items
    },
    async cancel(id) {
      await admin(`mutation ($input: CancelOrderInput!) { cancelOrder(input: $input) ${RESULT} }`, {
        input: { orderId: id, reason: 'Wished by the customer' },
      })
    },
    refuse: (call) => writeFileSync(join(folder, `refuse-${call}`), ''),
    async payByHand(id) {
      const move = `mutation ($id: ID!, $state: String!) { transitionOrderToState(id: $id, state: $state) ${RESULT} }`
      await admin(move, { id, state: 'ArrangingAdditionalPayment' })
      await admin(`mutation ($input: ManualPaymentInput!) { addManualPaymentToOrder(input: $input) ${RESULT} }`, {
        input: { orderId: id, method: 'cash', metadata: {} },
      })
      await admin(move, { id, state: 'PaymentSettled' })
    },
    async stockOf(sku, location) {
      const options = { filter: { sku: { eq: sku } } }
      const { productVariants } = await admin<{ productVariants: { items: { stockLevels: StockLevel[] }[] } }>(
        `query ($options: ProductVariantListOptions) { productVariants(options: $options) {
          items { stockLevels { stockOnHand stockAllocated stockLocation { name } } } } }`,
        { options },
      )
      const levels = productVariants.items.flatMap(({ stockLevels }) => stockLevels)
      return levels.find(({ stockLocation }) => stockLocation.name === location)
    },
    async [Symbol.asyncDispose]() {
      server.stdin.end()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface StockLevel {
  stockOnHand: number
  stockAllocated: number
  stockLocation: { name: string }
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith('ready ')) return line.slice('ready '.length)
  }
  throw new Error('Vendure ended before it was ready: its errors are above.')
}

type Json = Record<string, unknown>

type Ask = <T = Json>(query: string, variables?: object) => Promise<T>

function client(url: string): Ask {
  let token: string | null = null
  return async <T>(query: string, variables: object = {}) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const body = JSON.stringify({ query, variables })
    const answer = await request(url, { method: 'POST', headers, body })
    const given = answer.headers['vendure-auth-token']
    if (typeof given === 'string') token = given
    const { data, errors } = (await answer.body.json()) as { data: T; errors?: unknown }
    const refused = Object.values(Object(data)).filter((result) => Object(result).errorCode)
    if (errors || refused.length > 0) throw new Error(`${query}: ${JSON.stringify(errors ?? refused)}`)
    return data
  }
}

async function logIn(url: string): Promise<Ask> {
  const admin = client(url)
  await admin(
    `mutation ($username: String!, $password: String!) {
      login(username: $username, password: $password) { ... on ErrorResult { errorCode } ... on CurrentUser { id } } }`,
    OWNER,
  )
  return admin
}

interface Seeded {
  apiKey: string
  variants: Map<string, string>
  shipping: Map<string, string>
}

async function seed(admin: Ask): Promise<Seeded> {
  await admin(
    `mutation { updateChannel(input: { id: 1, defaultCurrencyCode: NOK, availableCurrencyCodes: [NOK], pricesIncludeTax: true })
      { ... on ErrorResult { errorCode } ... on Channel { id } } }`,
  )
  await admin(`mutation ($input: CreateStockLocationInput!) { createStockLocation(input: $input) { id } }`, {
    input: { name: STORE_LOCATION },
  })
  await admin(`mutation ($input: CreatePaymentMethodInput!) { createPaymentMethod(input: $input) { id } }`, {
    input: {
      code: 'card',
      enabled: true,
      handler: { code: 'card-service', arguments: [] },
      translations: named('Card'),
    },
  })
  const shipping = new Map<string, string>()
  for (const code of ['standard', 'pickup']) {
    const { createShippingMethod } = await admin<{ createShippingMethod: { id: string } }>(
      'mutation ($input: CreateShippingMethodInput!) { createShippingMethod(input: $input) { id } }',
      { input: shippingMethod(code) },
    )
    shipping.set(code, createShippingMethod.id)
  }
  const variants = new Map<string, string>()
  for (const article of GOODS) variants.set(article.sku, await addArticle(admin, article))
  const { createRole } = await admin<{ createRole: { id: string } }>(
    'mutation ($input: CreateRoleInput!) { createRole(input: $input) { id } }',
    { input: { code: 'tillbridge', description: 'Tillbridge', permissions: RIGHTS } },
  )
  const administrator = { firstName: 'Tillbridge', lastName: '', emailAddress: ADMINISTRATOR.username }
  await admin('mutation ($input: CreateAdministratorInput!) { createAdministrator(input: $input) { id } }', {
    input: { ...administrator, password: ADMINISTRATOR.password, roleIds: [createRole.id] },
  })
  const { createApiKey } = await admin<{ createApiKey: { apiKey: string } }>(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey } }',
    { input: { roleIds: [createRole.id], translations: [{ languageCode: 'en', name: 'Tillbridge' }] } },
  )
  return { apiKey: createApiKey.apiKey, variants, shipping }
}

async function addArticle(admin: Ask, { sku, gtin, name, price, stock }: (typeof GOODS)[number]): Promise<string> {
  const [translation] = named(name)
  const { createProduct } = await admin<{ createProduct: { id: string } }>(
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }',
    { input: { translations: [{ ...translation, slug: sku.toLowerCase() }] } },
  )
  const article = { productId: createProduct.id, sku, price, trackInventory: 'TRUE', stockOnHand: stock }
  const { createProductVariants } = await admin<{ createProductVariants: { id: string }[] }>(
    'mutation ($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }',
    { input: [{ ...article, customFields: { gtin }, translations: [{ languageCode: 'en', name }] }] },
  )
  return createProductVariants[0]?.id ?? ''
}

function shippingMethod(code: string): object {
  const calculator = [
    { name: 'rate', value: '0' },
    { name: 'includesTax', value: 'auto' },
    { name: 'taxRate', value: '0' },
  ]
  return {
    code,
    fulfillmentHandler: 'manual-fulfillment',
    checker: { code: 'default-shipping-eligibility-checker', arguments: [{ name: 'orderMinimum', value: '0' }] },
    calculator: { code: 'default-shipping-calculator', arguments: calculator },
    translations: named(code),
  }
}

function named(name: string) {
  return [{ languageCode: 'en', name, description: '' }]
}

const RESULT = '{ ... on ErrorResult { errorCode } ... on Order { id code } }'

/** An order of a guest, through the Shop API. */
async function place(
  url: string,
  { variants, shipping: methods }: Seeded,
  { lines, shipping = 'standard', store }: PlacedInShop,
): Promise<{ id: string; code: string }> {
  const shop = client(url)
  for (const { sku, quantity } of lines)
    await shop(
      `mutation ($id: ID!, $quantity: Int!) { addItemToOrder(productVariantId: $id, quantity: $quantity) ${RESULT} }`,
      { id: variants.get(sku), quantity },
    )
  const customer = {
    firstName: 'Ola',
    lastName: 'Hansen',
    emailAddress: 'ola.hansen@example.com',
    phoneNumber: '+47 912 34 567',
  }
  await shop(`mutation ($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) ${RESULT} }`, {
    input: customer,
  })
  const address = { fullName: 'Ola Hansen', streetLine1: 'Bryggen 2', city: 'Bergen', postalCode: '5003' }
  await shop(`mutation ($input: CreateAddressInput!) { setOrderShippingAddress(input: $input) ${RESULT} }`, {
    input: { ...address, countryCode: 'NO' },
  })
  if (store !== undefined)
    await shop(`mutation ($input: UpdateOrderInput!) { setOrderCustomFields(input: $input) ${RESULT} }`, {
      input: { customFields: { pickupStore: store } },
    })
  await shop(`mutation ($id: [ID!]!) { setOrderShippingMethod(shippingMethodId: $id) ${RESULT} }`, {
    id: [methods.get(shipping)],
  })
  const state = '{ ... on ErrorResult { errorCode } ... on Order { id } }'
  await shop(`mutation { transitionOrderToState(state: "ArrangingPayment") ${state} }`)
  const { addPaymentToOrder } = await shop<{ addPaymentToOrder: { id: string; code: string } }>(
    `mutation { addPaymentToOrder(input: { method: "card", metadata: {} }) ${RESULT} }`,
  )
  return addPaymentToOrder
}
