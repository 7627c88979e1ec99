import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to the server that is cut where a commit, or anything else, has gone out: its answer never comes. */
export interface CuttingProxy extends AsyncDisposable {
  through(url: string): string
  /** The next commit is the last that its connection carries. `arrives`: the server still gets it. */
  cutAtCommit(arrives: boolean): void
  /** The nth thing that is said from now on, on any connection, is the last that its connection carries. */
  cutAt(nth: number, arrives: boolean): void
  /** Every connection is closed at once while the way is shut. */
  shut(isShut: boolean): void
}

export async function startCuttingProxy(server: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(server)
  const sockets = new Set<Socket>()
  let cut: { arrives: boolean; after: number | 'commit' } | null = null
  let isShut = false
  const proxy = createServer((client) => {
    if (isShut) {
      client.destroy()
      return
    }
    const behind = connect(Number(port) || 5432, hostname)
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    behind.on('data', (data) => client.write(data))
    client.on('data', (data) => {
      if (cut !== null && typeof cut.after === 'number') cut.after -= 1
      if (cut === null || (cut.after === 'commit' ? !data.includes('commit\0') : cut.after > 0)) {
        behind.write(data)
        return
      }
      const { arrives } = cut
      cut = null
      client.destroy()
      behind.removeAllListeners('data').resume()
      if (arrives) behind.end(data)
      else behind.destroy()
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    through(url) {
      const address = new URL(url)
      address.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
      return address.toString()
    },
    cutAtCommit(arrives) {
      cut = { arrives, after: 'commit' }
    },
    cutAt(nth, arrives) {
      cut = { arrives, after: nth }
    },
    shut(shut) {
      isShut = shut
      if (shut) for (const socket of sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      const closed = once(proxy, 'close')
      proxy.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
