import { expect, test } from 'vitest'
import { startSmtpPeer } from '../adapters/smtp/peer.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { receipt, sale } from '../fixtures/payloads.ts'
import { hubWith, MINUTE, statusOf } from './kit/kit.ts'

/*
 * Postfix answers what it has against a client, its greeting or the sender to RCPT TO (postconf(5), smtpd_delay_reject: yes unless it was
 * changed): `554 5.7.1 … Relay access denied` once a machine is off `mynetworks`, `553 5.7.1 … not owned by user` (smtpd_check.c).
 */

test('When the mail server lets this machine send no more, and says so to each recipient, then no receipt dies, and all go out once it may', async () => {
  const clock = createTestClock()
  await using server = await startSmtpPeer()
  const mail = { adapter: 'smtp', url: server.address, from: 'Nordlys <no-reply@shop.example>' } as const
  await using hub = await hubWith({ mail }, clock)
  server.play({ at: 'rcpt', reply: '554 5.7.1 Relay access denied' })
  for (const receiptNo of ['1', '2', '3', '4', '5'])
    await hub.post('OmniChannelSendReceiptCreated', receipt({ sendReceipt: sale({ receiptNo }) }))

  const { trouble } = await eventually(async () => {
    const found = await statusOf(hub, 'mail')
    if (found.trouble === null) throw new Error(JSON.stringify(found))
    return found
  })
  expect(trouble).toMatchObject({
    code: 'smtp-554',
    means: 'it takes no mail from us, whoever it is for',
  })
  for (let probes = 1; probes <= 5; probes += 1) {
    const before = server.calls.length
    await eventually(() => {
      clock.advance(MINUTE)
      expect(server.calls.length).toBeGreaterThan(before)
    })
  }
  expect(await statusOf(hub, 'mail')).toMatchObject({ dead: 0, held: 0 })

  server.play('accept')
  await eventually(async () => {
    clock.advance(MINUTE)
    expect(await statusOf(hub, 'mail')).toMatchObject({ waiting: 0, dead: 0, trouble: null })
  })
  expect(new Set(server.calls.flatMap(({ headers }) => headers['message-id'] ?? [])).size).toBe(5)
})
