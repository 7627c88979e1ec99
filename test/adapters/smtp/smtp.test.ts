import smtp from '../../../src/adapters/smtp/smtp.ts'
import { adapterContract } from '../contract.ts'
import { receiptMessage } from './mail.ts'
import { smtpTransport } from './peer.ts'

const USER = 'POS@shop.example'
const PASSWORD = 'p@ss word/ü'
const TO = 'kari.nordmann@example.com'

adapterContract({
  adapter: smtp,
  transport: smtpTransport,
  options: (address) => ({
    url: `smtp://${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}@${new URL(address).host}`,
    from: 'Nordlys <no-reply@shop.example>',
  }),
  badOptions: [
    { key: 'url', why: 'is missing', value: undefined },
    { key: 'url', why: 'is no URL', value: 'mail.example.com:587' },
    { key: 'url', why: 'is of another scheme', value: 'https://mail.example.com' },
    { key: 'url', why: 'has a user without a password', value: 'smtp://somebody@mail.example.com' },
    { key: 'url', why: 'has a bare %', value: 'smtp://me:100%@mail.example.com' },
    { key: 'url', why: 'has a query', value: 'smtp://mail.example.com/?pool=true' },
    { key: 'url', why: 'is link-local', value: 'smtp://169.254.169.254' },
    { key: 'from', why: 'is missing', value: undefined },
    { key: 'from', why: 'is no address', value: 'Nordlys no-reply' },
    { key: 'from', why: 'is two addresses', value: 'a@shop.example, b@shop.example' },
    { key: 'from', why: 'has a line break', value: 'Nordlys\r\nBcc: x <no-reply@shop.example>' },
    { key: 'replyTo', why: 'is no address', value: 'Customer service' },
    { key: 'subject', why: 'names what there is not', value: 'Receipt {{receiptNumber}}' },
    { key: 'subject', why: 'has two lines', value: 'Receipt\nBcc: a@b.example' },
    { key: 'language', why: 'is not spoken', value: 'fr' },
    { key: 'logo', why: 'is on another machine', value: 'https://shop.example/logo' },
    { key: 'template', why: 'is empty', value: '' },
  ],
  act: ({ email }, attempt) => email?.send(receiptMessage(), attempt) ?? Promise.reject(new Error('no port')),
  secrets: [
    USER,
    PASSWORD,
    encodeURIComponent(PASSWORD),
    Buffer.from(`\0${USER}\0${PASSWORD}`).toString('base64'),
    TO,
    'kari.nordmann',
    'Nordmann',
  ],
  keyOf: ({ headers }) => headers['message-id'],
})
