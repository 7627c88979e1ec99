import { once } from 'node:events'
import { createServer } from 'node:http'

/** A queue as ours is: it drops what it has seen, by Idempotency-Key. */
export default {
  async start() {
    const ids = new Map()
    const server = createServer(async (request, response) => {
      for await (const _ of request);
      const key = request.headers['idempotency-key'] ?? `none-${ids.size}`
      ids.set(key, ids.get(key) ?? `m-${ids.size + 1}`)
      response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ id: ids.get(key) }))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return {
      url: `http://127.0.0.1:${server.address().port}/pos`,
      options: (url) => ({ url, token: 'token-of-the-kit' }),
      effects: () => ids.size,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections()
        server.close()
      },
    }
  },
}
