import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import { WORDINGS } from '../../../src/adapters/wording/file.ts'
import { UserError } from '../../../src/domain/values/errors.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { OrderMessage } from '../../../src/ports/ports.ts'
import { RECEIPT_FIELDS } from '../src/receipt.ts'
import { MESSAGE_FIELDS } from '../src/smtp.ts'
import { line, mailOf, mailWith, orderMessage, receiptMessage, sendTo } from './mail.ts'

const receiptWith = (files: Record<string, unknown>, options: Record<string, string>, sale = {}) =>
  mailWith(files, options, receiptMessage(sale))

const TEMPLATE = `<!doctype html><title>{{storeName}}</title>
{{#orderNo}}<p>Order {{orderNo}}</p>{{/orderNo}}
<ul>{{#lines}}<li>{{ name }}: {{total}} of {{receiptNo}}{{#fullPrice}} (was {{fullPrice}}){{/fullPrice}}</li>{{/lines}}</ul>
<b>{{total}}</b>{{#receiptUrl}}<a href="{{receiptUrl}}">online</a>{{/receiptUrl}}`

describe("a template of the shop's own", () => {
  test('When there is one, then the HTML is its, and the text part stays', async () => {
    const orderLines = [line({ fullPrice: 399 }), line({ name: 'Socks & more', price: 99, fullPrice: 99 })]
    const mail = await receiptWith({ 'own.html': TEMPLATE }, { template: 'own.html' }, { orderLines, total: 448 })
    expect(mail.html.replaceAll('\u00a0', ' ').trimEnd()).toBe(`<!doctype html><title>Oslo City</title>

<ul><li>T-shirt: 349,00 of 1001 (was 399,00)</li><li>Socks &#38; more: 99,00 of 1001</li></ul>
<b>448,00 kr</b><a href="https://receipts.example.com/r/7f3c2a">online</a>`)
    expect(mail.text).toContain('Socks & more')
  })

  test('When a .txt stands beside it, then the text part is its, without HTML escapes', async () => {
    const files = { 'own.html': TEMPLATE, 'own.txt': '{{storeName}}\n{{#lines}}* {{name}}\n{{/lines}}' }
    const mail = await receiptWith(files, { template: 'own.html' }, { orderLines: [line({ name: 'Socks & more' })] })
    expect(mail.text.trim()).toBe('Oslo City\n* Socks & more')
  })

  test('When a value has a quote or a tag, then it cannot leave its place', async () => {
    const orderLines = [line({ name: `"><script>alert('x')</script>` })]
    const { html } = await receiptWith(
      { 'own.html': '<p title="{{#lines}}{{name}}{{/lines}}">' },
      { template: 'own.html' },
      { orderLines },
    )
    expect(html.trim()).toBe('<p title="&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;">')
  })

  test('When a value looks like a placeholder, then it is not filled in', async () => {
    const orderLines = [line({ name: '{{organizationNumber}}' })]
    const template = '{{#lines}}{{name}}{{/lines}}'
    const { html } = await receiptWith({ 'own.html': template }, { template: 'own.html' }, { orderLines })
    expect(html.trim()).toBe('{{organizationNumber}}')
  })

  test.each([
    ['{{reciptNo}}', 'line 1: there is no {{reciptNo}}; did you mean {{receiptNo}}?'],
    ['\n{{constructor}}', 'line 2: there is no {{constructor}}'],
    ['{{lines}}', 'line 1: {{lines}} is a list: write {{#lines}}…{{/lines}}'],
    ['{{quantity}}', 'line 1: there is no {{quantity}}'],
    ['\n\n{{#lines}}{{name}}', 'line 3: {{#lines}} is never closed'],
    ['{{#lines}}{{/payments}}', 'line 1: {{/payments}} closes nothing'],
    ['{{/lines}}', 'line 1: {{/lines}} closes nothing'],
    ['<script>{{total}}</script>', 'must have no <script>'],
  ])('When it has a fault (%j), then the hub does not start, and says where', async (template, fault) => {
    const failed = await receiptWith({ 'own.html': template }, { template: 'own.html' }).catch((error: Error) => error)
    expect(failed).toBeInstanceOf(UserError)
    expect(failed).toMatchObject({ message: expect.stringContaining(fault) })
    expect(failed).toMatchObject({ message: expect.stringContaining('own.html') })
  })

  test('When the file is not there, then the hub does not start, and names option and file', async () => {
    const failed = await receiptWith({}, { template: 'own.html' }).catch((error: Error) => error)
    expect(failed).toBeInstanceOf(UserError)
    expect(failed).toMatchObject({
      message: expect.stringMatching(/^destinations\.mail\.template: the file .*own\.html/),
    })
  })
})

