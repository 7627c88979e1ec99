import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startTexts, type Texts } from '../../../sandbox/texts/texts.ts'
import { PermanentError, RetryLaterError } from '../../../src/domain/values/errors.ts'
import { attempt } from '../contract.ts'
import { startHttpPeer } from '../http/peer.ts'
import { receiptMessage, send } from './send.ts'

const LINK = 'https://receipts.example.com/r/7f3c2a'
const BODY = { to: '{{to}}', text: '{{text}}' }

function optionsOf(texts: Texts): Record<string, unknown> {
  return {
    url: `${texts.url}/messages`,
    headers: { authorization: `Bearer ${texts.apiKey}` },
    body: { ...BODY, reference: '{{key}}' },
  }
}

/** The error of a failed promise, and all that may be shown of it. */
async function failure(promise: Promise<unknown>): Promise<{ error: unknown; shown: string }> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  return { error, shown: inspect(error, { depth: null, showHidden: true }) }
}

describe('with the sandbox’s gateway', () => {
  test('When a receipt is sent, then the customer has it on the telephone, under its key', async () => {
    await using texts = await startTexts()
    const effect = await send(optionsOf(texts), receiptMessage({ to: '+47 91 23 45 67' }))
    expect(effect).toEqual({ note: '201 Created, 1 part' })
    expect(texts.texts()).toMatchObject([
      { to: '+4791234567', text: `Receipt from Oslo City, 349.00 NOK: ${LINK}`, reference: 'SaleCreated:1:f:p' },
    ])
  })

  test('When the gateway refuses the number and names it, then it is a dead letter that does not', async () => {
    await using texts = await startTexts()
    texts.refuse('+4791234567')
    const { error, shown } = await failure(send(optionsOf(texts)))
    expect(error).toBeInstanceOf(PermanentError)
    expect(shown).toContain('422 Unprocessable Entity: refused-number')
    expect(shown).not.toContain('91234567')
  })

  test('When the gateway is down, then the destination has outage, and later it is sent', async () => {
    await using texts = await startTexts()
    texts.down(true)
    expect((await failure(send(optionsOf(texts)))).error).toMatchObject({ scope: 'destination', code: 'http-503' })
    texts.down(false)
    await send(optionsOf(texts))
    expect(texts.texts()).toHaveLength(1)
  })

  test('When the API key is wrong, then it is a dead letter that says so', async () => {
    await using texts = await startTexts()
    const { error } = await failure(send({ ...optionsOf(texts), headers: { authorization: 'Bearer other' } }))
    expect(error).toMatchObject({
      code: 'http-401',
      message: expect.stringMatching(/ answered 401 Unauthorized: unauthorized$/),
    })
  })

  test.each([
    ['there is no country code', { to: '91 23 45 67' }, {}, 'bad-phone-number'],
    ['the link is no web address', {}, { receiptUrl: 'javascript:alert(1)' }, 'no-receipt-link'],
    ['there is no link', {}, { receiptUrl: '' }, 'no-receipt-link'],
  ])('When %s, then it is a dead letter, and nothing is sent', async (_, given, sale, code) => {
    await using texts = await startTexts()
    const { error, shown } = await failure(send(optionsOf(texts), receiptMessage(given, sale)))
    expect([error, texts.texts()]).toEqual([expect.objectContaining({ name: 'PermanentError', code }), []])
    expect(shown).not.toMatch(/91 23 45 67|javascript/)
  })
})

describe('a gateway that answers 200 and refuses', () => {
  const NOT = { path: 'messages.0.status', not: '0', retry: ['1', 5] }
  const EQUALS = { path: 'error.code', equals: [7, 'blocked', true] }

  async function answered(failWhen: unknown, body: string) {
    await using peer = await startHttpPeer()
    peer.play({ status: 200, body })
    const { error, shown } = await failure(send({ url: peer.address, body: BODY, failWhen }))
    expect(peer.calls).toHaveLength(1)
    return { error, shown }
  }

  test.each([
    ['the value of success', NOT, '{"messages":[{"status":"0"}]}'],
    ['it as a number', NOT, '{"messages":[{"status":0}]}'],
    ['another value than failure has', EQUALS, '{"error":{"code":8}}'],
    ['no such value, where failure has one', EQUALS, '{"id":1}'],
    ['no JSON, where failure has a value', EQUALS, 'OK'],
  ])('When its answer has %s, then the message is delivered', async (_, failWhen, body) => {
    expect((await answered(failWhen, body)).error).toBeNull()
  })

  test.each([
    ['another value than success', NOT, '{"messages":[{"status":"4"}]}', 'messages.0.status is 4:'],
    ['no such value, where success has one', NOT, '{"messages":[]}', 'messages.0.status is not there:'],
    ['no JSON, where success has a value', NOT, '<html>', 'messages.0.status is not there: 6 bytes'],
    ['a value of failure', EQUALS, '{"error":{"code":"blocked"}}', 'error.code is blocked:'],
    ['a number of failure', EQUALS, '{"error":{"code":7}}', 'error.code is 7:'],
    ['a value of failure after a byte order mark', EQUALS, '\uFEFF{"error":{"code":7}}', 'error.code is 7:'],
    ['true, where that is failure', EQUALS, '{"error":{"code":true}}', 'error.code is true:'],
  ])('When its answer has %s, then it is a dead letter that says what was found', async (_, failWhen, body, words) => {
    const { error } = await answered(failWhen, body)
    expect(error).toBeInstanceOf(PermanentError)
    expect(error).toMatchObject({
      code: 'gateway-refused',
      message: expect.stringMatching(/^texts: POST http:\/\/127\.0\.0\.1:\d+\/ answered 200 OK, but /),
    })
    expect(String(error)).toContain(words)
  })

  test.each(['1', '5'])(
    'When its answer has %s, which may pass later, then the message is tried again',
    async (status) => {
      const { error } = await answered(NOT, JSON.stringify({ messages: [{ status }] }))
      expect(error).toBeInstanceOf(RetryLaterError)
      expect(error).toMatchObject({ scope: 'item', code: 'gateway-busy' })
    },
  )

  test('When it says the message back, then neither the customer nor a secret is in the error', async () => {
    await using peer = await startHttpPeer()
    const secrets = { password: 'pass"word of ours' }
    const body = { ...BODY, name: '{{name}}', password: '{{secrets.password}}' }
    peer.play({
      status: 200,
      body: '{"status":"+47 91 23 45 67","saw":["+4791234567","Kari Nordmann","pass\\"word of ours","r/7f3c2a"]}',
    })
    const message = receiptMessage({ name: 'Kari Nordmann', to: '+47 91 23 45 67' })
    const options = { url: `${peer.address}/?k=query-secret`, secrets, body, failWhen: { path: 'status', not: 'ok' } }
    const { error, shown } = await failure(send(options, message, attempt()))
    expect(error).toMatchObject({ message: expect.stringContaining('but status is something else: ') })
    expect(shown).not.toMatch(/91234567|91 23|Nordmann|word of ours|query-secret/)
  })
})
