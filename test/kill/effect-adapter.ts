import { z } from 'zod'
import { defineAdapter } from '../../src/adapters/adapter.ts'
import { createAnswerCheck } from '../../src/adapters/shared/http-errors.ts'
import { createHttpClient, type HttpRequest, targetOf } from '../../src/lib/http/http.ts'

/** Asks the sink for an effect (`POST`, the key in a header); with `find`, it can also be asked whether it is there. */
export default defineAdapter({
  name: 'effect',
  options: z.strictObject({ url: z.url(), find: z.boolean().default(false) }),
  create({ url, find }, { destination, concurrency, timeout }) {
    const client = createHttpClient({ connections: concurrency, timeout })
    const check = createAnswerCheck({ destination, secrets: [] })
    const send = async (method: HttpRequest['method'], key: string, signal: AbortSignal) => {
      const request: HttpRequest = { method, ...targetOf(url), headers: { 'webhook-id': key }, signal }
      return check(request, await client.send(request))
    }
    return {
      ports: {
        publish: {
          async publish(_, { key, signal }) {
            await send('POST', key, signal)
            return { links: [{ kind: 'effect', id: key, theirId: key }] }
          },
          ...(find && {
            async find({ key, signal }) {
              return (await send('GET', key, signal)).status === 200 ? { note: 'it is there' } : null
            },
          }),
        },
      },
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    }
  },
})
