import { bodyText, createAnswerCheck, createHttpClient, defineAdapter, secret, targetOf } from 'tillbridge/adapter'
import { z } from 'zod'

const Answer = z.object({ id: z.string() })

/** Puts every event on a queue that is fed over HTTP and drops what it has seen, by Idempotency-Key. */
export default defineAdapter({
  name: 'queue',
  options: z.strictObject({
    url: z.url({ protocol: /^https?$/ }).describe('Where messages are posted.'),
    token: secret(z.string().min(8).describe('Bearer token of the queue.')),
  }),
  create({ url, token }, { destination, concurrency, timeout }) {
    const client = createHttpClient({ connections: concurrency, timeout })
    const check = createAnswerCheck({ destination, secrets: [token] })
    const fixed = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const publish = {
      async publish({ body }, { key, signal }) {
        const headers = { ...fixed, 'idempotency-key': key }
        const request = { method: 'POST', ...targetOf(url), headers, body, signal }
        const answer = check(request, await client.send(request))
        return { note: `queued as ${Answer.parse(JSON.parse(bodyText(answer.body))).id}` }
      },
    }
    return { ports: { publish }, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() }
  },
})
