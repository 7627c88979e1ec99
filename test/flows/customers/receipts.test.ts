import { describe, expect, test } from 'vitest'
import { startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import type { Event } from '../../../src/domain/queue/event.ts'
import { emailReceipt, textReceipt } from '../../../src/flows/messages.ts'
import { bytesOf, type Given, receipt } from '../../fixtures/payloads.ts'
import { allDelivered, keptIn, startTestHub, type TestHub } from '../../hub.ts'

const KNOWN = { reported: '0', order: null } as never
const kind = 'OmniChannelSendReceiptCreated'

function plans(payload: unknown): number[] {
  const event = { kind, origin: 'platform', identity: 'R', entity: 'sale:R', payload, receivedAt: 0 }
  return [emailReceipt, textReceipt].map(({ plan }) => plan(event).length)
}

function call(payload: object) {
  return emailReceipt.call({ kind, body: bytesOf(payload) } as Event, { part: '' }, KNOWN)
}

describe('a digital receipt', () => {
  test('When the customer chose a channel, then that one sends it, however it is spelt; of another word the recipient tells it', () => {
    for (const channel of ['Email', 'email', 'EMAIL', 'E-Mail']) expect(plans(receipt({ channel }))).toEqual([1, 0])
    for (const channel of ['SMS', 'Sms']) expect(plans(receipt({ channel }))).toEqual([0, 1])
    for (const channel of ['Pigeon', null, undefined]) expect(plans(receipt({ channel }))).toEqual([1, 0])
    for (const payload of [null, 'text', []]) expect(plans(payload)).toEqual([0, 0])
  })

  test('When it is sent, then the signature goes along as it came', () => {
    expect(call(receipt())).toMatchObject({
      argument: {
        type: 'receipt',
        to: 'kari.nordmann@example.com',
        name: 'Kari Nordmann',
        signature: { signature: 'c2lnbmF0dXJl', keyVersion: '1' },
      },
    })
    for (const signatureInfo of [undefined, null, {}, { keyVersion: '1' }])
      expect(call(receipt({ signatureInfo }))).toMatchObject({ argument: { signature: null } })
  })

  test('When it has no recipient, then it is held and names the field', () => {
    expect(() => call(receipt({ recipient: undefined }))).toThrow('recipient could not be read (recipient: not there)')
  })
})

describe('a receipt that staff send again', () => {
  test('When it comes to the same address under a new event id, then the customer gets it again; a resend of the platform is a copy', async () => {
    await using mailbox = await startMailbox()
    await using hub = await startTestHub({ destinations: { mail: mailTo(mailbox.smtpUrl) } })

    for (const eventId of ['E-1', 'E-1', 'E-2', 'E-1', 'E-2']) await send(hub, { eventId })

    await allDelivered(hub, 2)
    expect(mailbox.mails().map(({ to }) => to)).toEqual(Array(2).fill(['kari.nordmann@example.com']))
    expect(new Set(mailbox.mails().map(({ messageId }) => messageId)).size).toBe(2)
    expect(keptIn(hub).map(({ revision }) => revision)).toEqual([1, 2])
  })

  test('When two subscriptions bring each sending under ids of their own, then the customer gets one mail a sending', async () => {
    await using mailbox = await startMailbox()
    await using hub = await startTestHub({ destinations: { mail: mailTo(mailbox.smtpUrl) } })

    for (const [subscription, eventId] of [
      ['all', 'E-1'],
      ['101', 'E-2'],
      ['101', 'E-4'],
      ['all', 'E-3'],
      ['101', 'E-2'],
      ['101', 'E-4'],
    ] as const)
      await send(hub, { subscription, eventId })

    await allDelivered(hub, 2)
    expect(mailbox.mails()).toHaveLength(2)
  })

  test('When the platform names no event ids, then the same bytes are a copy, and other bytes are sent', async () => {
    await using mailbox = await startMailbox()
    await using hub = await startTestHub({ destinations: { mail: mailTo(mailbox.smtpUrl) } })

    await send(hub)
    expect((await send(hub)).body).toEqual({ status: 'duplicate', id: 1 })
    expect((await send(hub, {}, { recipientName: 'Kari N. Nordmann' })).body).toMatchObject({ status: 'accepted' })

    await allDelivered(hub, 2)
    expect(mailbox.mails()).toHaveLength(2)
  })
})

const mailTo = (url: string) => ({ adapter: 'smtp', url, from: 'Shop <no-reply@shop.example>' })

function send(hub: TestHub, options: Parameters<TestHub['post']>[2] = {}, given: Given = {}) {
  return hub.post(kind, receipt(given), options)
}
