import { describe, expect, test } from 'vitest'
import type { Event } from '../../src/domain/event.ts'
import { emailReceipt, textReceipt } from '../../src/flows/receipts.ts'
import { bytesOf, receipt } from '../fixtures/payloads.ts'

const KNOWN = { told: '0', order: null } as never
const kind = 'OmniChannelSendReceiptCreated'

function plans(payload: unknown): number[] {
  const event = { kind, origin: 'platform', identity: 'R', entity: 'sale:R', payload, receivedAt: 0 }
  return [emailReceipt, textReceipt].map(({ plan }) => plan(event).length)
}

function call(payload: object) {
  return emailReceipt.call({ kind, body: bytesOf(payload) } as Event, { part: '' }, KNOWN)
}

describe('a digital receipt', () => {
  test('When the customer chose a channel, then that one sends it, however it is spelt; no other does', () => {
    for (const channel of ['Email', 'email', 'EMAIL']) expect(plans(receipt({ channel }))).toEqual([1, 0])
    for (const channel of ['SMS', 'Sms']) expect(plans(receipt({ channel }))).toEqual([0, 1])
    for (const channel of ['Pigeon', null, 3, undefined]) expect(plans(receipt({ channel }))).toEqual([0, 0])
    for (const payload of [null, 'text', []]) expect(plans(payload)).toEqual([0, 0])
  })

  test('When it is sent, then the printed lines and the signature go along as they came', () => {
    expect(call(receipt())).toMatchObject({
      argument: {
        type: 'receipt',
        to: 'kari.nordmann@example.com',
        name: 'Kari Nordmann',
        formatted: '<Receipt><Line type="Text">Thank you</Line></Receipt>',
        signature: { signature: 'c2lnbmF0dXJl', keyVersion: '1' },
      },
    })
    for (const signatureInfo of [undefined, null, {}, { keyVersion: '1' }])
      expect(call(receipt({ signatureInfo }))).toMatchObject({ argument: { signature: null } })
  })

  test('When it has no recipient, then it is a dead letter that names the field', () => {
    expect(() => call(receipt({ recipient: undefined }))).toThrow('the receipt lacks recipient')
  })
})
