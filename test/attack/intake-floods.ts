import { createHmac } from 'node:crypto'
import type { Socket } from 'node:net'
import { expect } from 'vitest'
import { askOn } from './beside.ts'
import { jsonOf, request } from './requests.ts'
import type { Attack, Siege } from './siege.ts'

const MB = 1_000_000
const CONNECTIONS = 300

/** How many small ones of the shop itself come beside them, and what share of them is taken at once at least. */
const SIGNED_A_SECOND = 5
const TAKEN = 0.9

const HEAD = request('POST', '/intake/shop', {
  'content-type': 'application/json',
  'x-wc-webhook-topic': 'order.created',
  'x-wc-webhook-signature': 'bm9ib2R5IHNpZ25lZCB0aGlzIHJlcXVlc3QgYXQgYWxs',
  'content-length': 8 * MB,
})
const CHUNK = Buffer.alloc(MB, 'x')
const ALL_BUT_THE_END = [...HEAD, ...Array<Buffer>(7).fill(CHUNK)]

/** Bodies that nobody signed: half of them come fast but for their end, half a little at a time. */
const unsignedBodies: Attack = {
  name: 'strangers hold 300 intake requests open with 8 MB each',
  async run(siege) {
    const { strangers, scale } = siege
    let nth = 0
    strangers.keepOpen(Math.round(CONNECTIONS * scale), (socket) => {
      nth += 1
      if (nth % 2 === 0) strangers.pour(socket, ALL_BUT_THE_END)
      else dripOn(socket)
    })
    const { wrong, asked } = await signedOnes(siege)
    const taken = asked - wrong
    expect(taken / asked, `${taken} of ${asked} signed ones were taken at once`).toBeGreaterThanOrEqual(TAKEN)
    return { signed: asked, signedTaken: taken }
  },
}

export const intakeFloods: Attack[] = [unsignedBodies]

function dripOn(socket: Socket): void {
  for (const piece of HEAD) socket.write(piece)
  const drip = setInterval(() => socket.write(CHUNK.subarray(0, 64_000)), 100)
  socket.on('close', () => clearInterval(drip))
}

/** What the shop itself sends: customers, who need nothing that the platform knows. */
function signedOnes({ hub, signal }: Siege) {
  const { port, secrets } = hub
  return askOn({ port, perSecond: SIGNED_A_SECOND, signal }, (nth) => {
    const body = jsonOf({
      id: nth + 1,
      email: `customer-${nth}@example.com`,
      first_name: 'Kari',
      role: 'customer',
      billing: {},
    })
    const signature = createHmac('sha256', secrets.BUS_SECRET).update(body).digest('base64')
    const headers = { 'x-wc-webhook-topic': 'customer.created', 'x-wc-webhook-signature': signature }
    const wanted = { status: 202, text: '"accepted"' }
    return {
      method: 'POST',
      path: '/intake/shop',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      wanted,
    }
  })
}
