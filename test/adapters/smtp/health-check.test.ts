import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import smtp from '../../../src/adapters/smtp/smtp.ts'
import { look } from '../checked.ts'
import { TEST_CERTIFICATE } from './certificate.ts'
import { startSmtpPeer } from './peer.ts'
import { startTlsServer } from './tls-server.ts'

const SECRETS = ['of-nobody', Buffer.from('of-nobody').toString('base64')]

function adapterAt(url: string, login = '') {
  const options = smtp.options.parse({ url: url.replace('://', `://${login}`), from: 'no-reply@shop.example' })
  return smtp.create(options, { destination: 'mail', timeout: 5_000, concurrency: 1 })
}

test('When a server is on this machine and wants no login, then it greets, and no mail is sent', async () => {
  await using mailbox = await startMailbox()
  await using instance = adapterAt(mailbox.smtpUrl)
  const { states, about } = await look(instance)
  expect(states).toEqual(['connection: ok', 'credentials: note'])
  expect(about('connection')).toBe('It greets us, on this machine.')
  expect(mailbox.mails()).toEqual([])
})

test.each(['smtp', 'smtps'] as const)(
  'When a server of %s takes our login, then that is said, and that it is encrypted',
  async (scheme) => {
    await using server = await startTlsServer(scheme)
    await using instance = adapterAt(server.url)
    const trusted = getCACertificates('default')
    expect((await look(instance)).about('connection')).toMatch(
      /^Its certificate is not to be trusted, .*self.signed certificate/,
    )
    setDefaultCACertificates([...trusted, TEST_CERTIFICATE.cert])
    try {
      const { states, about } = await look(instance, { secrets: ['password'].map((one) => `:${one}`) })
      expect(states).toEqual(['connection: ok', 'credentials: ok'])
      expect(about('connection')).toBe('It greets us, and what is said is encrypted (TLS).')
      expect(server.logins).toEqual([{ user: 'pos', encrypted: true }])
    } finally {
      setDefaultCACertificates(trusted)
    }
  },
)

test('When a server refuses the login, or is going down, then that is said, without the password', async () => {
  await using peer = await startSmtpPeer()
  await using instance = adapterAt(peer.address, 'POS:of-nobody@')
  peer.play({ at: 'auth', reply: '535 5.7.8' })
  const refused = await look(instance, { secrets: SECRETS })
  expect(refused.states).toEqual(['credentials: problem'])
  expect(refused.about('credentials')).toMatch(/^It refuses our key or password.* answered 535 5\.7\.8 to AUTH/)
  peer.play({ at: 'greeting', reply: '421 4.3.2' })
  expect((await look(instance, { secrets: SECRETS })).about('connection')).toMatch(/421 4\.3\.2.*going down/)
  await peer.until(() => peer.sockets === 0)
})

test('When nobody listens, or nothing is said until the signal, then the connection is the problem, and it is closed', async () => {
  await using nowhere = adapterAt('smtp://127.0.0.1:1')
  expect((await look(nowhere)).about('connection')).toMatch(/^It cannot be reached .*ECONNREFUSED/)
  await using peer = await startSmtpPeer()
  await using silent = adapterAt(peer.address)
  peer.play({ at: 'greeting', do: 'inactivity' })
  const controller = new AbortController()
  const looking = look(silent, { signal: controller.signal })
  await peer.until(() => peer.calls.length === 1)
  controller.abort()
  expect((await looking).states).toEqual(['connection: problem'])
  await peer.until(() => peer.sockets === 0)
})
