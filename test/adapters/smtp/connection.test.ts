import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import smtp from '../../../src/adapters/smtp/smtp.ts'
import { attempt } from '../contract.ts'
import { TEST_CERTIFICATE } from './certificate.ts'
import { receiptMessage } from './mail.ts'
import { startSmtpPeer } from './peer.ts'
import { startTlsServer } from './tls-server.ts'

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

  test.each(['smtp', 'smtps'] as const)(
    'When the certificate of an %s server is not trusted, then it is outage of the destination that says so',
    async (scheme) => {
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
    },
  )

  test.each(['smtp', 'smtps'] as const)(
    'When the certificate of an %s server is trusted, then login and mail are encrypted',
    async (scheme) => {
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
    },
  )

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
