import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { TEST_CERTIFICATE } from '../adapters/smtp/certificate.ts'
import { asking, tillbridge } from '../cli/run.ts'
import { saleNo } from '../delivery/kit/kit.ts'
import { eventually } from '../eventually.ts'
import { ADMIN_TOKEN, busTo, shareHub, startTestHub } from '../hub.ts'

const elsewhere = shareHub()

/** A server that shows a certificate which no machine trusts. */
async function startUntrusted() {
  const server = createServer(TEST_CERTIFICATE, (_, response) => response.end('{}')).listen(0, '127.0.0.1')
  // A client that does not trust it breaks off.
  server.on('tlsClientError', () => {})
  await once(server, 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

test('When the certificate of a destination is not to be trusted, then somebody is told so at once, and what mends it', async () => {
  await using server = await startUntrusted()
  await using hub = await startTestHub({ destinations: { bus: busTo(server.url) } })
  await hub.post('SaleCreated', saleNo(1))

  const said = await eventually(async () => {
    const { out, code } = await asking(hub)('status')
    expect(out).toMatch(/^problem +destination bus: In trouble: /m)
    return { out, code }
  })

  expect(said.code).toBe(1)
  expect(said.out).toMatch(
    /its certificate is not to be trusted, so nothing is sent to it \(certificate-refused: .*was not sent: self-signed certificate.* Else: have it renewed where it has run out; .*NODE_EXTRA_CA_CERTS.* Nothing is lost meanwhile\.$/m,
  )
})

test('When the certificate of a hub is not to be trusted, then nobody is told to start it', async () => {
  await using server = await startUntrusted()
  const env = { TILLBRIDGE_URL: server.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }

  const { err } = await tillbridge(['status'], env)

  expect(err).toMatch(
    /^The certificate of https:\S+ is not to be trusted \(self-signed certificate.*NODE_EXTRA_CA_CERTS/,
  )
  expect(err).not.toContain('npm start')
  expect((await tillbridge(['doctor'], env)).out).toMatch(/^unknown +hub +.*The certificate of https:\S+ is not to be/m)
})

test('When https is asked of a hub that speaks http, then why is said on one line, without the places in the source of TLS', async () => {
  const url = elsewhere().url.replace('http:', 'https:')
  const { err } = await tillbridge(['status'], { TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
  expect(err).toBe(
    `No hub answers at ${url} (TLS: wrong version number). Start it with "npm start" where it runs, or correct TILLBRIDGE_URL: http or https, the name of its machine, the port.\n`,
  )
})

test('When the address of a hub has a path that leads nowhere, then the path is what is to be looked at', async () => {
  const url = `${elsewhere().url}/hub`
  const env = { TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  const says = `A hub answers at ${url}, and has nothing there: look at the path of the address.`
  expect((await tillbridge(['status'], env)).err).toMatch(says)
  expect((await tillbridge(['doctor'], env)).out).toMatch(new RegExp(`^problem +hub +.*${says}(?!.*token)`, 'm'))
})
