import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { startTexts } from '../../../sandbox/texts/texts.ts'
import { UserError } from '../../../src/domain/values/errors.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { CustomerMessage, OrderMessage } from '../../../src/ports/ports.ts'
import { createFolder } from '../../../test/hub.ts'
import { countParts } from '../src/sms-http.ts'
import { receiptMessage, send } from './send.ts'

const GOODS = { name: 'T-shirt', gtin: '7090012340011', quantity: parseDecimal(2) }
const BODY = { to: '{{to}}', text: '{{text}}', reference: '{{key}}' }

function orderMessage(message: Partial<OrderMessage> = {}, storeName: string | null = 'Oslo City'): OrderMessage {
  const customer = { name: 'Kari Nordmann', email: null, phone: '+4791234567' }
  const order = { number: 'A1', status: null, storeName, customer, lines: [] }
  return { type: 'ready', order, goods: null, to: customer.phone, name: customer.name, ...message }
}

/** What the telephone shows, and what the timeline says. */
async function texted(message: CustomerMessage, options: Record<string, unknown> = {}) {
  await using texts = await startTexts()
  const headers = { authorization: `Bearer ${texts.apiKey}` }
  const { note } = await send({ url: `${texts.url}/messages`, headers, body: BODY, ...options }, message)
  return { text: texts.texts()[0]?.text ?? '', note }
}

describe('a message about an order by text', () => {
  test.each<[string, OrderMessage['type'], string]>([
    ['en', 'ready', 'Hello Kari! Order A1 is ready to collect at Oslo City.'],
    ['en', 'collected', 'Hello Kari! Order A1 was handed over at Oslo City. Thank you!'],
    [
      'en',
      'declined',
      'Hello Kari! Sorry: Oslo City does not have 2 x T-shirt of order A1. What you paid for it is refunded.',
    ],
    ['en', 'expired', 'Hello Kari! Order A1 at Oslo City was not collected in time and is cancelled.'],
    ['nb', 'ready', 'Hei Kari! Ordre A1 er klar til henting hos Oslo City.'],
    ['nb', 'collected', 'Hei Kari! Ordre A1 er utlevert hos Oslo City. Takk for handelen!'],
    [
      'nb',
      'declined',
      'Hei Kari! Beklager: Oslo City har ikke 2 x T-shirt i ordre A1. Det du har betalt for det, får du tilbake.',
    ],
    ['nb', 'expired', 'Hei Kari! Ordre A1 hos Oslo City ble ikke hentet i tide og er avbestilt.'],
  ])('In %s, when an order is %s, then its customer reads it in one part', async (language, type, text) => {
    const sent = await texted(orderMessage({ type, goods: GOODS }), { language })
    expect(sent).toEqual({ text, note: '201 Created, 1 part' })
  })

  test('When it is long, then the greeting goes first, then the name of the goods; the number stays', async () => {
    const declined = (name: string) => orderMessage({ type: 'declined', goods: { ...GOODS, name } })
    const { text } = await texted(declined(`${'Very warm winter jacket '.repeat(2)}with a hood and lining, blue`))
    expect(text).toMatch(/^Sorry: Oslo City does not have 2 x Very warm .* blue of order A1\./)
    expect(countParts(text)).toBe(1)
    const longer = await texted(declined(`${'Very warm winter jacket '.repeat(4)}blue`))
    expect(longer.text).toMatch(/^Sorry: Oslo City does not have some of the goods of order A1\./)
    expect(countParts(longer.text)).toBe(1)
  })

  test('When nobody knows the name, the store or the goods, then the text is still one that can be read', async () => {
    const { text } = await texted(orderMessage({ type: 'declined', name: null }))
    expect(text).toMatch(/^Sorry: Oslo City does not have some of the goods of order A1\./)
    const nowhere = await texted(orderMessage({ name: null }, null))
    expect(nowhere.text).toBe('Order A1 is ready to collect at the store.')
  })
})

describe("a wording of the retailer's own", () => {
  async function wordedBy(file: unknown, message: CustomerMessage, options = {}) {
    await using folder = await createFolder()
    const wording = join(folder.path, 'own.yaml')
    await writeFile(wording, stringify(file))
    return await texted(message, { wording, ...options })
  }

  test('When there is one, then its texts are sent; those of the options come before them', async () => {
    const texts = { ready: '{{greeting}} {{order}}: klar på {{store}}', receipt: 'Kvitto {{receipt}}: {{link}}' }
    const sv = { extends: 'en', hello: 'Hej', texts }
    expect((await wordedBy(sv, orderMessage())).text).toBe('Hej Kari! A1: klar på Oslo City')
    expect((await wordedBy(sv, receiptMessage())).text).toMatch(/^Kvitto 1001: https:/)
    expect((await wordedBy(sv, receiptMessage(), { text: 'Se {{link}}' })).text).toMatch(/^Se https:/)
    const unused = { extends: 'en', texts: { shortReceipt: 'Kvitto' } }
    const own = { shortText: 'Se {{link}}' }
    expect((await wordedBy(unused, receiptMessage(), own)).text).toMatch(/^Receipt from /)
  })

  test.each<[Record<string, string>, RegExp]>([
    [{ ready: '{{orderNo}}' }, /`texts\.ready`, line 1: there is no \{\{orderNo}}/],
    [{ shortReceipt: 'Kvitto' }, /`texts\.shortReceipt` must have \{\{link}}/],
  ])('When it says %j, then the hub does not start', async (texts, said) => {
    const failed = await wordedBy({ extends: 'en', texts }, orderMessage()).catch((e) => e)
    expect(failed).toBeInstanceOf(UserError)
    expect(failed.message).toMatch(said)
  })
})

test.each([
  ['www.prize.example', 'Winner'],
  ['https://prize.example', ''],
  ['prize.example/win', ''],
  ['Kari\nprize.no', 'N.'],
])('When somebody orders under the name %s, then no text brings a link of his', async (first, last) => {
  const { text } = await texted(orderMessage({ name: `${first} ${last}` }))
  expect(text).toBe('Order A1 is ready to collect at Oslo City.')
})
