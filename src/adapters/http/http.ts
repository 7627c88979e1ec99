import { createHttpClient, type HttpRequest, targetOf, USER_AGENT } from '../../lib/http/http.ts'
import { defineAdapter } from '../adapter.ts'
import { createAnswerCheck, statusLine } from '../shared/http-errors.ts'
import { reach } from '../shared/reach.ts'
import { judgeReached } from './examine.ts'
import { HttpOptions } from './options.ts'
import { headerSafe, parseSigningKey, signatures } from './signature.ts'

/**
 * Posts the raw event, byte for byte (of a pulled fact, what the hub wrote of it), with the headers of Standard Webhooks (https://www.standardwebhooks.com): for a
 * bus, a warehouse, or a service of the retailer's own. The receiver deduplicates by `webhook-id`.
 */
export default defineAdapter({
  name: 'http',
  options: HttpOptions,
  create({ url, secret, headers = {} }, { destination, concurrency, timeout }) {
    const client = createHttpClient({ connections: concurrency, timeout })
    const target = targetOf(url)
    const secrets = [secret ?? []].flat()
    const keys = secrets.map(parseSigningKey).filter((key) => key !== null)
    const check = createAnswerCheck({ destination, secrets: hidden(url, secrets, Object.values(headers)) })
    const fixed = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...lowerCased(headers) }

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
      async examine({ signal }) {
        const answer = await reach(client, { ...target, headers: fixed, signal }, check)
        // A redirect would lead every event elsewhere, too.
        if (isRedirect(answer.status)) check({ method: 'HEAD', ...target }, { type: 'answered', answer })
        return judgeReached(answer)
      },
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    }
  },
})

interface Posted {
  key: string
  kind: string
  body: Uint8Array
  /** Where it is from, where that is not the platform's webhook. */
  source?: 'pulled' | 'hub'
  signal: AbortSignal
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Texts that no message may show: the signing secrets, with and without their prefix, header values, and the URL's query. */
function hidden(url: string, secrets: string[], values: string[]): string[] {
  const { search, searchParams } = new URL(url)
  const bare = secrets.map((secret) => secret.replace(/^whsec_/, ''))
  return [...secrets, ...bare, ...values, search.slice(1), ...searchParams.values()]
}
