import fc from 'fast-check'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { segmentsOf } from '../../sandbox/texts/segments.ts'
import { startTexts, type Texts } from '../../sandbox/texts/texts.ts'
import { countParts } from '../../src/adapters/sms-http/compose.ts'

const TEXT = { to: '+4791234567', text: 'Receipt: https://receipts.example.com/r/1', reference: 'sale-1' }

async function post(texts: Texts, body: unknown, authorization = `Bearer ${texts.apiKey}`, method = 'POST') {
  const answer = await request(`${texts.url}/messages`, {
    method: method as 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> }
}

async function pageOf(texts: Texts): Promise<string> {
  return await (await request(texts.url)).body.text()
}

test('When a text is posted with the key, then it is taken, and read on the page', async () => {
  await using texts = await startTexts({ apiKey: 'a-key' })
  expect(await post(texts, TEXT)).toEqual({ status: 201, body: { id: 'text-1', status: 'queued' } })
  expect(texts.texts()).toEqual([{ id: 'text-1', ...TEXT, receivedAt: expect.any(Date) }])
  const page = await pageOf(texts)
  expect(page).toContain('+4791234567')
  expect(page).toContain('<a href="https://receipts.example.com/r/1" rel="noreferrer">')
})

test('When the same text comes twice, then the telephone has it twice, as with real gateways', async () => {
  await using texts = await startTexts()
  for (const _ of [1, 2]) await post(texts, TEXT)
  expect(texts.texts().map(({ id, reference }) => [id, reference])).toEqual([
    ['text-1', 'sale-1'],
    ['text-2', 'sale-1'],
  ])
})

test.each([
  ['the key is wrong', TEXT, 'Bearer another', 401, 'unauthorized'],
  ['there is no key', TEXT, '', 401, 'unauthorized'],
  ['the number is not E.164', { ...TEXT, to: '47 91234567' }, undefined, 400, 'invalid-number'],
  ['there is no number', { text: 'x' }, undefined, 400, 'invalid-number'],
  ['the text is empty', { ...TEXT, text: ' ' }, undefined, 400, 'invalid-text'],
  ['the text is too long', { ...TEXT, text: 'x'.repeat(1_601) }, undefined, 400, 'invalid-text'],
  ['the body is no JSON', '{ "to": ', undefined, 400, 'invalid-body'],
  ['the body is JSON, but no object', 'null', undefined, 400, 'invalid-body'],
  ['the body is huge', { ...TEXT, text: 'x'.repeat(70_000) }, undefined, 413, 'invalid-body'],
])('When %s, then nothing is taken', async (_, body, authorization, status, code) => {
  await using texts = await startTexts()
  expect(await post(texts, body, authorization)).toMatchObject({ status, body: { error: { code } } })
  expect(texts.texts()).toEqual([])
})

test('When it is asked otherwise than with POST, then it says so', async () => {
  await using texts = await startTexts()
  expect(await post(texts, TEXT, undefined, 'PUT')).toMatchObject({ status: 405 })
})

test('When a number is refused, then only texts to that number are, until it is accepted again', async () => {
  await using texts = await startTexts()
  texts.refuse('+4791234567')
  expect(await post(texts, TEXT)).toMatchObject({ status: 422, body: { error: { code: 'refused-number' } } })
  expect(await post(texts, { ...TEXT, to: '+4791234568' })).toMatchObject({ status: 201 })
  texts.accept('+4791234567')
  expect(await post(texts, TEXT)).toMatchObject({ status: 201 })
})

test('When the gateway is down, then it answers 503 and its page goes on; then it works again', async () => {
  await using texts = await startTexts()
  texts.down(true)
  expect(await post(texts, TEXT)).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } })
  expect(await pageOf(texts)).toContain('No text message has arrived yet.')
  texts.down(false)
  expect(await post(texts, TEXT)).toMatchObject({ status: 201 })
})

test('When a text is long, then the page shows in which parts it travels', async () => {
  await using texts = await startTexts()
  await post(texts, { ...TEXT, text: 'x'.repeat(160) })
  expect(await pageOf(texts)).toContain('1 part, GSM 7-bit, 160 characters')
  await post(texts, { ...TEXT, text: `${'a'.repeat(67)}${'b'.repeat(5)}ł` })
  const page = await pageOf(texts)
  expect(page).toContain('2 parts, UCS-2, 73 characters')
  expect(page).toContain('<li>bbbbbł</li>')
})

test('Whatever the text: its parts are the text, and as many as the adapter says', () => {
  const sign = fc.constantFrom(...'aZ0 @£Çç€[]{}^~|\\\n\r\fæøåÅłé`´🫐ΔΩß')
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 400 }), fc.boolean(), (signs, isPlain) => {
      const text = signs.filter((one) => !isPlain || !/[çł`´🫐]/u.test(one)).join('')
      const { parts } = segmentsOf(text)
      return parts.join('') === text && Math.max(parts.length, 1) === countParts(text)
    }),
  )
})

test('When a text holds HTML, then the page shows it as text', async () => {
  await using texts = await startTexts()
  await post(texts, { ...TEXT, text: '<img src=x> https://x.example/"onclick="a javascript:alert(1)' })
  const page = await pageOf(texts)
  expect(page).toContain('&lt;img src=x&gt;')
  expect(page.match(/href="[^"]*"/g)?.slice(-1)).toEqual(['href="https://x.example/"'])
})

test('When the gateway is disposed of, then its port is free again', async () => {
  const first = await startTexts()
  const port = Number(new URL(first.url).port)
  await first[Symbol.asyncDispose]()
  await using second = await startTexts({ port })
  expect(second.url).toBe(first.url)
})
