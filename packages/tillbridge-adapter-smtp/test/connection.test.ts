import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { describe, expect, test } from 'vitest'
import { startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import { look } from '../../../test/adapters/checked.ts'
import { adapterContract, attempt } from '../../../test/adapters/contract.ts'
import smtp from '../src/smtp.ts'
import { TEST_CERTIFICATE } from './certificate.ts'
import { receiptMessage } from './mail.ts'
import { smtpTransport, startSmtpPeer } from './peer.ts'

/** A mail server with TLS, from the first byte (smtps) or by STARTTLS; `logins`: who logged in, and how. */
async function startTlsServer(scheme: 'smtp' | 'smtps') {
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

function create(url: string, concurrency = 2) {
  const options = smtp.options.parse({ url, from: 'no-reply@shop.example' })
  const instance = smtp.create(options, { destination: 'mail', timeout: 5_000, concurrency })
  const send = (key: string) => instance.ports.email?.send(receiptMessage(), attempt({ key }))
  return { send, failure: (key: string) => send(key)?.catch((error: Error) => error), instance }
}

describe('connections to the mail server', () => {
  test('When the server goes down and comes back, then mails wait, and the next one goes through', async () => {
    await using mailbox = await startMailbox()
    const { send, failure, instance } = create(mailbox.smtpUrl)
    await using _ = instance
    await send('1')
    mailbox.down(true)
    expect(await failure('2')).toMatchObject({ name: 'RetryLaterError', scope: 'destination' })
    expect(await failure('2')).toMatchObject({ name: 'RetryLaterError', scope: 'destination', code: 'smtp-421' })
    mailbox.down(false)
    await send('2')
    expect(mailbox.mails()).toHaveLength(2)
  })

  test('When a password would leave this machine in the clear, then nothing is said', async () => {
    await using peer = await startSmtpPeer()
    const { port } = new URL(peer.address)
    // Not one of the names by which a machine calls itself, though it leads there.
    const { failure, instance } = create(`smtp://somebody:password@0.0.0.0:${port}`)
    await using _ = instance
    expect(await failure('1')).toMatchObject({ name: 'RetryLaterError', scope: 'destination' })
    expect(peer.calls).toEqual([])
  })

  for (const scheme of ['smtp', 'smtps'] as const)
    test(`When the certificate of an ${scheme} server is not trusted, then it is outage of the destination that says so`, async () => {
      await using server = await startTlsServer(scheme)
      const { failure, instance } = create(server.url)
      await using _ = instance
      expect(await failure('1')).toMatchObject({
        name: 'RetryLaterError',
        scope: 'destination',
        code: 'certificate-refused',
        message: expect.stringMatching(/certificate/i),
      })
      expect(server.logins).toEqual([])
    })

  for (const scheme of ['smtp', 'smtps'] as const)
    test(`When the certificate of an ${scheme} server is trusted, then login and mail are encrypted`, async () => {
      await using server = await startTlsServer(scheme)
      const trusted = getCACertificates('default')
      setDefaultCACertificates([...trusted, TEST_CERTIFICATE.cert])
      try {
        const { send, instance } = create(server.url)
        await using _ = instance
        await send('1')
      } finally {
        setDefaultCACertificates(trusted)
      }
      expect(server.logins).toEqual([{ user: 'pos', encrypted: true }])
    })

  test.each([
    ['greeting', '554 5.7.1', /answered 554 5\.7\.1 to the connection: it does not take mail from this machine: /],
    ['mail', '451 4.3.2', /answered 451 4\.3\.2 to MAIL FROM: it does not now take mail from this sender: /],
    ['greeting', 'kari@example.com +4791234567', /did not get the mail: Invalid greeting\. \(EPROTOCOL\)$/],
  ] as const)('When %s is answered %s, then its codes are kept, and none of its words', async (at, reply, message) => {
    await using peer = await startSmtpPeer()
    peer.play({ at, reply: `${reply} no mail for Kari Nordmann <kari@example.com>` })
    const { failure, instance } = create(peer.address)
    await using _ = instance
    const error = await failure('1')
    expect(error).toMatchObject({ name: 'RetryLaterError', message: expect.stringMatching(message) })
    expect(String(error)).not.toMatch(/kari|nordmann|91234567/i)
  })

  test('When the password is wrong, then the queue waits, and the message says what to change, not the words', async () => {
    await using peer = await startSmtpPeer()
    peer.play({ at: 'auth', reply: '535 5.7.8' })
    const { failure, instance } = create(peer.address.replace('//', '//somebody:password@'))
    await using _ = instance
    expect(await failure('1')).toMatchObject({
      name: 'RetryLaterError',
      scope: 'destination',
      code: 'login-refused',
      message: expect.stringMatching(/ answered 535 5\.7\.8 to AUTH PLAIN: it refuses the user or password/),
    })
  })
})

const USER = 'POS@shop.example'
const PASSWORD = 'p@ss word/ü'
const TO = 'kari.nordmann@example.com'

adapterContract({
  adapter: smtp,
  transport: smtpTransport,
  options: (address) => ({
    url: `smtp://${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}@${new URL(address).host}`,
    from: 'Nordlys <no-reply@shop.example>',
  }),
  badOptions: [
    { key: 'url', why: 'is missing', value: undefined },
    { key: 'url', why: 'is no URL', value: 'mail.example.com:587' },
    { key: 'url', why: 'is of another scheme', value: 'https://mail.example.com' },
    { key: 'url', why: 'has a user without a password', value: 'smtp://somebody@mail.example.com' },
    { key: 'url', why: 'has a bare %', value: 'smtp://me:100%@mail.example.com' },
    { key: 'url', why: 'has a query', value: 'smtp://mail.example.com/?pool=true' },
    { key: 'url', why: 'is link-local', value: 'smtp://169.254.169.254' },
    { key: 'from', why: 'is missing', value: undefined },
    { key: 'from', why: 'is no address', value: 'Nordlys no-reply' },
    { key: 'from', why: 'is two addresses', value: 'a@shop.example, b@shop.example' },
    { key: 'from', why: 'has a line break', value: 'Nordlys\r\nBcc: x <no-reply@shop.example>' },
    { key: 'replyTo', why: 'is no address', value: 'Customer service' },
    { key: 'subject', why: 'names what there is not', value: 'Receipt {{receiptNumber}}' },
    { key: 'subject', why: 'has two lines', value: 'Receipt\nBcc: a@b.example' },
    { key: 'language', why: 'is not spoken', value: 'fr' },
    { key: 'logo', why: 'is on another machine', value: 'https://shop.example/logo' },
    { key: 'template', why: 'is empty', value: '' },
  ],
  act: ({ email }, attempt) => email?.send(receiptMessage(), attempt) ?? Promise.reject(new Error('no port')),
  secrets: [
    USER,
    PASSWORD,
    encodeURIComponent(PASSWORD),
    Buffer.from(`\0${USER}\0${PASSWORD}`).toString('base64'),
    TO,
    'kari.nordmann',
    'Nordmann',
  ],
  keyOf: ({ headers }) => headers['message-id'],
})

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

for (const scheme of ['smtp', 'smtps'] as const)
  test(`When a server of ${scheme} takes our login, then that is said, and that it is encrypted`, async () => {
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
  })

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
