import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { RECEIPT_FIELDS } from '../../../src/adapters/smtp/receipt.ts'
import { UserError } from '../../../src/domain/values/errors.ts'
import { line, mailWith, receiptMessage } from './mail.ts'

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
