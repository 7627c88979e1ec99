import { describe, expect, test } from 'vitest'
import { startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import { PermanentError } from '../../../src/domain/values/errors.ts'
import { eventually } from '../../../test/eventually.ts'
import { type Given, receipt, store } from '../../../test/fixtures/payloads.ts'
import { deliveriesOf, startTestHub } from '../../../test/hub.ts'
import { countOwnTime } from '../../../test/own-time.ts'
import { readMailAddress, readRecipients } from '../src/options.ts'
import { line, mailOf, receiptMessage, sendTo } from './mail.ts'
import { startSmtpPeer } from './peer.ts'

describe('a receipt by e-mail', () => {
  test('When the POS sends a receipt, then the hub mails it, and resending the event mails nothing more', async () => {
    await using mailbox = await startMailbox()
    const mail = { adapter: 'smtp', url: mailbox.smtpUrl, from: 'Nordlys <no-reply@shop.example>' }
    await using hub = await startTestHub({ destinations: { mail } })
    await hub.post('OmniChannelSendReceiptCreated', receipt())
    await eventually(() => expect(mailbox.mails()).toHaveLength(1))
    expect((await hub.post('OmniChannelSendReceiptCreated', receipt())).body.status).toBe('duplicate')
    await eventually(async () => expect((await deliveriesOf(hub)).map(({ state }) => state)).toEqual(['delivered']))
    expect(mailbox.mails()).toMatchObject([{ to: ['kari.nordmann@example.com'], subject: 'Oslo City: receipt 1001' }])
  })

  test('When it arrives, then it says who sends what, and that nobody should answer by machine', async () => {
    const mail = await mailOf(receiptMessage(), { replyTo: 'help@shop.example' })
    expect(mail).toMatchObject({ from: 'no-reply@shop.example', subject: 'Oslo City: receipt 1001' })
    expect(mail.headers).toMatchObject({
      to: 'Kari Nordmann <kari.nordmann@example.com>',
      'reply-to': 'help@shop.example',
      'auto-submitted': 'auto-generated',
      'content-language': 'en-GB',
    })
  })

  test('When the same attempt is made again, then the copy has the same Message-ID, and another receipt another', async () => {
    await using mailbox = await startMailbox()
    for (const key of ['A', 'A', 'kari@example.com']) await sendTo(mailbox, receiptMessage(), {}, key)
    const [first, again, other] = mailbox.mails().map(({ messageId }) => messageId)
    expect(first).toMatch(/^<[0-9a-f]{40}@shop\.example>$/)
    expect([again === first, other === first]).toEqual([true, false])
    expect(other).not.toContain('kari')
  })

  test('When it is delivered, then the note has the answer and the Message-ID, and no address', async () => {
    await using mailbox = await startMailbox()
    const effect = await sendTo(mailbox, receiptMessage())
    expect(effect?.note).toBe(`250, Message-ID ${mailbox.mails()[0]?.messageId}`)
  })

  test('When the language is Norwegian, then words and numbers are', async () => {
    const { text, subject, html } = await mailOf(receiptMessage(), { language: 'nb' })
    expect(subject).toBe('Oslo City: kvittering 1001')
    expect(text).toMatch(/Totalt +349,00 kr\n *herav mva\. +69,80 kr\n *Du sparte +50,00 kr/)
    expect(text).toContain('Mva. 25 % (Grunnlag 279,20)')
    expect(html).toContain('<html lang="nb-NO">')
  })

  test('Everything of the sale is in the plain text', async () => {
    const { text } = await mailOf(receiptMessage())
    expect(text.replaceAll('\r\n', '\n').trimEnd()).toBe(
      `
Oslo City
Stenersgata 1, 0050 Oslo
Org. no.: 912345678

Receipt
Receipt no.: 1001
Date: 20.11.2026 14:03
POS 1
Served by: Ola

T-shirt, Nordlys, Black, Medium
  1 × 349,00 (before 399,00)                      349,00

Total                                          349,00 kr
of which VAT                                    69,80 kr
You saved                                       50,00 kr

Payment
Card · Visa                                       349,00

VAT 25 % (Net 279,20)                              69,80

Open the receipt online: https://receipts.example.com/r/7f3c2a

Thank you for shopping with us.`.trimStart(),
    )
  })

  for (const receiptUrl of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'not a url'] as const)
    test(`When the receipt URL is ${receiptUrl}, then there is no link`, async () => {
      const { text, html } = await mailOf(receiptMessage({ receiptUrl }))
      expect([html.includes('href'), text.includes(receiptUrl)]).toEqual([false, false])
    })

  test('When texts of the sale look like HTML or headers, then they stay texts', async () => {
    const evil = '<img src=x onerror=alert(1)>"\'&\r\nBcc: eve@example.com'
    const sale = { receiptNo: `1${evil}`, store: store({ storeName: evil }), orderLines: [line({ name: evil })] }
    const mail = await mailOf(receiptMessage(sale, { name: evil }))
    expect(mail.html).not.toMatch(/<img/)
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect([mail.headers.bcc, mail.to]).toEqual([undefined, ['kari.nordmann@example.com']])
    expect(mail.subject).toContain('Bcc: eve')
  })

  test.each([
    'kari',
    'a@b@c',
    'kari@example.com, eve',
    'Kari <kari@example.com',
    'kari@exa mple.com',
    Array.from({ length: 6 }, (_, index) => `kari${index}@example.com`).join(),
    'kari@example.com>\r\nRCPT TO:<eve@x.example',
    '@x',
  ])('When the recipient is %j, then it is a dead letter that does not show it', async (to) => {
    await using mailbox = await startMailbox()
    const failed = await sendTo(mailbox, receiptMessage({}, { to })).catch((error: Error) => error)
    expect(failed).toBeInstanceOf(PermanentError)
    expect(failed).toMatchObject({ message: expect.not.stringContaining(to), code: 'bad-recipient' })
    expect(mailbox.mails()).toEqual([])
  })

  test.each<[string, string[], string]>([
    ['Kari N. <kari@example.com>', ['kari@example.com'], '"Kari N." <kari@example.com>'],
    ['<kari@example.com>', ['kari@example.com'], 'Kari Nordmann <kari@example.com>'],
    [
      'kari@example.com; Ola <ola@example.com>',
      ['kari@example.com', 'ola@example.com'],
      'kari@example.com, Ola <ola@example.com>',
    ],
    ['kari@example.com, KARI@example.com,', ['KARI@example.com'], 'KARI@example.com'],
  ])('When the POS has %j, then it goes to %j', async (written, to, header) => {
    expect(await mailOf(receiptMessage({}, { to: written }))).toMatchObject({ to, headers: { to: header } })
  })

  test('When one of two recipients is refused, then the other gets it once, and the note says so', async () => {
    await using mailbox = await startMailbox()
    mailbox.refuse('ola@example.com', 'for-good')
    const effect = await sendTo(mailbox, receiptMessage({}, { to: 'kari@example.com, ola@example.com' }))
    expect(effect?.note).toMatch(/, 1 of 2 recipients refused$/)
    expect(mailbox.mails().map(({ to }) => to)).toEqual([['kari@example.com']])
  })

  test('When the mailbox does not exist, then the dead letter says so in plain words, without the address', async () => {
    await using mailbox = await startMailbox()
    mailbox.refuse('kari.nordmann@example.com', 'for-good')
    const failed = await sendTo(mailbox, receiptMessage()).catch((error: Error) => error)
    expect(failed).toBeInstanceOf(PermanentError)
    expect(failed).toMatchObject({
      code: 'smtp-550',
      message: expect.stringMatching(/refuses this recipient for good: there is no such mailbox/),
    })
    expect(failed).toMatchObject({ message: expect.not.stringContaining('kari') })
  })

  test.each<[string, string]>([
    ['551', 'no such mailbox'],
    ['553 5.1.3', 'no such mailbox'],
    ['550 5.1.2', 'the domain of this address takes no mail'],
    ['550 5.2.1', 'this mailbox is closed'],
    ['552', 'this mailbox is full'],
    ['554 5.7.1', 'may not, or will not, pass mail on'],
    ['550', 'no such mailbox, or it takes no mail from here'],
    ['554', 'refuses this recipient for good.'],
  ])('When the server answers %s to the recipient, then the dead letter says: %s', async (reply, reason) => {
    await using peer = await startSmtpPeer()
    peer.play({ at: 'rcpt', reply })
    const failed = await sendTo({ smtpUrl: peer.address }, receiptMessage()).catch((error: Error) => error)
    expect(failed).toBeInstanceOf(PermanentError)
    expect(failed).toMatchObject({ message: expect.stringContaining(reason) })
  })

  test('When the mailbox is gone for good, then the delivery is dead; when it is busy, then it waits', async () => {
    await using mailbox = await startMailbox()
    mailbox.refuse('kari.nordmann@example.com', 'for-good')
    mailbox.refuse('ola@example.com', 'for-now')
    const gone = await sendTo(mailbox, receiptMessage()).catch((error: Error) => error)
    const busy = await sendTo(mailbox, receiptMessage({}, { to: 'ola@example.com' })).catch((error: Error) => error)
    expect([gone, busy]).toMatchObject([
      { name: 'PermanentError', code: 'smtp-550', message: expect.stringMatching(/^mail: smtp:\S+ answered 550 /) },
      { name: 'RetryLaterError', code: 'smtp-450', scope: 'item' },
    ])
  })
})

