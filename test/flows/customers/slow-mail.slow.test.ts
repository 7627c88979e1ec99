import { expect, test } from 'vitest'
import { startSmtpPeer } from '../../../packages/tillbridge-adapter-smtp/test/peer.ts'
import { receipt } from '../../fixtures/payloads.ts'
import { allDelivered, startTestHub } from '../../hub.ts'

test('When the mail server looks through a mail for longer than other systems may take, then the customer gets it once', async () => {
  await using server = await startSmtpPeer()
  // Exchange takes up to 30 s where config does not say otherwise (MaxAcknowledgementDelay).
  server.play({ at: 'message', after: 30_000 })
  const mail = { adapter: 'smtp', url: server.address, from: 'Nordlys <no-reply@shop.example>' } as const
  await using hub = await startTestHub({ destinations: { mail } })

  await hub.post('OmniChannelSendReceiptCreated', receipt())

  await server.until(() => server.calls.length > 0)
  await allDelivered(hub, 1)
  expect(server.calls).toHaveLength(1)
})
