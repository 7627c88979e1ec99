import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startTexts, type Texts } from '../../../sandbox/texts/texts.ts'
import { PermanentError, RetryLaterError } from '../../../src/domain/values/errors.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { startHttpPeer } from '../../../test/adapters/http-peer.ts'
import { load, MINIMUM } from '../../../test/config/fixture.ts'
import smsHttp from '../src/sms-http.ts'
import { arrived, receiptMessage, send } from './send.ts'

const KEY = 'OmniChannelSendReceiptCreated:1/2/1001:text-receipt:'
const LINK = 'https://receipts.example.com/r/7f3c2a'
const TEXT = `Receipt from Oslo City, 349.00 NOK: ${LINK}`
const page = readFileSync('docs/adapters/sms-http.md', 'utf8')

/** The config that the page shows under a heading. */
function exampleOf(heading: string): string {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return /```yaml\n(.*?)```/s.exec(section)?.[1] ?? ''
}

/** Sends a receipt with the config of the page, read as the hub reads it, and gives what the gateway gets. */
async function sentBy(heading: string, env: Record<string, string>, answer = '{}') {
  const config = await load(MINIMUM + exampleOf(heading), { env, options: { 'sms-http': smsHttp.options } })
  const [destination] = config.destinations
  expect(destination?.adapter).toBe('sms-http')
  const { line, headers, body } = await arrived(destination?.options ?? {}, {
    of: attempt({ key: KEY }),
    answer: { status: 200, body: answer },
  })
  const { authorization, 'content-type': type } = headers
  return { line, authorization, type, body: body.toString() }
}

