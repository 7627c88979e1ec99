import { readSale } from '../../../src/platform/payloads/sale.ts'
import type { Attempt, CustomerMessage, Effect, ReceiptMessage } from '../../../src/ports/ports.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { type HttpScript, startHttpPeer } from '../../../test/adapters/http-peer.ts'
import type { Call } from '../../../test/adapters/peer.ts'
import { receipt } from '../../../test/fixtures/payloads.ts'
import smsHttp from '../src/sms-http.ts'

/** The message of a receipt for `+47 91234567`; what is given of the sale replaces its field. */
export function receiptMessage(
  given: Partial<ReceiptMessage> = {},
  sale: Record<string, unknown> = {},
): ReceiptMessage {
  const read = readSale({ ...receipt().sendReceipt, ...sale })
  return { type: 'receipt', sale: read, to: '47 91234567', name: null, signature: null, ...given }
}

export async function send(
  options: Record<string, unknown>,
  message: CustomerMessage = receiptMessage(),
  of: Attempt = attempt(),
): Promise<Effect> {
  const parsed = smsHttp.options.parse(options)
  await using instance = smsHttp.create(parsed, { destination: 'texts', timeout: 5_000, concurrency: 1 })
  return (await instance.ports.texts?.send(message, of)) ?? Promise.reject(new Error('no port'))
}

/** Sends one message to a peer that takes the place of the URL's host, and gives what arrived there. */
export async function arrived(
  options: { url?: string } & Record<string, unknown>,
  { message, of, answer }: { message?: CustomerMessage; of?: Attempt; answer?: HttpScript } = {},
): Promise<Call> {
  await using peer = await startHttpPeer()
  if (answer) peer.play(answer)
  const url = (options.url ?? 'https://gateway.example.com/sms').replace(/^https:\/\/[^/]+/, peer.address)
  await send({ ...options, url }, message, of)
  const [call] = peer.calls
  if (!call) throw new Error('Nothing arrived.')
  return call
}
