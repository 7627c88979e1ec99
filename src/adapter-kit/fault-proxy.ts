import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'

export interface ProxiedRequest {
  method: string
  /** Path and query. */
  url: string
  body: Buffer
}

/** What happens to a request: `lose` and `hang` execute it, and no answer arrives; `cut` breaks it off before the system has it. */
export type ProxyFault =
  | { type: 'lose' | 'cut' }
  | { type: 'hang'; executed: () => void }
  | { type: 'answer'; status: number; headers?: Record<string, string>; body: string }

/** Stands between an adapter and a system that speaks HTTP. */
export interface FaultProxy extends AsyncDisposable {
  url: string
}

/** `faultOf` decides on each request as it arrives; null: it passes. `targetOf`: where it goes, if not to `target`. */
export async function startFaultProxy(
  target: string,
  faultOf: (request: ProxiedRequest) => ProxyFault | null,
  targetOf: (request: ProxiedRequest) => string = () => target,
): Promise<FaultProxy> {
  const server = createServer(async (incoming, answer) => {
    try {
      const body = await buffer(incoming)
      const { method = 'GET', url = '/' } = incoming
      const one = { method, url, body }
      const fault = faultOf(one)
      if (fault?.type === 'cut') return void answer.destroy()
      if (fault?.type === 'answer') return void answer.writeHead(fault.status, fault.headers).end(fault.body)
      const { connection: _, host: __, ...headers } = incoming.headers
      const options = { method, headers, body } as Parameters<typeof request>[1]
      const result = await request(new URL(targetOf(one)).origin + url, options)
      const bytes = Buffer.from(await result.body.arrayBuffer())
      if (fault?.type === 'hang') return fault.executed()
      if (fault?.type === 'lose') return void answer.destroy()
      const { 'transfer-encoding': ___, connection: ____, ...kept } = result.headers
      answer.writeHead(result.statusCode, kept as Record<string, string>).end(bytes)
    } catch {
      // The system is away, or the adapter has gone.
      answer.destroy()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(target).pathname.replace(/\/$/, '')}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
