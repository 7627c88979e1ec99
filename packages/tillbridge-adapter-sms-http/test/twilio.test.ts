import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { look } from '../../../test/adapters/checked.ts'
import { adapterContract } from '../../../test/adapters/contract.ts'
import { BAD_ADDRESSES, type HttpScript, httpTransport, startHttpPeer } from '../../../test/adapters/http-peer.ts'
import type { Call } from '../../../test/adapters/peer.ts'
import { load, MINIMUM } from '../../../test/config/fixture.ts'
import smsHttp from '../src/sms-http.ts'
import { arrived, receiptMessage } from './send.ts'

/*
 * What Twilio's Messages resource asks for and answers, as its public reference has it (read on 2026-11-21):
 * https://www.twilio.com/docs/messaging/api/message-resource and https://www.twilio.com/docs/usage/twilios-response
 */

const SID = `AC${'0'.repeat(32)}`
const SERVICE = `MG${'1'.repeat(32)}`
const ENV = {
  TWILIO_ACCOUNT_SID: SID,
  TWILIO_AUTHORIZATION: `Basic ${btoa('SK123:secret')}`,
  TWILIO_MESSAGING_SERVICE_SID: SERVICE,
}
const KNOWN = new Set(['To', 'From', 'MessagingServiceSid', 'Body', 'MediaUrl', 'StatusCallback', 'ValidityPeriod'])

/** What Twilio would say is wrong with a request; null: nothing. */
function twilioRefuses({ line, headers, body }: Call): string | null {
  const form = new URLSearchParams(body.toString())
  const unknown = [...form.keys()].find((name) => !KNOWN.has(name))
  if (line !== `POST /2010-04-01/Accounts/${SID}/Messages.json`) return `404 20404 ${line}`
  if (headers.authorization !== ENV.TWILIO_AUTHORIZATION) return '401 20003'
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') return `no form: ${headers['content-type']}`
  if (unknown !== undefined) return `unknown parameter ${unknown}`
  if (!/^\+[1-9]\d{6,14}$/.test(form.get('To') ?? '')) return '400 21211'
  if (!/^MG[0-9a-f]{32}$/.test(form.get('MessagingServiceSid') ?? '')) return '400 21603'
  const text = form.get('Body') ?? ''
  if (text === '') return '400 21602'
  return text.length > 1_600 ? '400 21617' : null
}

async function optionsOfPage(): Promise<Record<string, unknown> & { url?: string }> {
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(readFileSync('docs/adapters/twilio.md', 'utf8')) ?? []
  const config = await load(MINIMUM + yaml, { env: ENV, options: { 'sms-http': smsHttp.options } })
  return config.destinations[0]?.options ?? {}
}

const queued: HttpScript = {
  status: 201,
  body: JSON.stringify({ sid: `SM${'2'.repeat(32)}`, account_sid: SID, status: 'queued', error_code: null }),
}

test('When a receipt goes out by the config of the page, then Twilio takes it', async () => {
  const call = await arrived(await optionsOfPage(), { answer: queued })
  expect(twilioRefuses(call)).toBeNull()
  expect(new URLSearchParams(call.body.toString()).get('Body')).toContain('https://receipts.example.com/r/7f3c2a')
})

test('When Twilio says that it is no phone number, then it is a dead letter with its code, and without the number', async () => {
  const more_info = 'https://www.twilio.com/docs/errors/21211'
  const refusal = {
    code: 21211,
    message: "The 'To' number +4791234567 is not a valid phone number.",
    more_info,
    status: 400,
  }
  await using peer = await startHttpPeer()
  peer.play({ status: 400, body: JSON.stringify(refusal) })
  const { url, ...options } = await optionsOfPage()
  const parsed = smsHttp.options.parse({ ...options, url: url?.replace('https://api.twilio.com', peer.address) })
  await using instance = smsHttp.create(parsed, { destination: 'texts', timeout: 5_000, concurrency: 1 })
  const failed = instance.ports.texts?.send(receiptMessage(), {
    key: 'K',
    previous: 'none',
    firstTriedAt: null,
    signal: AbortSignal.timeout(5_000),
    links: async () => [],
  })
  const error = await failed?.catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ name: 'PermanentError', message: expect.stringContaining('21211') })
  expect(String(error)).not.toContain('91234567')
})

