import smsHttp from '../../../src/adapters/sms-http/sms-http.ts'
import { adapterContract } from '../contract.ts'
import { BAD_ADDRESSES, httpTransport } from '../http/peer.ts'
import { receiptMessage } from './send.ts'

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
