import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { type Mailbox, startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import type { Mail } from '../../../sandbox/mailbox/read-mail.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import type { CustomerMessage, Effect, OrderMessage, ReceiptMessage } from '../../../src/ports/ports.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { type Given, receipt } from '../../../test/fixtures/payloads.ts'
import { createFolder } from '../../../test/folder.ts'
import smtp from '../src/smtp.ts'

const KEY = 'OmniChannelSendReceiptCreated:101:3:1001:email-receipt:'

export function receiptMessage(sale: Given = {}, message: Partial<ReceiptMessage> = {}): ReceiptMessage {
  const { sendReceipt, recipient, recipientName } = receipt()
  const payload = { ...sendReceipt, ...sale }
  const plain = { signature: null }
  return { type: 'receipt', sale: readSale(payload), to: recipient, name: recipientName, ...plain, ...message }
}

/** A message about an order as the flow hands it over. */
export function orderMessage(message: Partial<OrderMessage> = {}): OrderMessage {
  const customer = { name: 'Kari Nordmann', email: 'kari.nordmann@example.com', phone: '+4791234567' }
  const order = { number: 'A1', status: null, storeName: 'Oslo City', customer, lines: [] }
  return { type: 'ready', order, goods: null, to: customer.email, name: customer.name, ...message }
}

/** Sends through the adapter, made for this one mail. */
export async function sendTo(
  mailbox: Pick<Mailbox, 'smtpUrl'>,
  message: CustomerMessage,
  options: Given = {},
  key = KEY,
): Promise<Effect | undefined> {
  const written = { url: mailbox.smtpUrl, from: 'Nordlys <no-reply@shop.example>', ...options }
  await using instance = smtp.create(smtp.options.parse(written), {
    destination: 'mail',
    timeout: 5_000,
    concurrency: 2,
  })
  return await instance.ports.email?.send(message, attempt({ key }))
}

export async function mailOf(message: CustomerMessage, options: Given = {}): Promise<Mail> {
  await using mailbox = await startMailbox()
  await sendTo(mailbox, message, options)
  const [mail] = mailbox.mails()
  if (!mail) throw new Error('No mail arrived.')
  return mail
}

/** Sends with files of the shop's own, which the options name. */
export async function mailWith(
  files: Record<string, unknown>,
  options: Record<string, string>,
  message: CustomerMessage,
): Promise<Mail> {
  await using folder = await createFolder()
  for (const [name, content] of Object.entries(files)) {
    const isPlain = typeof content === 'string' || Buffer.isBuffer(content)
    await writeFile(join(folder.path, name), isPlain ? content : stringify(content))
  }
  const paths = Object.entries(options).map(([key, name]) => [key, join(folder.path, name)])
  return await mailOf(message, Object.fromEntries(paths))
}

/** A line of a sale as the platform sends it. */
export function line(given: Given = {}): Given {
  return { name: 'T-shirt', quantity: 1, price: 349, vat: 69.8, vatPercent: 0.25, fullPrice: 349, ...given }
}
