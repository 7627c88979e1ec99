import { setTimeout as delay } from 'node:timers/promises'
import mysql from 'mysql2'
import type { SqlAddress } from '../address.ts'
import type { Connect, Connection } from '../dialect.ts'
import { createSocket } from '../socket.ts'

/** How long a goodbye may take (milliseconds). */
const GOODBYE = 1_000

/** A statement is not made longer than this, whatever the server would take. */
const LONGEST = 1_000_000

export function mysqlConnect(address: SqlAddress, timeout: number): Connect {
  const { host, port, user, password, database, tls } = address

  async function open(signal: AbortSignal, within: number) {
    signal.throwIfAborted()
    const socket = createSocket(address)
    const driver = mysql.createConnection({
      host,
      port,
      user,
      password,
      database,
      charset: 'utf8mb4',
      connectTimeout: within,
      stream: () => {
        socket.open()
        return socket
      },
      // Statements come whole: nothing in them is to be filled in.
      queryFormat: (statement: string) => statement,
      ...(tls !== 'off' && { ssl: { rejectUnauthorized: tls === 'checked', verifyIdentity: tls === 'checked' } }),
    })
    // Without a listener, the end of an idle connection would end the process.
    driver.on('error', () => {
      socket.destroy()
    })
    const abort = () => socket.destroy()
    signal.addEventListener('abort', abort, { once: true })
    try {
      await new Promise<void>((resolve, reject) => {
        driver.connect((error) => (error ? reject(error) : resolve()))
      })
      return { driver, socket, settle: () => signal.removeEventListener('abort', abort) }
    } catch (error) {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      throw error
    }
  }

  /** Asks the server to end a connection and what it does for it, on another one. */
  async function stop(threadId: number): Promise<void> {
    const { driver, socket, settle } = await open(AbortSignal.timeout(GOODBYE), GOODBYE)
    await ask(driver, `kill ${threadId}`).finally(() => {
      settle()
      socket.destroy()
    })
  }

  return async (signal) => {
    const { driver, socket, settle } = await open(signal, timeout)
    let longestStatement = LONGEST
    try {
      for (const statement of settings(timeout)) await ask(driver, statement)
      const [row] = await ask(driver, 'select @@max_allowed_packet as bytes')
      // Half of it: what is counted are characters.
      longestStatement = Math.min(LONGEST, Number(row?.bytes) / 2 || LONGEST)
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      settle()
    }

    const connection: Connection = {
      get isOpen() {
        return !socket.destroyed
      },
      longestStatement,
      query: (statement, values) => ask(driver, values ? filled(statement, values) : statement),
      async close() {
        const said = new Promise<void>((resolve) => driver.end(() => resolve()))
        await Promise.race([said, delay(GOODBYE)])
        socket.destroy()
      },
      async cancel() {
        // Where the server has ended it, its number may be another's.
        if (socket.destroyed) return
        socket.destroy()
        await stop(driver.threadId).catch(() => undefined)
      },
    }
    return connection
  }
}

/**
 * Values too long, or no date, are refused, not cut off or made 0, and `\\` escapes, as the driver writes it. Where rows are not
 * there yet, nothing between them is locked.
 */
function settings(timeout: number): string[] {
  const seconds = Math.ceil(timeout / 1_000)
  return [
    `set session sql_mode = 'TRADITIONAL', session innodb_lock_wait_timeout = ${seconds}, session lock_wait_timeout = ${seconds}`,
    'set session transaction isolation level read committed',
  ]
}

/** Puts each value, escaped, in the place of a question mark; lists become lists. */
function filled(statement: string, values: readonly unknown[]): string {
  let index = 0
  return statement.replace(/\?/g, () => mysql.escape(values[index++] as string | string[]))
}

function ask(driver: mysql.Connection, statement: string): Promise<Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    driver.query(statement, (error: Error | null, rows: unknown) => {
      if (error) reject(error)
      else resolve(Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [])
    })
  })
}
