import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import {
  addressFault,
  checkedText,
  createAnswerCheck,
  createHttpClient,
  defineAdapter,
  type HealthFinding,
  type HttpRequest,
  ownHeaders,
  reach,
  reached,
  secret,
  statusLine,
  targetOf,
  USER_AGENT,
} from 'tillbridge/adapter'
import { z } from 'zod'

function judgeStatus(status: number): HealthFinding {
  const proves = 'A HEAD proves no more than that: whether it takes events, and knows us, shows with the first one'
  if (status !== 401 && status !== 403) return { what: 'credentials', state: 'note', says: `${proves}.` }
  return {
    what: 'credentials',
    state: 'unknown',
    says: `${proves}. It answered ${statusLine(status)}, though our headers and the query of the url went with it.`,
    todo: 'compare `headers` and the url with what its owner gave you; if it says so to every HEAD, nothing is wrong.',
  }
}

const PREFIX = 'whsec_'

/** `whsec_` and the base64 of 24 to 64 bytes. */
export function parseSigningKey(secret: string): KeyObject | null {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : ''
  const bytes = Buffer.from(encoded, 'base64')
  const exact = bytes.toString('base64') === encoded
  return exact && bytes.length >= 24 && bytes.length <= 64 ? createSecretKey(bytes) : null
}

/** One signature a key: secrets can be rotated. */
export function signatures(keys: KeyObject[], id: string, timestamp: string, body: Uint8Array): string {
  const head = `${id}.${timestamp}.`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`).join(' ')
}

const SAFE = /^[A-Za-z0-9_:~/%-]*$/

/** Percent-encodes all but URL-safe characters; also the full stop, which separates what is signed. */
export function headerSafe(text: string): string {
  return SAFE.test(text) ? text : text.replace(/[^A-Za-z0-9_:~/%-]/gu, percentEncode)
}

function percentEncode(character: string): string {
  return Buffer.from(character).reduce(
    (text, byte) => `${text}%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    '',
  )
}

const signingSecret = z
  .string()
  .refine((text) => parseSigningKey(text) !== null, 'Must be whsec_ and the base64 of 24 to 64 bytes.')

export const HttpOptions = z.strictObject({
  url: checkedText(addressFault).describe(
    'Where each event is posted: http or https. A token may be in its query; it is never logged.',
  ),
  secret: secret(
    z
      .union([signingSecret, z.array(signingSecret).min(1).max(3)])
      .optional()
      .describe('Signs each request (Standard Webhooks): whsec_…, or a list of up to three while a secret is rotated.'),
  ),
  headers: ownHeaders(/^(webhook|tillbridge)-/i)
    .optional()
    .describe('Headers of your own, such as authorization. They replace content-type and user-agent, but no other.'),
})

/** Posts raw events with headers of Standard Webhooks (https://www.standardwebhooks.com); receivers deduplicate by `webhook-id`. */
export default defineAdapter({
  name: 'http',
  options: HttpOptions,
  create({ url, secret, headers = {} }, { destination, concurrency, timeout, allowPrivate }) {
    const client = createHttpClient({ connections: concurrency, timeout, allowPrivate })
    const target = targetOf(url)
    const secrets = [secret ?? []].flat()
    const keys = secrets.map(parseSigningKey).filter((key) => key !== null)
    const check = createAnswerCheck({ destination, secrets: hidden(url, secrets, Object.values(headers)) })
    const fixed = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...headers }

    async function post({ key, kind, body, source, signal }: Posted) {
      const id = headerSafe(key)
      const timestamp = String(Math.floor(Date.now() / 1000))
      const all: Record<string, string> = {
        ...fixed,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'tillbridge-kind': headerSafe(kind),
        ...(source && { 'tillbridge-source': source }),
      }
      if (keys.length > 0) all['webhook-signature'] = signatures(keys, id, timestamp, body)
      const request: HttpRequest = { method: 'POST', ...target, headers: all, body, signal }
      return check(request, await client.send(request))
    }

    return {
      ports: {
        publish: {
          async publish({ kind, body, pulled }, { key, signal }) {
            const answer = await post({ key, kind, body, signal, ...(pulled && { source: 'pulled' }) })
            return { note: statusLine(answer.status) }
          },
        },
      },
      async notify({ key, kind, facts }, { signal }) {
        await post({ key, kind, body: Buffer.from(JSON.stringify(facts)), source: 'hub', signal })
      },
      async healthCheck({ signal }) {
        const answer = await reach(client, { ...target, headers: fixed, signal }, check)
        if (answer.status >= 300 && answer.status < 400)
          check({ method: 'HEAD', ...target }, { type: 'answered', answer })
        return [reached(answer), judgeStatus(answer.status)]
      },
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    }
  },
})

interface Posted {
  key: string
  kind: string
  body: Uint8Array
  source?: 'pulled' | 'hub'
  signal: AbortSignal
}

function hidden(url: string, secrets: string[], values: string[]): string[] {
  const { search, searchParams } = new URL(url)
  const bare = secrets.map((secret) => secret.replace(/^whsec_/, ''))
  return [...secrets, ...bare, ...values, search.slice(1), ...searchParams.values()]
}
