import { setTimeout as pause } from 'node:timers/promises'
import { pulledSettlement, receipt, sale, settlement } from '../fixtures/payloads.ts'
import { jsonOf, webhook } from './requests.ts'
import type { Attack, Siege } from './siege.ts'

/*
 * Payloads that are small and right by their form, and cost the square of their length where somebody was careless.
 */

/** How long each has before the next one of its sort comes (milliseconds). */
const EVERY = 5_000

const twoSpellings: Attack = {
  name: 'two settlements of 400 KB are the same but for the case of 30,000 names',
  run: (siege) =>
    again(siege, (nth) => {
      const one = settlement({ settlementId: 900_000 + nth, ...fields('extra') })
      const other = settlement({ settlementId: 900_000 + nth, ...fields('EXTRA'), comment: 'richer' })
      return [one, other].map((payload) => ({ kind: 'POSSettlementCreated', payload }))
    }),
}

const hostileReceipt: Attack = {
  name: 'the XML of a receipt is one name of 150 KB',
  run: (siege) =>
    again(siege, (nth) => {
      const hostile = ['<'.concat('a'.repeat(150_000)), `<a ${'b '.repeat(75_000)}`, `<a b="${'<'.repeat(150_000)}`]
      return hostile.map((receiptFormatted, at) => {
        const sendReceipt = sale({ receiptNo: `X${nth}-${at}`, receiptFormatted })
        return { kind: 'OmniChannelSendReceiptCreated', payload: receipt({ sendReceipt }) }
      })
    }),
}

const hyphens: Attack = {
  name: 'the number of a store is 150,000 hyphens',
  run: (siege) =>
    again(siege, (nth) => {
      const StoreNo = `a${'-'.repeat(150_000)}b`
      return [{ kind: 'POSSettlementCreated', payload: pulledSettlement({ SETTLEMENTID: 800_000 + nth, StoreNo }) }]
    }),
}

export const stallingPayloads: Attack[] = [twoSpellings, hostileReceipt, hyphens]

function fields(name: string): Record<string, number> {
  return Object.fromEntries(Array.from({ length: 30_000 }, (_, nth) => [`${name}${nth}`, 1]))
}

async function again(
  { hub, strangers, signal }: Siege,
  payloads: (nth: number) => { kind: string; payload: unknown }[],
): Promise<void> {
  for (let nth = 0; !signal.aborted; nth++) {
    for (const { kind, payload } of payloads(nth))
      strangers.pour(strangers.connect(), webhook(hub.webhookPath(kind), jsonOf(payload)))
    await pause(EVERY, null, { signal }).catch(() => {})
  }
}
