import { expect, test } from 'vitest'
import { startMailbox } from '../../sandbox/mailbox/mailbox.ts'
import { asking } from '../cli/run.ts'
import { eventually } from '../eventually.ts'
import { receipt, sale } from '../fixtures/payloads.ts'
import { busTo, deliveriesOf, startTestHub } from '../hub.ts'

const KARI = 'kari.nordmann@example.com'

test('When a customer did not get a receipt, then it is found, shown with whom it went to, and sent again, also elsewhere', async () => {
  await using mailbox = await startMailbox()
  const mail = { adapter: 'smtp', url: mailbox.smtpUrl, from: 'Shop <no-reply@example.com>' }
  await using hub = await startTestHub({ destinations: { mail, bus: busTo('http://127.0.0.1:1/') } })
  const run = asking(hub)
  await hub.post('OmniChannelSendReceiptCreated', receipt())
  await hub.post('SaleCreated', sale())
  const sent = await eventually(async () => {
    const mails = (await deliveriesOf(hub)).filter(
      ({ flow, state }) => flow === 'email-receipt' && state === 'delivered',
    )
    return mails[0] ?? false
  })
  const [published] = (await deliveriesOf(hub)).filter(({ destination }) => destination === 'bus')
  const id = String(sent.id)

  expect((await run('deliveries', 'show', id)).out).toMatch(/^To: k…@example\.com$/m)
  expect((await run('deliveries', 'show', id)).out).toMatch(/delivered +delivered +to k…@example\.com/)
  expect((await run('deliveries', 'show', id, '--reveal')).out).toMatch(`To: ${KARI}`)
  expect((await run('deliveries', 'list')).out).toMatch(
    / email-receipt +mail +delivered .* k…@example\.com +\d+ s ago$/m,
  )
  expect((await run('deliveries', 'list', '--flow', 'publish')).out).not.toMatch(/ to |@/)
  expect((await run('find', '3/1001')).out).toMatch(/ email-receipt +mail +delivered .* k…@example\.com /)
  expect((await run('find', '3/1001', '--reveal')).out).toMatch(` ${KARI} `)
  const inFull = await run('deliveries', 'list', '--flow', 'email-receipt', '--reveal', '--json')
  expect(JSON.parse(inFull.out).deliveries).toMatchObject([{ recipient: KARI }])
  expect((await run('audit', 'list', '--action', 'reveal')).out).toMatch(
    /\{"deliveries":\{"flow":"email-receipt","limit":50\}\}/,
  )
  const refused = await run('send-again', id)
  expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/reason: say why/)])
  expect((await run('send-again', id, '--to', '12345', '--reason', 'x')).err).toMatch(/to: expected an e-mail address/)
  expect((await run('send-again', String(published?.id), '--reason', 'x')).err).toMatch(/is no message/)
  expect((await run('send-again', id, '--dry-run')).out).toBe(
    `What delivery ${id} sent would go to k…@example.com. Nothing was sent.\n`,
  )
  expect(mailbox.mails()).toHaveLength(1)

  expect((await run('send-again', id, '--reason', 'it is in no mailbox')).out).toMatch(`email-receipt/~again-${id}`)
  await run('send-again', id, '--to', 'kari@work.example.com', '--reason', 'she has another address')
  await eventually(() => expect(mailbox.mails()).toHaveLength(3))

  expect(mailbox.mails().flatMap(({ to }) => to)).toEqual([KARI, KARI, 'kari@work.example.com'])
  expect(new Set(mailbox.mails().map(({ messageId }) => messageId)).size).toBe(3)
  expect((await run('deliveries', 'show', id)).out).toMatch(/send-again +she has another address/)
  expect((await run('audit', 'list', '--action', 'send-again')).out).toMatch(
    /\{"delivery":\d+,"to":"k…@work\.example\.com"\}/,
  )
  const again = (await deliveriesOf(hub)).find(({ part }) => part === `~again-${id}.1`)
  expect((await run('deliveries', 'show', String(again?.id))).out).toMatch(/^To: k…@work\.example\.com$/m)
  expect((await run('deliveries', 'list')).out).toMatch(/~again-\d+\.1 +mail .* k…@work\.example\.com /)
})