describe('a logo', () => {
  const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

  test('When there is one, then it travels in the mail, and the HTML names it', async () => {
    const { html, attachments } = await receiptWith({ 'logo.gif': PIXEL }, { logo: 'logo.gif' })
    const [part] = attachments
    expect(part).toMatchObject({ filename: 'logo.gif', type: 'image/gif', content: PIXEL })
    expect(html).toContain(`<img class="logo" src="cid:${part?.contentId}" alt="Oslo City">`)
  })
})

describe('the page of the adapter', () => {
  const page = readFileSync('docs/adapters/smtp.md', 'utf8')

  test('The placeholders on the page are those of a receipt', () => {
    const [, table = ''] = /\| placeholder \|.*?\n\|---\|---\|\n(.*?)\n\n/s.exec(page) ?? []
    const rows = table.split('\n').map((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name))
    const lists = Object.entries(RECEIPT_FIELDS).flatMap(([name, kind]) => (kind === 'text' ? [] : [[name, ...kind]]))
    const texts = Object.entries(RECEIPT_FIELDS).flatMap(([name, kind]) => (kind === 'text' ? [name] : []))
    for (const list of lists) expect(rows).toContainEqual(list)
    expect(rows.flat()).toEqual(expect.arrayContaining(texts))
  })

  test("The page's template works", async () => {
    const [, template = ''] = /```html\n(.*?)```/s.exec(page) ?? []
    const { html } = await receiptWith({ 'own.html': template }, { template: 'own.html' })
    expect(html).toContain('<tr><td>1 × T-shirt (before 399,00)</td><td align="right">349,00</td></tr>')
  })
})

const GOODS = { name: 'T-shirt', gtin: '7090012340011', quantity: parseDecimal('1.5') }

describe('a message about an order by e-mail', () => {
  test.each<[string, OrderMessage['type'], string, string[]]>([
    ['en', 'ready', 'Oslo City: order A1 is ready', ['Ready to collect', 'waiting for you at Oslo City']],
    ['en', 'collected', 'Oslo City: order A1 is collected', ['Collected', 'handed over at Oslo City']],
    ['en', 'declined', 'Oslo City: goods missing from order A1', ['does not have 1.5 × T-shirt of your order A1']],
    ['en', 'expired', 'Oslo City: order A1 was not collected', ['not collected in time']],
    ['nb', 'ready', 'Oslo City: ordre A1 er klar', ['Klar til henting', 'Hei Kari Nordmann.', 'hos Oslo City']],
    ['nb', 'collected', 'Oslo City: ordre A1 er hentet', ['utlevert hos Oslo City']],
    ['nb', 'declined', 'Oslo City: varer mangler i ordre A1', ['har ikke 1,5 × T-shirt i ordren din A1']],
    ['nb', 'expired', 'Oslo City: ordre A1 ble ikke hentet', ['ble ikke hentet i tide']],
  ])('In %s, when an order is %s, then its customer reads what and where', async (language, type, subject, said) => {
    const mail = await mailOf(orderMessage({ type, goods: type === 'declined' ? GOODS : null }), { language })
    expect(mail).toMatchObject({ subject, to: ['kari.nordmann@example.com'], attachments: [] })
    for (const words of said) expect([mail.html, mail.text]).toEqual(Array(2).fill(expect.stringContaining(words)))
    expect(mail.headers).toMatchObject({
      'auto-submitted': 'auto-generated',
      'content-language': WORDINGS[language === 'nb' ? 'nb' : 'en'].locale,
      to: 'Kari Nordmann <kari.nordmann@example.com>',
    })
  })

  test('When it is sent again, then the Message-ID is the same, and the note has no personal data', async () => {
    await using mailbox = await startMailbox()
    const effects = [1, 2].map(() => sendTo(mailbox, orderMessage(), {}, 'order:A1:ready:email-ready'))
    const notes = (await Promise.all(effects)).map((effect) => effect?.note)
    const [first, again] = mailbox.mails().map(({ messageId }) => messageId)
    expect([again, ...notes]).toEqual([first, `250, Message-ID ${first}`, `250, Message-ID ${first}`])
  })

  test('When a value looks like HTML, a header or a placeholder, then it stays text', async () => {
    const name = '<img src=x>{{orderNo}}\r\nBcc: eve@example.com'
    const { order } = orderMessage()
    const { html, headers, to } = await mailOf(orderMessage({ name, order: { ...order, storeName: name } }))
    expect(html).not.toContain('<img')
    expect(html).toContain('&lt;img src=x&gt;{{orderNo}}')
    expect([headers.bcc, to.length]).toEqual([undefined, 1])
  })

  test('When the shop has a template of its own for them, then it is used, with its .txt', async () => {
    const own =
      '<!doctype html><title>{{subject}}</title><h1>{{title}}</h1>{{#goods}}<b>{{goods}}</b>{{/goods}}{{text}}'
    const files = { 'own.html': own, 'own.txt': '{{title}}: {{orderNo}}' }
    const mail = await mailWith(files, { messageTemplate: 'own.html' }, orderMessage())
    expect(mail.html).toContain('<title>Oslo City: order A1 is ready</title><h1>Ready to collect</h1>Your order A1')
    expect(mail.text.trim()).toBe('Ready to collect: A1')
    const wrong = mailWith({ 'own.html': '{{receiptNo}}' }, { messageTemplate: 'own.html' }, orderMessage())
    await expect(wrong).rejects.toThrow(/own\.html, line 1: there is no \{\{receiptNo}}/)
  })
})

