import type { ServerResponse } from 'node:http'
import type { Connections } from '../../../sandbox/platform/people/lookups.ts'
import { listen } from '../../listen.ts'

/** What the retailer's own system answers: JSON with 200, another status, something that is no JSON, or nothing at all. */
type Answer = { json: unknown } | { status: number } | { text: string } | 'silence'

interface OwnSystem extends AsyncDisposable {
  answer: Answer
  /** Every request: its path with the query, and who asked. */
  asked: { path: string; authorization: string | undefined }[]
  /** As the platform contact configures it: one address for each question. */
  connections: Required<Connections>
}

/** A system of the retailer's that the tills ask. */
export async function startOwnSystem(): Promise<OwnSystem> {
  const server = await listen(({ url = '', headers }, response) => {
    system.asked.push({ path: url, authorization: headers.authorization })
    send(response, system.answer)
  })
  const url = server.url
  const system: OwnSystem = {
    answer: { status: 404 },
    asked: [],
    connections: {
      customers: { url: `${url}/api/customers/search`, token: 'token-of-the-till' },
      orders: { url: `${url}/api/orders/search?shop=1`, token: 'token-of-the-till' },
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
  return system
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer === 'silence') return
  if ('json' in answer) response.writeHead(200).end(JSON.stringify(answer.json))
  else if ('text' in answer) response.writeHead(200).end(answer.text)
  else response.writeHead(answer.status).end('{}')
}

/** An order as a system answers it: one line to be had back, one that came back, one without a GTIN. */
export const ORDER = {
  orderNo: 'W-77',
  status: 'completed',
  total: 847.9,
  currency: 'NOK',
  orderLines: [
    { rowId: '7', gtin: '7090012340011', name: 'T-shirt', quantity: 2, returnedQuantity: 1, price: 349 },
    { rowId: '8', gtin: '7090012340059', name: 'Socks', quantity: 1, returnedQuantity: 1, price: 149.9 },
    { rowId: '9', gtin: null, name: 'Gift wrapping', quantity: 1, returnedQuantity: 0, price: 0 },
  ],
}