describe('the examples on the page', () => {
  test('Every example is tried here', () => {
    const headings = page.matchAll(/^#+ (?:(?!^#)[\s\S])*?```yaml/gm)
    expect([...headings].map(([section]) => /^#+ (.*)$/m.exec(section)?.[1])).toEqual([
      'sms-http: receipts and messages about orders as texts, through your SMS gateway',
      'Sinch',
      'LINK Mobility',
      'Puzzel',
    ])
  })

  test('The first one sends JSON with the text and the key', async () => {
    const sent = await sentBy('sms-http: receipts and messages about orders as texts, through your SMS gateway', {
      SMS_AUTHORIZATION: 'Bearer key',
    })
    expect(sent).toMatchObject({ line: 'POST /messages', authorization: 'Bearer key', type: 'application/json' })
    expect(JSON.parse(sent.body)).toEqual({ from: 'Nordlys', to: '+4791234567', text: TEXT, reference: KEY })
  })

  test('Sinch gets a batch of one, with the key as its reference', async () => {
    const sent = await sentBy('Sinch', { SINCH_SERVICE_PLAN_ID: 'plan1', SINCH_AUTHORIZATION: 'Bearer token' })
    expect(sent).toMatchObject({ line: 'POST /xms/v1/plan1/batches', authorization: 'Bearer token' })
    expect(JSON.parse(sent.body)).toEqual({ from: 'Nordlys', to: ['+4791234567'], body: TEXT, client_reference: KEY })
  })

  test('LINK Mobility gets source, destination and userData', async () => {
    const sent = await sentBy('LINK Mobility', {
      LINK_HOST: 'wsx.example.com',
      LINK_AUTHORIZATION: 'Basic bGluaw==',
      LINK_PLATFORM_ID: 'COOL',
      LINK_PARTNER_ID: '12345',
    })
    expect(sent).toMatchObject({ line: 'POST /sms/send', authorization: 'Basic bGluaw==', type: 'application/json' })
    expect(JSON.parse(sent.body)).toEqual({
      source: 'Nordlys',
      sourceTON: 'ALPHANUMERIC',
      destination: '+4791234567',
      userData: TEXT,
      platformId: 'COOL',
      platformPartnerId: '12345',
      useDeliveryReport: false,
    })
  })

  test.each([
    [1, 'Message enqueued for sending'],
    [25, 'Duplicate message error'],
  ])('Puzzel gets its message with the password, and its status %i is success', async (statusCode, statusMessage) => {
    const answer = JSON.stringify({ messageStatus: [{ statusCode, statusMessage, recipient: '+4791234567' }] })
    const sent = await sentBy('Puzzel', { PUZZEL_HOST: 'smsgw.example.com', PUZZEL_PASSWORD: 'pass"word' }, answer)
    expect(sent).toMatchObject({ line: 'POST /gw/rs/sendMessages', type: 'application/json' })
    expect(JSON.parse(sent.body)).toEqual({
      serviceId: 1000,
      username: 'nordlys',
      password: 'pass"word',
      message: [
        {
          recipient: '+4791234567',
          content: TEXT,
          clientReference: KEY,
          settings: {
            autoDetectEncoding: true,
            originatorSettings: { originatorType: 'ALPHANUMERIC', originator: 'Nordlys' },
          },
        },
      ],
    })
  })

  test('The placeholders on the page are those of the adapter', () => {
    const reported = [...page.matchAll(/^\| `\{\{([\w.]+)\}\}` \|/gm)].map(([, name]) => name)
    const wrong =
      smsHttp.options.safeParse({ url: 'https://a.example', body: { to: '{{nonsense}}' } }).error?.issues ?? []
    const listed = /There are: (.*)\./.exec(wrong.map(({ message }) => message).join('\n'))?.[1]?.split(', ')
    expect(reported.filter((name) => name !== 'secrets.name').sort()).toEqual(listed?.sort())
  })
})

describe('options that do not fit together', () => {
  const url = 'https://gateway.example.com/sms'

  test.each<[string, Record<string, unknown>, string, string]>([
    ['nothing says whom to send to', { body: { text: '{{text}}' } }, 'body', 'whom'],
    ['nothing says what to send', { body: { to: '{{to}}' } }, 'body', 'what'],
    ['there is no body, and the query says nothing', {}, 'url', 'whom'],
    ['a GET has a body', { method: 'GET', body: { to: '{{to}}', text: '{{text}}' } }, 'body', 'GET'],
    ['a form has a list', { type: 'form', body: { to: ['{{to}}'], text: '{{text}}' } }, 'body', 'form'],
    ['the text of a body is no JSON', { body: '{"to": "{{to}}" "text": "{{text}}"}' }, 'body', 'JSON'],
    ['the body misspells a placeholder', { body: { to: '{{to}}', text: '{{txt}}' } }, 'body', 'did you mean {{text}}?'],
  ])('When %s, then that is said of the right option', (_, options, key, words) => {
    const issues = smsHttp.options.safeParse({ url, ...options }).error?.issues ?? []
    const said = issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    expect(said).toContainEqual(expect.stringMatching(new RegExp(`^${key}: .*${words.replace(/[?{}]/g, '\\$&')}`)))
  })
})

describe('a value stands safely', () => {
  const store = (storeName: string) =>
    receiptMessage({ name: 'Ola "O\\" & Kari=+%\n' }, { store: { storeName, currency: 'NOK' } })
  const WORDS = { text: '{{store}} {{name}} {{link}}' }

  test('When it stands in JSON, then quotes and backslashes stay within their text', async () => {
    const body = '{"to":"{{to}}","msisdn":{{toDigits}},"text":"{{text}}","name":"{{name}}"}'
    const call = await arrived({ ...WORDS, body }, { message: store('Nils & "Sønn"') })
    expect(JSON.parse(call.body.toString())).toEqual({
      to: '+4791234567',
      msisdn: 4791234567,
      text: `Nils & "Sønn" Ola "O\\" & Kari=+% ${LINK}`,
      name: 'Ola "O\\" & Kari=+%\n',
    })
  })

  test('When it stands in a form, then it makes no field of its own; plain words are encoded too', async () => {
    const body = { 'message[0].to': '{{to}}', text: '{{text}}', from: 'Nils & Sønn' }
    const call = await arrived({ ...WORDS, type: 'form', body }, { message: store('A&to=1') })
    expect([...new URLSearchParams(call.body.toString())]).toEqual([
      ['message[0].to', '+4791234567'],
      ['text', `A&to=1 Ola "O\\" & Kari=+% ${LINK}`],
      ['from', 'Nils & Sønn'],
    ])
  })

  test('When it stands in the query of a GET, then it makes no parameter of its own, and there is no body', async () => {
    const url = 'https://gateway.example.com/send.php?key=a%20b&to={{ toDigits }}&text={{text}}&from=Nils+Sønn'
    const call = await arrived({ ...WORDS, method: 'GET', url }, { message: store('A&to=1#x') })
    expect(call.line).toMatch(/^GET \/send\.php\?key=a%20b&to=4791234567&text=/)
    expect([...new URLSearchParams(call.line.replace(/^.*\?/, ''))]).toEqual([
      ['key', 'a b'],
      ['to', '4791234567'],
      ['text', `A&to=1#x Ola "O\\" & Kari=+% ${LINK}`],
      ['from', 'Nils Sønn'],
    ])
    expect([call.body.length, call.headers['content-type']]).toEqual([0, undefined])
  })

  test('When a value looks like a placeholder, then it is not filled in', async () => {
    const call = await arrived({ ...WORDS, body: { to: '{{to}}', text: '{{text}}' } }, { message: store('{{to}}') })
    expect(JSON.parse(call.body.toString()).text).toMatch(/^\{\{to\}\} Ola/)
  })

  test('When half a character stands at the end of a name, then the message is sent all the same', async () => {
    for (const type of ['json', 'form']) {
      const call = await arrived({ type, body: { to: '{{to}}', text: '{{text}}' } }, { message: store('Nord\ud83e') })
      expect(call.body.length).toBeGreaterThan(20)
    }
  })
})

test('When nothing else is given, then the request says who sends it and what it wants back', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const call = await arrived({
    method: 'PUT',
    body: { to: '{{to}}', text: '{{text}}' },
    headers: { Accept: 'text/xml' },
  })
  expect([call.line, call.headers]).toEqual([
    'PUT /sms',
    expect.objectContaining({ accept: 'text/xml', 'user-agent': `Tillbridge/${version.split('.')[0]}` }),
  ])
})

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

  for (const status of ['1', '5'] as const)
    test(`When its answer has ${status}, which may pass later, then the message is tried again`, async () => {
      const { error } = await answered(NOT, JSON.stringify({ messages: [{ status }] }))
      expect(error).toBeInstanceOf(RetryLaterError)
      expect(error).toMatchObject({ scope: 'item', code: 'gateway-busy' })
    })

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
