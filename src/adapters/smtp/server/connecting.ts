import type { SmtpAddress } from '../options.ts'

/** Where to connect, and how long to wait. */
export interface Server extends SmtpAddress {
  /** The longest of every single wait for the server (milliseconds). */
  timeout: number
}

/** The settings of a server for the mail library, whether a mail is sent or not. */
export function serverOptions({ host, port, secure, login, timeout }: Server) {
  return {
    host,
    port,
    secure,
    // A password leaves this machine encrypted or not at all.
    requireTLS: login !== null && !secure && !isThisMachine(host),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    socketCloseTimeout: 0,
  }
}

export function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/i.test(host)
}