function adapterAt(address: string) {
  const url = `${address}/send?key=query-secret&to={{to}}&text={{text}}`
  const options = smsHttp.options.parse({ url, method: 'GET', headers: { authorization: 'Bearer bearer-secret' } })
  return smsHttp.create(options, { destination: 'texts', timeout: 5_000, concurrency: 2 })
}

test('When a gateway is there, then it is asked nothing that could send a text, and no more is said than that', async () => {
  await using peer = await startHttpPeer()
  await using instance = adapterAt(peer.address)
  peer.play({ status: 404 })
  const { states, about } = await look(instance)
  expect(states).toEqual(['connection: ok', 'credentials: note'])
  expect(about('credentials')).toMatch(/whether it knows us shows with the first one/)
  expect(peer.calls.map(({ line }) => line)).toEqual(['HEAD /'])
  expect(JSON.stringify(peer.calls[0]?.headers)).not.toContain('secret')
})

test('When nobody listens, or only what stands before it, then the connection is the problem', async () => {
  await using peer = await startHttpPeer()
  await using there = adapterAt(peer.address)
  await using nowhere = adapterAt('http://127.0.0.1:1')
  peer.play({ status: 503 })
  for (const instance of [there, nowhere])
    expect((await look(instance, { secrets: ['query-secret', 'bearer-secret'] })).states).toEqual([
      'connection: problem',
    ])
})

const message = receiptMessage({ name: 'Kari Nordmann' })
const post = (body: unknown) => ({ key: 'body', value: body })

adapterContract({
  adapter: smsHttp,
  transport: httpTransport,
  options: (address) => ({
    url: `${address}/sms?reference={{key}}&to={{to}}&text={{link}}&name={{name}}&k=query-secret&password={{secrets.password}}`,
    headers: { Authorization: `Basic ${btoa('me:basic-secret')}` },
    secrets: { password: 'pass word/ü"' },
    body: { password: '{{secrets.password}}' },
    failWhen: { path: 'error', equals: true },
  }),
  badOptions: [
    ...BAD_ADDRESSES,
    { key: 'url', why: 'has a placeholder before its query', value: 'https://gateway.example.com/{{to}}' },
    { key: 'url', why: 'names what there is not', value: 'https://gateway.example.com/?to={{recipient}}' },
    { key: 'method', why: 'is another', value: 'PATCH' },
    { key: 'headers.Host', why: 'is given', value: { Host: 'x' } },
    { key: 'headers.X-A', why: 'is given twice', value: { 'x-a': '1', 'X-A': '2' } },
    { key: 'headers.x-a', why: 'has a line break', value: { 'x-a': 'secret\r\nx-b: 1' } },
    { key: 'secrets.password', why: 'is too short to be hidden', value: { password: 'abc' } },
    { key: 'secrets.pass-word', why: 'is no name', value: { 'pass-word': 'long enough' } },
    { key: 'type', why: 'is another', value: 'xml' },
    { ...post({ to: '{{to}}', text: '{{tekst}}' }), why: 'names what there is not' },
    { ...post({ to: '{{to}}', text: '{{text}}', password: '{{secrets.other}}' }), why: 'names no such secret' },
    { ...post('{ "to": {{to}}, "text": "{{text}}" }'), why: 'is no JSON with a number in it' },
    { key: 'text', why: 'names what there is not', value: 'Receipt {{receiptNo}}' },
    { key: 'text', why: 'is empty', value: ' ' },
    { key: 'text', why: 'would hold itself', value: '{{text}}' },
    { key: 'shortText', why: 'has no link', value: 'Receipt' },
    { key: 'failWhen', why: 'has neither equals nor not', value: { path: 'status' } },
    { key: 'failWhen', why: 'has both', value: { path: 'status', equals: 1, not: 0 } },
  ],
  act: ({ texts }, attempt) => texts?.send(message, attempt) ?? Promise.reject(new Error('no port')),
  secrets: [
    'query-secret',
    'basic-secret',
    btoa('me:basic-secret'),
    'pass word',
    'pass%20word',
    '91234567',
    '91 23 45 67',
    'Nordmann',
    '7f3c2a',
  ],
  keyOf: ({ line }) => new URLSearchParams(line.replace(/^.*\?/, '')).get('reference') ?? undefined,
})
