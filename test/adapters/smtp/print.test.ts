import { describe, expect, test } from 'vitest'
import { startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import { readPrintLines } from '../../../src/adapters/smtp/receipt/print.ts'
import type { ReceiptMessage } from '../../../src/ports/messages.ts'
import { mailOf, receiptMessage, sendTo } from './mail.ts'

const PRINTED = `<?xml version="1.0" encoding="utf-8"?>
<Receipt>
  <Line type="Logo" value="iVBORw0KGgo="/>
  <Line type="HeaderCenter" value="Oslo City"/>
  <Line type="Text" value="T-shirt &lt;M&gt;       349,00"/>
  <Line type="Separator" value=""/>
  <Line type="BoldText" value="TOTAL         349,00"/>
</Receipt>`
const SIGNATURE = { signature: 'c2ln+bmF0/dXJl==', keyVersion: '7' }

async function pageOf(message: Partial<ReceiptMessage>): Promise<string> {
  const { attachments } = await mailOf(receiptMessage({}, message))
  return attachments.find(({ filename }) => filename === 'receipt-1001.html')?.content.toString() ?? ''
}

async function noteOf(formatted: string | null): Promise<[note: string | undefined, files: number]> {
  await using mailbox = await startMailbox()
  const effect = await sendTo(mailbox, receiptMessage({}, { formatted }))
  return [effect?.note, mailbox.mails()[0]?.attachments.length ?? -1]
}

describe('the receipt as printed', () => {
  test('When the sale has it, then it is attached as a page that shows its lines in order and loads nothing', async () => {
    const page = await pageOf({ formatted: PRINTED })
    const body = page.slice(page.indexOf('<main'))
    expect(body.match(/<p class="(plain|strong) \w+">[^<]*|<hr>/g)).toEqual([
      '<p class="strong center">Oslo City',
      '<p class="plain left">T-shirt &lt;M&gt;       349,00',
      '<hr>',
      '<p class="strong left">TOTAL         349,00',
    ])
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(page).not.toMatch(/<script|https?:|src=/)
  })

  test.each<[string, string]>([
    ['elements', '<L><l><Type>Text</Type><Value>One</Value></l><l><Type>Text</Type><Value>Two</Value></l></L>'],
    ['text', '<a:L xmlns:a="urn:x"><a:l TYPE="Text">One</a:l><a:l TYPE="Text"><![CDATA[Two]]></a:l></a:L>'],
    ['deeper elements', '<R><Head><l type="x" text="One"/></Head><Body type="b"><l type="x" text="Two"/></Body></R>'],
  ])('When types and values are written as %s, then they are read', (_, xml) => {
    expect(readPrintLines(xml)?.map(({ value }) => value)).toEqual(['One', 'Two'])
  })

  test.each<[string, string]>([
    ['no XML', 'Oslo City, 349,00'],
    ['cut off', PRINTED.slice(0, 200)],
    ['XML of something else', '<html><body>Hello</body></html>'],
    ['nested beyond measure', '<a>'.repeat(100_000)],
    ['full of open quotes', `<a ${'x="'.repeat(200_000)}`],
    ['one endless name', `<a ${'x'.repeat(400_000)}/>`],
    ['longer than any receipt', `<a type="t">${'x'.repeat(600_000)}</a>`],
    ['a definition of entities', '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/hostname">]><a type="Text">&f;</a>'],
  ])('When it is %s, then the mail goes without it, and the note says so', async (_, formatted) => {
    const [note, files] = await noteOf(formatted)
    expect([note?.replace(/<.*>/, ''), files]).toEqual([
      '250, Message-ID , receiptFormatted cannot be read and is not attached',
      0,
    ])
  })
})

describe('the signature', () => {
  test('When there is one, then it is in headers of the mail and below the printed receipt, unchanged', async () => {
    const { headers } = await mailOf(receiptMessage({}, { signature: SIGNATURE }))
    expect(headers).toMatchObject({
      'x-receipt-signature': SIGNATURE.signature,
      'x-receipt-signature-key-version': '7',
    })
    const page = await pageOf({ formatted: PRINTED, signature: SIGNATURE })
    expect(page).toContain('<p class="signature">Signature (key version 7): c2ln+bmF0/dXJl==</p>')
  })

  test('When it is fit for no header, then the header is left out, and nothing else can be put into the mail', async () => {
    const signature = { signature: 'x\r\nBcc: ø@example.com', keyVersion: null }
    const { headers, to } = await mailOf(receiptMessage({}, { signature }))
    expect([headers['x-receipt-signature'], headers.bcc, to.length]).toEqual([undefined, undefined, 1])
  })
})