interface Case {
  name: string
  sale: Given
  decimal: string
  /** What must be read at the right: the lines, the total, its VAT. */
  expected: { lines: string[]; total: string; vat: string; rates: [net: string, vat: string][] }
}

const cases: Case[] = [
  {
    name: 'Norwegian crowns, two rates, a return, a weight',
    decimal: ',',
    sale: {
      orderLines: [
        line({ quantity: 3, price: 1299.5, vat: 779.7 }),
        line({ quantity: -1, price: 449, vat: -89.8 }),
        line({ quantity: 0.333, price: 99.9, vat: 4.34, vatPercent: 0.15 }),
      ],
      total: 3482.77,
      vatTotal: 694.24,
    },
    expected: {
      lines: ['3898.50', '-449.00', '33.27'],
      total: '3482.77',
      vat: '694.24',
      rates: [
        ['2759.60', '689.90'],
        ['28.93', '4.34'],
      ],
    },
  },
  {
    name: 'American dollars in millions, no VAT',
    decimal: '.',
    sale: {
      store: store({ currency: 'USD', address: { countryCode: 'US' } }),
      orderLines: [line({ price: 1234567.89, vat: 0, vatPercent: 0 })],
      total: 1234567.89,
      vatTotal: 0,
    },
    expected: { lines: ['1234567.89'], total: '1234567.89', vat: '0.00', rates: [['1234567.89', '0.00']] },
  },
  {
    name: 'yen, which have no coins',
    decimal: '.',
    sale: {
      store: store({ currency: 'JPY', address: { countryCode: 'JP' } }),
      orderLines: [line({ quantity: 2, price: 1100, vat: 200, vatPercent: 0.1 })],
      total: 2200,
      vatTotal: 200,
    },
    expected: { lines: ['2200'], total: '2200', vat: '200', rates: [['2000', '200']] },
  },
  {
    name: 'forints, whose coins Intl leaves out',
    decimal: ',',
    sale: {
      store: store({ currency: 'HUF', address: { countryCode: 'HU' } }),
      orderLines: [line({ price: 1999.5, vat: 425.09, vatPercent: 0.27 })],
      total: 1999.5,
      vatTotal: 425.09,
    },
    expected: { lines: ['1999.50'], total: '1999.50', vat: '425.09', rates: [['1574.41', '425.09']] },
  },
]

