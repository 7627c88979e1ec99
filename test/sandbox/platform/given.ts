import type { ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import request from 'supertest'
import { type PlatformOptions, type SandboxPlatform, startPlatform } from '../../../sandbox/platform/platform.ts'
import { SPEAKS } from '../../dialect.ts'
import { listen } from '../../listen.ts'

/** Of the company and its user, as config names them. */
export const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
export const HEADERS = { 'x-api-key': KEYS.apiKey, 'ocp-apim-subscription-key': KEYS.subscriptionKey }

const DAY = 86_400_000

export function givenPlatform(options: Partial<PlatformOptions> = {}): Promise<SandboxPlatform> {
  return startPlatform({ ...KEYS, ...SPEAKS, ...options })
}

interface Body {
  movementId: number
  total: number
  paymentLines: [{ txRef: string }]
}

interface Receiver extends AsyncDisposable {
  url: string
  /** What it answers; `inactivity`: nothing, until it is told otherwise. */
  answer: number | 'inactivity'
  bodies: Body[]
  paths: string[]
  /** The `x-event-id` of each request. */
  ids: unknown[]
  readonly waiting: number
  letGo(): void
}

export async function startReceiver(): Promise<Receiver> {
  const waiting = new Set<ServerResponse>()
  const server = await listen(async (incoming, response) => {
    receiver.bodies.push((await json(incoming)) as Body)
    receiver.paths.push(incoming.url ?? '')
    receiver.ids.push(incoming.headers['x-event-id'])
    if (receiver.answer === 'inactivity') waiting.add(response)
    else response.writeHead(receiver.answer, { location: '/elsewhere' }).end()
  })
  const receiver: Receiver = {
    url: `${server.url}/`,
    answer: 200,
    bodies: [],
    paths: [],
    ids: [],
    get waiting() {
      return waiting.size
    },
    letGo() {
      receiver.answer = 200
      for (const response of waiting) response.writeHead(200).end()
      waiting.clear()
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
  return receiver
}

export async function subscribe(
  platform: SandboxPlatform,
  event: string,
  url: string,
  storeId: number | null = null,
): Promise<string> {
  const known = new Set(platform.subscriptions().map(({ id }) => id))
  await request(platform.apiUrl).post('/api/Webhooks').set(HEADERS).send({ event, url, storeId }).expect(200)
  const created = platform.subscriptions().find(({ id }) => !known.has(id))
  if (!created) throw new Error('The new subscription is not in the list.')
  return created.id
}

/** The event log of the first subscription, of yesterday to tomorrow. */
export async function events(platform: SandboxPlatform, query: object = {}): Promise<{ webhookEventId: string }[]> {
  const [subscription] = platform.subscriptions()
  const { body } = await request(platform.url)
    .get(`/api/WebhooksEvents/${subscription?.id}`)
    .query({ from: day(Date.now() - DAY), to: day(Date.now() + DAY), ...query })
    .set(HEADERS)
    .expect(200)
  return body
}

function day(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}
