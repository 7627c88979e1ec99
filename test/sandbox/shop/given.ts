import { request } from 'undici'
import { type Shop, type ShopOptions, startShop } from '../../../sandbox/shop/shop.ts'

const CONSUMER_KEY = 'ck_example'
const CONSUMER_SECRET = 'cs_example'

/** A coat (101) counted in pieces, a shirt (102) with the sizes M (103) and L (104), and gloves (105) nobody counts. */
const PRODUCTS = [
  { name: 'Rain coat', sku: 'COAT', globalUniqueId: '7038010000010', price: '1399.50', stock: 10 },
  {
    name: 'Shirt',
    sku: 'SHIRT',
    price: '299.00',
    variations: [
      { name: 'M', sku: 'SHIRT-M', globalUniqueId: '7038010000027', stock: 3 },
      { name: 'L', sku: 'SHIRT-L', globalUniqueId: '7038010000034', stock: 1 },
    ],
  },
  { name: 'Gloves', sku: 'GLOVES', price: '99.90' },
] as const satisfies ShopOptions['products']

export const COAT = 101

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The body as JSON; null if it is HTML. */
  json: unknown
  text: string
}

interface Given extends Shop {
  /** Calls the API with the shop's key; the path begins after `/wp-json/wc/v3`. */
  get(path: string): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body: unknown): Promise<Answer>
  /** With other credentials (`key:secret`), or with none. */
  as(credentials: string | null, path: string, method?: 'GET' | 'POST' | 'PUT'): Promise<Answer>
}

export async function givenShop(options: Partial<ShopOptions> = {}): Promise<Given> {
  const keys = { consumerKey: CONSUMER_KEY, consumerSecret: CONSUMER_SECRET }
  const shop = await startShop({ ...keys, products: PRODUCTS, ...options })
  const own = basic(`${CONSUMER_KEY}:${CONSUMER_SECRET}`)

  async function call(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const url = `${shop.url}/wp-json/wc/v3${path}`
    // A connection of its own: one that a fault broke must not be used again.
    const answer = await request(url, { method, headers: { ...headers, connection: 'close' }, body: body ?? null })
    const text = await answer.body.text()
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text,
      json: text.startsWith('<') ? null : JSON.parse(text),
    }
  }

  const send =
    (method: string) =>
    (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const reported = { 'content-type': 'application/json', ...own, ...headers }
      return call(method, path, reported, typeof body === 'string' ? body : JSON.stringify(body))
    }

  return {
    ...shop,
    get: (path) => call('GET', path, own),
    post: send('POST'),
    put: send('PUT'),
    as: (credentials, path, method = 'GET') => call(method, path, credentials === null ? {} : basic(credentials)),
  }
}

/** What an integrator sends for a paid order of one coat. */
export function paidOrder(changes: Record<string, unknown> = {}) {
  return {
    set_paid: true,
    transaction_id: 'T-1',
    billing: { first_name: 'Ada', email: 'ada@example.com', country: 'NO' },
    line_items: [{ product_id: COAT, quantity: 2, subtotal: '2799.00', total: '2500.00' }],
    meta_data: [{ key: '_till_order', value: 'A1' }],
    ...changes,
  }
}

function basic(credentials: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}