describe('the amounts of a receipt', () => {
  for (const { sale, decimal, expected, name } of cases)
    test(`When a sale is of ${name}, then the HTML has them to the cent`, async () => {
      const { html } = await mailOf(receiptMessage(sale))
      const table = (kind: string) => new RegExp(`<table class="${kind}".*?</table>`, 's').exec(html)?.[0] ?? ''
      const amounts = (text: string) =>
        [...text.matchAll(/<td align="right">(.*?)<\/td>/g)].map(([, shown = '']) => plain(shown, decimal))
      const [total, vat] = amounts(table('sums'))
      const rates = amounts(table('vat'))
      expect({
        lines: amounts(table('lines')),
        total,
        vat,
        rates: rates.flatMap((net, at) => (at % 2 === 0 ? [[net, rates[at + 1]]] : [])),
      }).toEqual(expected)
    })

  test.each(cases)('When a sale is of $name, then the text has the same lines', async ({ sale, decimal, expected }) => {
    const { text } = await mailOf(receiptMessage(sale))
    const shown = [...text.matchAll(/^ {2}.* × .* {2}(\S.*?)\r?$/gm)].map(([, amount = '']) => plain(amount, decimal))
    expect(shown).toEqual(expected.lines)
    expect(plain(/^Total {2,}(.*?)\r?$/m.exec(text)?.[1] ?? '', decimal)).toBe(expected.total)
  })

  test('When a line does not say its VAT, then there is no table of rates, and the total stays', async () => {
    const { html } = await mailOf(receiptMessage({ orderLines: [line({ vat: null }), line()], total: 698 }))
    expect(html).not.toContain('class="vat"')
    expect(html).toContain('of which VAT')
  })

  test('When there are 1000 lines, then all of them stand in both parts', async () => {
    const { html, text } = await mailOf(receiptMessage(many(1000)))
    expect(html.match(/<tr><td>Wool jumper/g)).toHaveLength(1000)
    expect(html).toContain('1 299 000,00 kr'.replaceAll(' ', '\u00a0'))
    expect(text.match(/^Wool jumper/gm)).toHaveLength(1000)
  })
})

