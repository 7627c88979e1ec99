import { createHmac, hash } from 'node:crypto'
import { Agent, request } from 'undici'

/** Where the shop sends webhooks, and the secret that they share: one webhook a topic, as an operator sets them up. */
export interface WebhookTarget {
  url: string
  secret: string
}

/** A webhook that was sent. */
export interface SentWebhook {
  topic: Topic
  /** The id of what it is about. */
  id: number
  headers: Record<string, string>
  /** As it went over the wire. */
  body: string
  /** The status that was answered; null: nobody answered. */
  status: number | null
}

const TOPICS = ['order.created', 'order.updated', 'order.deleted', 'customer.created', 'customer.updated'] as const

export type Topic = (typeof TOPICS)[number]

export interface Webhooks extends AsyncDisposable {
  /** From now on they go there. */
  sendTo(target: WebhookTarget): void
  /** Sends in the background, one after the other; the payload is made when its turn comes, as in WooCommerce. */
  announce(topic: Topic, id: number, payload: () => object): void
  /** The form without signature that WooCommerce sends when a webhook is saved. Gives the status that was answered. */
  ping(): Promise<number | null>
  /** All that were sent, oldest first. */
  sent(): SentWebhook[]
  /** Whether none is on its way any more. */
  settled(): boolean
  /** Those that are set up, as `GET /webhooks` lists them. */
  list(): object[]
  /** Topics that are off, because more than five deliveries in a row failed. */
  disabled(): Topic[]
}

/** After so many failures in a row, WooCommerce turns a webhook off. It never sends one again. */
const MAX_FAILURES = 5

const TIMEOUT_MS = 60_000

export function createWebhooks(first: WebhookTarget | null, source: () => string): Webhooks {
  let target = first
  const agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS })
  const stop = new AbortController()
  const sent: SentWebhook[] = []
  const failures = new Map<Topic, number>()
  let last: Promise<void> = Promise.resolve()
  let waiting = 0

  async function deliver({ url, secret }: WebhookTarget, topic: Topic, id: number, payload: () => object) {
    if ((failures.get(topic) ?? 0) > MAX_FAILURES || stop.signal.aborted) return
    const body = phpJson(payload())
    const headers = {
      'content-type': 'application/json',
      'x-wc-webhook-source': `${source()}/`,
      'x-wc-webhook-topic': topic,
      'x-wc-webhook-resource': topic.split('.')[0] ?? '',
      'x-wc-webhook-event': topic.split('.')[1] ?? '',
      'x-wc-webhook-signature': createHmac('sha256', secret).update(body).digest('base64'),
      'x-wc-webhook-id': String(TOPICS.indexOf(topic) + 1),
      'x-wc-webhook-delivery-id': hash('md5', `${topic}/${sent.length}/${Date.now()}`),
    }
    const status = await post(url, headers, body)
    sent.push({ topic, id, headers, body, status })
    const done = status !== null && status >= 200 && status < 303
    failures.set(topic, done ? 0 : (failures.get(topic) ?? 0) + 1)
  }

  async function post(url: string, headers: Record<string, string>, body: string): Promise<number | null> {
    try {
      const reported = { ...headers, 'user-agent': 'WooCommerce/10.0.0 Hookshot (WordPress/6.8)' }
      const answer = await request(url, {
        method: 'POST',
        headers: reported,
        body,
        dispatcher: agent,
        signal: stop.signal,
      })
      await answer.body.dump()
      return answer.statusCode
    } catch {
      return null
    }
  }

  return {
    sendTo(next) {
      target = next
    },
    announce(topic, id, payload) {
      const to = target
      if (!to) return
      waiting++
      last = last.then(async () => {
        await deliver(to, topic, id, payload)
        waiting--
      })
    },
    async ping() {
      if (!target) return null
      return await post(target.url, { 'content-type': 'application/x-www-form-urlencoded' }, 'webhook_id=1')
    },
    sent: () => [...sent],
    settled: () => waiting === 0,
    list: () =>
      target === null
        ? []
        : TOPICS.map((topic, index) => ({
            id: index + 1,
            name: topic,
            status: (failures.get(topic) ?? 0) > MAX_FAILURES ? 'disabled' : 'active',
            topic,
            delivery_url: target?.url,
          })),
    disabled: () => [...failures].flatMap(([topic, count]) => (count > MAX_FAILURES ? [topic] : [])),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await last
      await agent.destroy()
    },
  }
}

/** As PHP writes JSON: with slashes escaped, and in ASCII. A signature over anything but the raw bytes does not fit it. */
function phpJson(value: object): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
