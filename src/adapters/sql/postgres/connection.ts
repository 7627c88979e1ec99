import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { SqlAddress } from '../address.ts'
import type { Connect, Connection } from '../dialect.ts'
import { createSocket } from '../socket.ts'

/** Everything as text: what the server says is compared, never counted with. */
const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig

/** How long a goodbye may take (milliseconds). */
const GOODBYE = 1_000

export function postgresConnect(address: SqlAddress, timeout: number): Connect {
  const { host, port, user, password, database, tls } = address

  /** Asks the server to stop what it does for a connection; it wants no login, and answers nothing. */
  async function stop(processId: number, secretKey: number): Promise<void> {
    const socket = createSocket(address)
    const request = Buffer.alloc(16)
    for (const [index, word] of [16, CANCEL, processId, secretKey].entries()) request.writeInt32BE(word, index * 4)
    socket.open()
    socket.end(request)
    const signal = AbortSignal.timeout(GOODBYE)
    await once(socket.resume(), 'close', { signal }).catch(() => undefined)
    socket.destroy()
  }

  return async (signal) => {
    signal.throwIfAborted()
    const socket = createSocket(address)
    const client = new pg.Client({
      host,
      port,
      user,
      // As a function: an empty one would be looked for in the environment.
      password: () => password,
      database,
      ssl: tls === 'off' ? false : { rejectUnauthorized: tls === 'checked' },
      stream: () => socket,
      types,
      application_name: 'tillbridge',
      connectionTimeoutMillis: timeout,
    })
    let open = true
    const end = () => {
      open = false
    }
    // Without a listener, the end of an idle connection would end the process.
    client.on('error', end).on('end', end)
    const abort = () => socket.destroy()
    signal.addEventListener('abort', abort, { once: true })
    try {
      await client.connect()
      await client.query(settings(timeout))
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }

    // The driver has them; its types do not say so.
    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number }
    const connection: Connection = {
      get isOpen() {
        return open && !socket.destroyed
      },
      longestStatement: Number.POSITIVE_INFINITY,
      async query(text, values = []) {
        const { rows } = await client.query({ text, values: [...values] })
        return rows as Record<string, unknown>[]
      },
      async close() {
        end()
        await Promise.race([client.end().catch(() => undefined), delay(GOODBYE)])
        socket.destroy()
      },
      async cancel() {
        if (socket.destroyed) return
        end()
        socket.destroy()
        await stop(processID, secretKey)
      },
    }
    return connection
  }
}

/** The code of a cancel request in place of a protocol's version. */
const CANCEL = 80_877_102

/** Limits at which the server itself ends our work (milliseconds), so that nothing of ours keeps others from its rows. */
function settings(timeout: number): string {
  return [
    `set statement_timeout = ${timeout}`,
    `set lock_timeout = ${timeout}`,
    `set idle_in_transaction_session_timeout = ${timeout}`,
    'set client_min_messages = warning',
    // An operator may have made them otherwise for this user.
    "set default_transaction_isolation = 'read committed'",
    'set synchronous_commit = on',
  ].join('; ')
}
