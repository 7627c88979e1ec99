import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import smsHttp from '../../../src/adapters/sms-http/sms-http.ts'
import { load, MINIMUM } from '../../config/fixture.ts'
import { type HttpScript, startHttpPeer } from '../http/peer.ts'
import type { Call } from '../peer.ts'
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
