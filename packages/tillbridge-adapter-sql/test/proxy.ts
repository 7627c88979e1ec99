import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands before a database, and cuts connections. */
export interface SqlProxy extends AsyncDisposable {
  url: string
  /** Hands the next statement that has this text over, and cuts the client off before it is answered. */
  cutAfter(text: string): void
  /** Cuts all connections, as a server does that is started anew. */
  cutAll(): void
  readonly connections: number
  /** The server is off: nobody is connected, and nobody is let in. */
  off: boolean
}

export async function startSqlProxy(target: string): Promise<SqlProxy> {
  const { hostname, port } = new URL(target)
  const clients = new Set<Socket>()
  let wanted: string | null = null
  let off = false
  const server = createServer((client) => {
    if (off) return client.destroy()
    const database = connect({ host: hostname, port: Number(port) })
    let cut = false
    clients.add(client)
    client.on('data', (bytes) => {
      database.write(bytes)
      if (wanted === null || !bytes.includes(wanted)) return
      wanted = null
      cut = true
    })
    database.on('data', (bytes) => {
      if (cut) client.destroy()
      else client.write(bytes)
    })
    client
      .on('error', () => {})
      .on('close', () => {
        clients.delete(client)
        database.destroy()
      })
    database.on('error', () => {}).on('close', () => client.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const cutAll = () => {
    for (const client of clients) client.destroy()
  }
  return {
    url: url.toString(),
    cutAfter(text) {
      wanted = text
    },
    cutAll,
    get connections() {
      return clients.size
    },
    get off() {
      return off
    },
    set off(isOff) {
      off = isOff
      if (off) cutAll()
    },
    async [Symbol.asyncDispose]() {
      cutAll()
      await new Promise((closed) => server.close(closed))
    },
  }
}
