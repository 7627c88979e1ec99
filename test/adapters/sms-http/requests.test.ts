import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import smsHttp from '../../../src/adapters/sms-http/sms-http.ts'
import { load, MINIMUM } from '../../config/fixture.ts'
import { attempt } from '../contract.ts'
import { arrived, receiptMessage } from './send.ts'

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
