import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'

/** A part of the sandbox that answers HTTP. Disposing it ends its connections too. */
interface Listening extends AsyncDisposable {
  url: string
}

/** Listens there; 0 is any port that is free. Rejects where it cannot. */
export async function listen(app: Express, port: number, host: string): Promise<Listening> {
  const server = app.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
