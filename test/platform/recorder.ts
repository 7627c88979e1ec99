import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Recorder extends AsyncDisposable {
  url: string
  /** `PUT /api/Sale`, without the query. */
  asked: string[]
}

/** Stands between a client and a platform, passes everything on, and writes down what was asked. */
export async function startRecorder(platform: string): Promise<Recorder> {
  const asked: string[] = []
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url?.replace(/\?.*$/s, '')}`)
    const { method, headers } = incoming
    const onward = request(new URL(incoming.url ?? '/', platform), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
