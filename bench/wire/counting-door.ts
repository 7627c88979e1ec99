import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { now } from './clock.ts'

/** A request that came by. */
interface Passed {
  method: string
  path: string
  bytes: number
  at: number
}

/** A door before a server: what goes through is counted, and goes on as it is. */
export interface CountingDoor extends AsyncDisposable {
  url: string
  passed: Passed[]
}

export async function openDoor(target: string): Promise<CountingDoor> {
  const passed: Passed[] = []
  const server = createServer((incoming, answer) => {
    const entry = { method: incoming.method ?? '', path: incoming.url ?? '', bytes: 0, at: now() }
    incoming.on('data', (chunk: Buffer) => {
      entry.bytes += chunk.byteLength
    })
    incoming.on('end', () => passed.push(entry))
    forward(new URL(incoming.url ?? '/', target), incoming, answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function forward(url: URL, incoming: IncomingMessage, answer: ServerResponse): void {
  const onward = request(url, { method: incoming.method, headers: { ...incoming.headers, host: url.host } }, (back) => {
    answer.writeHead(back.statusCode ?? 502, back.headers)
    back.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  incoming.pipe(onward)
}
