import { expect } from 'vitest'
import { askOn } from './beside.ts'
import { request, webhook } from './requests.ts'
import type { Attack, Siege } from './siege.ts'

const SENDERS = 50

/** Milliseconds from an answer to the next request of a sender. */
const PAUSE = 10

/** The same where each request is ten thousand. */
const LONG_PAUSE = 3_000

/** POS's questions beside them. */
const LOOKUPS_A_SECOND = 5

const PATHS = '/health/ready /health/live /openapi.json /admin/status /v1/stock /intake/shop /webhooks/X /none'.split(
  ' ',
)

const NOTHING = Buffer.from('{}')

const health: Attack = {
  name: 'strangers ask for its health without end',
  run: (siege) => askInTurn(siege, [request('GET', '/health/ready'), request('GET', '/health/live')]),
}

const wrongTokens: Attack = {
  name: 'wrong tokens come without end, from the address that right ones come from',
  async run(siege) {
    const wrong = { authorization: 'Bearer wrong' }
    const asking = askInTurn(siege, [
      webhook('/webhooks/SaleCreated?token=wrong', NOTHING),
      request('GET', '/api/customers/search?query=91234567', wrong),
      request('GET', '/admin/status', wrong),
      request('GET', '/v1/stock', wrong),
      request('POST', '/intake/shop', { 'x-wc-webhook-signature': 'wrong', 'x-wc-webhook-topic': 'x' }, NOTHING),
    ])
    const lookups = await lookupsBeside(siege)
    await asking
    expect(lookups.others, 'lookups beside').toEqual({})
    return { lookups }
  },
}

const pipelines: Attack = {
  name: '10,000 requests stand behind each other on one connection',
  run: (siege) => askInTurn(siege, [many(siege, () => request('GET', '/health/live'))], 1, LONG_PAUSE),
}

const manyKinds: Attack = {
  name: '10,000 webhooks of 10,000 kinds stand behind each other on one connection',
  run: (siege) => {
    const kinds = many(siege, (nth) => webhook(siege.hub.webhookPath(`Kind${nth}`), NOTHING))
    return askInTurn(siege, [kinds], 1, LONG_PAUSE)
  },
}

const otherMethods: Attack = {
  name: 'HEAD and OPTIONS come without end for all that there is',
  run: (siege) =>
    askInTurn(
      siege,
      ['HEAD', 'OPTIONS'].flatMap((method) => PATHS.map((path) => request(method, path))),
    ),
}

const longHeads: Attack = {
  name: 'heads are long without end',
  run(siege) {
    const headers = Object.fromEntries(Array.from({ length: 100 }, (_, nth) => [`x-${nth}`, 'a'.repeat(8_000)]))
    const short = Object.fromEntries(Array.from({ length: 1_900 }, (_, nth) => [`x${nth}`, '']))
    return askInTurn(siege, [
      request('GET', '/health/live', headers),
      request('GET', '/health/live', short),
      request('GET', `/${'a'.repeat(1_000_000)}`),
      request('GET', `/${'a/'.repeat(7_000)}`),
      request('POST', siege.hub.webhookPath(`${'%2525'.repeat(3_000)}`), {}, NOTHING),
    ])
  },
}

export const requestFloods: Attack[] = [health, wrongTokens, pipelines, manyKinds, otherMethods, longHeads]

/** Each of some senders sends one after the other, from a place of its own on. */
async function askInTurn(
  { strangers, scale }: Siege,
  requests: readonly Buffer[][],
  senders = Math.ceil(SENDERS * scale),
  pause = PAUSE,
): Promise<void> {
  let nth = 0
  strangers.keepOpen(senders, (socket) => strangers.ask(socket, () => requests[nth++ % requests.length] ?? [], pause))
}

function many({ scale }: Siege, make: (nth: number) => Buffer[]): Buffer[] {
  return [Buffer.concat(Array.from({ length: Math.round(10_000 * scale) }, (_, nth) => make(nth)).flat())]
}

function lookupsBeside({ hub, signal }: Siege) {
  const { port, secrets } = hub
  return askOn({ port, perSecond: LOOKUPS_A_SECOND, signal }, () => ({
    method: 'GET',
    path: '/api/customers/search?query=91234567',
    headers: { authorization: `Bearer ${secrets.POS_TOKEN}` },
    wanted: { status: 200, text: '[' },
  }))
}