describe("a wording of the retailer's own", () => {
  const ready = { subject: 'Order {{orderNo}} klar', title: 'Klar att hämta', text: 'Finns hos {{storeName}}.' }

  test('When it extends a language, then its words replace those, in mails about orders and in receipts', async () => {
    const sv = { extends: 'nb', locale: 'sv-SE', hello: 'Hej', thanks: 'Tack!', messages: { ready } }
    const mail = await mailWith({ 'sv.yaml': sv }, { wording: 'sv.yaml' }, orderMessage())
    expect(mail).toMatchObject({ subject: 'Order A1 klar', headers: { 'content-language': 'sv-SE' } })
    expect(mail.text).toMatch(/Klar att hämta\s+Hej Kari Nordmann\.\s+Finns hos Oslo City\./)
    const receipt = await mailWith({ 'sv.yaml': sv }, { wording: 'sv.yaml' }, receiptMessage())
    expect(receipt).toMatchObject({ subject: 'Oslo City: kvittering 1001', text: expect.stringContaining('Tack!') })
  })

  test("When it is the one of the adapter's page, then it works", async () => {
    const page = readFileSync('docs/adapters/smtp.md', 'utf8')
    const [, sv = ''] = /```yaml other\n(# sv\.yaml.*?)```/s.exec(page) ?? []
    const mail = await mailWith({ 'sv.yaml': sv }, { wording: 'sv.yaml' }, orderMessage())
    expect(mail.text).toContain('Din order A1 väntar på dig hos Oslo City.')
    const fields = /has these fields, all texts: (.*?)\)\./s.exec(page)?.[1] ?? ''
    const named = [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    expect(new Set(named)).toEqual(new Set([...Object.keys(MESSAGE_FIELDS), 'declined']))
  })

  test.each<[string, unknown, RegExp]>([
    ['lacks words', { locale: 'sv-SE', messages: { ready } }, /`subject` is missing.*`messages\.expired` is missing/],
    ['has a word that there is not', { extends: 'en', helo: 'Hej' }, /no `helo`; did you mean `hello`\?/],
    ['has an empty word', { extends: 'en', total: ' ' }, /`total` must be a text/],
    ['extends what there is not', { extends: 'sv' }, /`extends` must be one of en, nb/],
    ['has a locale that is none', { extends: 'en', locale: 'svenska!' }, /`locale` must be one such as sv-SE/],
    ['has a text in place of a map', { extends: 'en', messages: 'Hej' }, /`messages` must be a map/],
    ['is no map', '- Hej', /must hold a map of words/],
    ['is no YAML', 'a: "b', /is no YAML or JSON/],
    [
      'names a placeholder that there is not',
      { extends: 'en', messages: { ready: { text: '{{orderNumber}}' } } },
      /`messages\.ready\.text`, line 1: there is no \{\{orderNumber}}/,
    ],
  ])('When it %s, then the hub does not start, and is told file and word', async (_, file, said) => {
    const failed = await mailWith({ 'own.yaml': file }, { wording: 'own.yaml' }, orderMessage()).catch(
      (error: Error) => error,
    )
    expect(failed).toBeInstanceOf(UserError)
    expect(failed).toMatchObject({ message: expect.stringMatching(/^destinations\.mail\.wording: .*own\.yaml/) })
    expect(failed).toMatchObject({ message: expect.stringMatching(said) })
  })
})