function many(count: number): Given {
  const one = line({
    name: 'Wool jumper, hand knitted in Setesdal',
    brand: 'Nordlys',
    colour: 'Natural white',
    sizeText: 'Extra large',
    price: 1299,
    fullPrice: 1499,
    vat: 259.8,
  })
  return { orderLines: Array(count).fill(one), total: 1299 * count, vatTotal: 259.8 * count }
}

/** An amount as people read it, as a decimal: without currency and signs between thousands. */
function plain(shown: string, decimal: string): string {
  const digits = shown.replace(/&#\d+;|&\w+;/g, '').replace(/−/g, '-')
  return [...digits]
    .filter((sign) => /[\d-]/.test(sign) || sign === decimal)
    .join('')
    .replace(decimal, '.')
}

test.each([
  ['kari@example.com', '', 'kari@example.com'],
  ['  Kari N. <kari@example.com> ', 'Kari N.', 'kari@example.com'],
  ['"Nordmann, Kari" <kari@example.com>', 'Nordmann, Kari', 'kari@example.com'],
  ['<kari@example.com>', '', 'kari@example.com'],
])('When an address is written %s, then it is read', (written, name, address) => {
  expect(readMailAddress(written)).toEqual({ name, address })
})

test('When a POS has a very long text where an address belongs, then it is none, at once', () => {
  for (const text of [' '.repeat(3_000), `a${' '.repeat(3_000)}b`, `"${' '.repeat(900)}`, '<'.repeat(100_000)]) {
    const ownTime = countOwnTime()
    expect(readRecipients(text, null)).toBeNull()
    expect(ownTime()).toBeLessThan(100)
  }
})
