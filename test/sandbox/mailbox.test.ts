import { createTransport } from 'nodemailer'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { type Mailbox, startMailbox } from '../../sandbox/mailbox/mailbox.ts'

/** Sends as any program would, and gives what the server refused it with. */
async function send(mailbox: Mailbox, given: Record<string, unknown> = {}): Promise<{ responseCode?: number }> {
  const transport = createTransport({ url: mailbox.smtpUrl, auth: { user: 'any', pass: 'login' } })
  const mail = {
    from: 'Shop <shop@example.com>',
    to: 'kari@example.com',
    subject: 'Hei på deg',
    text: 'Blåbær',
    ...given,
  }
  try {
    await transport.sendMail(mail)
    return {}
  } catch (error) {
    return error as { responseCode?: number }
  }
}

async function get(url: string): Promise<{ status: number; text: string; policy: string }> {
  const { statusCode, body, headers } = await request(url)
  return { status: statusCode, text: await body.text(), policy: String(headers['content-security-policy']) }
}

describe('the mailbox', () => {
  test('When a mail is sent, then it can be read as it was written', async () => {
    await using mailbox = await startMailbox()
    await send(mailbox, { html: '<p>Blåbær</p>', bcc: 'ola@example.com', headers: { 'x-own': 'yes' } })
    expect(mailbox.mails()).toMatchObject([
      {
        id: 1,
        from: 'shop@example.com',
        to: ['kari@example.com', 'ola@example.com'],
        subject: 'Hei på deg',
        text: expect.stringContaining('Blåbær'),
        html: expect.stringContaining('<p>Blåbær</p>'),
        headers: { 'x-own': 'yes' },
        messageId: expect.stringMatching(/^<.+@.+>$/),
        receivedAt: expect.any(Date),
      },
    ])
  })

  test('When an address is refused, then its mail is, as told, and that of others is not, until it is accepted', async () => {
    await using mailbox = await startMailbox()
    mailbox.refuse('kari@example.com', 'for-good')
    mailbox.refuse('Full@example.com', 'for-now')
    const codes = []
    for (const to of ['Kari@example.com', 'full@example.com', 'ola@example.com'])
      codes.push((await send(mailbox, { to })).responseCode)
    expect(codes).toEqual([550, 450, undefined])
    mailbox.accept('kari@example.com')
    expect(await send(mailbox)).toEqual({})
    expect(mailbox.mails().map(({ to }) => to)).toEqual([['ola@example.com'], ['kari@example.com']])
  })

  test('When it is down, then it says 421 and keeps nothing, until it works again', async () => {
    await using mailbox = await startMailbox()
    mailbox.down(true)
    expect((await send(mailbox)).responseCode).toBe(421)
    mailbox.down(false)
    expect(await send(mailbox)).toEqual({})
    expect(mailbox.mails()).toHaveLength(1)
  })

  test('When a port is named, then it listens there', async () => {
    const first = await startMailbox()
    const [port, smtpPort] = [first.url, first.smtpUrl].map((url) => Number(new URL(url).port))
    await first[Symbol.asyncDispose]()
    await using again = await startMailbox({ port: port ?? 0, smtpPort: smtpPort ?? 0 })
    expect([again.url, again.smtpUrl]).toEqual([first.url, first.smtpUrl])
  })
})

describe('the pages of the mailbox', () => {
  test('When nothing arrived, then the list says so', async () => {
    await using mailbox = await startMailbox()
    expect((await get(mailbox.url)).text).toContain('No mail has arrived yet.')
  })

  test('When mails arrived, then the list leads to each, the newest first', async () => {
    await using mailbox = await startMailbox()
    await send(mailbox, { subject: 'One' })
    await send(mailbox, { subject: '<b>Two</b>' })
    const { text } = await get(mailbox.url)
    expect(text).toMatch(/href="\/mails\/2">&lt;b&gt;Two&lt;\/b&gt;<.*href="\/mails\/1">One</s)
    expect((await get(`${mailbox.url}/mails/2`)).text).toContain('<h1>&lt;b&gt;Two&lt;/b&gt;</h1>')
  })

  test('When a mail is opened, then its HTML is shown in a frame that can do nothing, with its own pictures', async () => {
    await using mailbox = await startMailbox()
    const html = '<script>alert(1)</script><img src="cid:logo">'
    await send(mailbox, { html, attachments: [{ filename: 'a.gif', content: Buffer.from('GIF'), cid: 'logo' }] })
    const { text } = await get(`${mailbox.url}/mails/1`)
    expect(text).toMatch(/<iframe sandbox title="[^"]+" src="\/mails\/1\/html"/)
    const frame = await get(`${mailbox.url}/mails/1/html`)
    expect(frame.text).toContain('<img src="data:image/gif;base64,R0lG">')
    expect(frame.policy).toMatch(/^sandbox; default-src 'none'/)
  })

  test('When a mail has attachments, then each has a preview in a frame that can do nothing, or a download', async () => {
    await using mailbox = await startMailbox()
    const attachments = [
      { filename: 'logo.gif', content: Buffer.from('GIF'), cid: 'logo' },
      {
        filename: '<receipt>.html',
        content: '<script>alert(1)</script><p>349,00 å',
        contentType: 'text/html; charset=utf-8',
      },
      { filename: 'setup.svg', content: '<svg/>', contentType: 'image/svg+xml' },
    ]
    await send(mailbox, { html: '<img src="cid:logo">', attachments })
    const { text } = await get(`${mailbox.url}/mails/1`)
    expect(text.match(/<li><a href="[^"]+">[^<]+/g)).toEqual([
      '<li><a href="/mails/1/attachments/1">&lt;receipt&gt;.html',
      '<li><a href="/mails/1/attachments/2">setup.svg',
    ])
    const preview = await get(`${mailbox.url}/mails/1/attachments/1`)
    expect(preview.text).toMatch(/<iframe sandbox title="[^"]+" src="\/mails\/1\/attachments\/1\/content"/)
    expect(preview.policy).toContain("default-src 'none'")
    const content = await get(`${mailbox.url}/mails/1/attachments/1/content`)
    expect(content.text).toContain('<p>349,00 å')
    expect(content.policy).toMatch(/^sandbox; default-src 'none'/)
    expect((await get(`${mailbox.url}/mails/1/attachments/2`)).text).not.toContain('<iframe')
    const { headers, body } = await request(`${mailbox.url}/mails/1/attachments/2/content`)
    await body.dump()
    expect(headers).toMatchObject({ 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' })
  })

  test('When there is no such mail, then that is said', async () => {
    await using mailbox = await startMailbox()
    for (const path of [
      '/mails/1',
      '/mails/x/html',
      '/mails/1/attachments/1',
      '/mails/1/attachments/1/content',
      '/nothing',
    ])
      expect((await get(mailbox.url + path)).status).toBe(404)
  })
})
