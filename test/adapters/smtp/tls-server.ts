import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { TEST_CERTIFICATE } from './certificate.ts'

/** A mail server with TLS, from the first byte (smtps) or by STARTTLS; `logins`: who logged in, and how. */
export async function startTlsServer(scheme: 'smtp' | 'smtps') {
  const logins: { user: string | undefined; encrypted: boolean }[] = []
  const server = new SMTPServer({
    ...TEST_CERTIFICATE,
    secure: scheme === 'smtps',
    onAuth({ username }, { secure }, callback) {
      logins.push({ user: username, encrypted: secure })
      callback(null, { user: username })
    },
  })
  // A client that does not trust the certificate breaks off.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    url: `${scheme}://pos:password@127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    logins,
    async [Symbol.asyncDispose]() {
      const closed = once(server.server, 'close')
      server.close()
      await closed
    },
  }
}
