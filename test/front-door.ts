import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * The answer of a front door in the place of the system behind it; `reset`: it takes the connection and cuts it; `silent`: all is done
 * behind it, and the connection is cut instead of an answer.
 */
export type DoorScript = { status: number; type?: string; body?: string } | 'reset' | 'silent' | 'open'

/** A reverse proxy on loopback before a system: it answers for it while that is renewed, or is not paid. */
export interface FrontDoor extends AsyncDisposable {
  readonly url: string
  /** Calls that it answered itself. */
  refused: number
  play(script: DoorScript): void
}

export async function startFrontDoor(target: string): Promise<FrontDoor> {
  let script: DoorScript = 'open'
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => null)
    if (body === null) return
    if (script === 'open' || script === 'silent') {
      const isSilent = script === 'silent'
      const { method, headers, url = '/' } = request
      const onward = ask(new URL(url, target), { method, headers }, (answer) => {
        if (isSilent) return answer.resume().once('end', () => response.destroy())
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        return answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      onward.end(body)
      return
    }
    door.refused += 1
    if (script === 'reset') request.socket.resetAndDestroy()
    else response.writeHead(script.status, { 'content-type': script.type ?? 'text/plain' }).end(script.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const door: FrontDoor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused: 0,
    play(next) {
      script = next
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return door
}
