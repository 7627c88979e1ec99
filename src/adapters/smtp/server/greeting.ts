import type { Socket } from 'node:net'
import type { NodemailerError } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { type Server, serverOptions } from './connecting.ts'
import { failureOf, type SmtpFailure } from './failure.ts'
import { openSocket } from './socket.ts'

/** The facts that a server shows of itself without a mail. */
export interface Greeted {
  type: 'greeted'
  isEncrypted: boolean
  /** The server took our login; null: we have none, or it wants none. */
  isLoggedIn: true | null
  /** Whether it offers that one logs in. */
  wantsLogin: boolean
}

export type GreetResult = Greeted | { type: 'failed'; failure: SmtpFailure }

/** Greets a server as the first mail would, logs in where there is a login, and says goodbye. */
export async function greet(server: Server, sockets: Set<Socket>, signal: AbortSignal): Promise<GreetResult> {
  try {
    const connection = await openSocket(server, sockets, signal)
    return await converse(new SMTPConnection({ ...serverOptions(server), connection }), server)
  } catch (error) {
    return { type: 'failed', failure: failureOf(error as NodemailerError, false) }
  }
}

async function converse(connection: SMTPConnection, { login }: Server): Promise<Greeted> {
  const { promise: broken, reject } = Promise.withResolvers<never>()
  connection.once('error', reject).once('end', () => reject(new Error('the connection was closed')))
  // One that comes when nobody waits any more is nothing.
  broken.catch(() => undefined)
  try {
    await Promise.race([broken, step((done) => connection.connect(done))])
    const isLoggedIn = login !== null && connection.allowsAuth
    if (isLoggedIn)
      await Promise.race([broken, step((done) => connection.login({ credentials: login, user: login.user }, done))])
    const { secure, allowsAuth } = connection
    connection.quit()
    return { type: 'greeted', isEncrypted: secure, isLoggedIn: isLoggedIn || null, wantsLogin: allowsAuth }
  } catch (error) {
    connection.close()
    throw error
  }
}

function step(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => begin((error) => (error ? reject(error) : resolve())))
}
