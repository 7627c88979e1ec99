import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import type { TestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { customer, endlessAisle, receipt, sale } from '../../fixtures/payloads.ts'
import { busTo, deliveriesOf, startTestHub, type TestHub } from '../../hub.ts'
import { startSink } from '../../sink.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../../storage/postgres/schema.ts'

const TOKEN = 'crm-token-of-the-tests'
export const CANARIES = ['Zebedæus', 'Qvistgaardsen', 'zebedaeus@canary.example.com', '41239876', 'Kanarigata 77B']
export const ZEB = {
  customerId: 4_790_001,
  email: 'Zebedaeus@Canary.example.com',
  firstName: 'Zebedæus',
  lastName: 'Qvistgaardsen',
  phoneCountryPrefix: '47',
  phone: '41239876',
  customerGuid: '11111111-2222-4333-8444-555555555555',
}

/** A proof without the hashes in it, whose digits of chance may be those of anybody's number. */
export function withoutHashes(proof: string): string {
  return proof.replaceAll(/\b[0-9a-f]{32,}\b/g, '(hash)')
}

/** How often a text stands in the bytes of the store's files. */
export function bytesWith({ file }: TestHub, texts: readonly string[] = CANARIES): string[] {
  return [file, `${file}-wal`].flatMap((path) => {
    const bytes = readFileSync(path)
    return texts.filter((text) => bytes.includes(text)).map((text) => `${path.slice(-4)}: ${text}`)
  })
}

interface Given {
  /** Of the bus, if its receiver outlives the hub. */
  url?: string
  clock?: TestClock
  destinations?: Hub['destinations']
  retention?: NonNullable<Hub['config']>['retention']
  /** A store other than a file of its own. */
  store?: { url: string }
  /** Where its file is, if it outlives the hub. */
  folder?: string
}
type Hub = NonNullable<Parameters<typeof startTestHub>[0]>

/** A hub that knows a person from several sources, all of whose deliveries have ended one way or the other. */
export async function aHubThatKnowsZeb({
  url,
  destinations,
  retention,
  store,
  clock,
  folder,
}: Given = {}): Promise<TestHub> {
  const sink = url === undefined ? await startSink() : null
  const lookups = { customers: { tokens: [TOKEN], countries: ['NO'] } }
  const hub = await startTestHub({
    destinations: { bus: busTo(url ?? sink?.url ?? ''), ...destinations },
    config: { lookups, ...(retention && { retention }), ...(store && { store }) },
    ...(clock && { clock }),
    ...(folder !== undefined && { folder }),
  })
  await hub.post('CustomerCreated', customer({ ...ZEB, address1: 'Kanarigata 77B' }), { eventId: 'Z-1' })
  await hub.post('SaleCreated', sale({ customer: { ...ZEB, customerExtId: '' } }), { eventId: 'Z-2' })
  await hub.post(
    'OmniChannelSendReceiptCreated',
    receipt({ recipient: ZEB.email, recipientName: 'Zebedæus Qvistgaardsen' }),
  )
  await hub.post(
    'OmniChannelEndlessAisleOrderCreated',
    endlessAisle({ orderNo: 'EA-9', customer: { ...ZEB, customerExtId: 'Z-EXT-1' } }),
  )
  await hub.post('CustomerUpdated', customer({ ...ZEB, city: 'Kanariby', address1: 'Kanarigata 77B' }), {
    eventId: 'Z-3',
  })
  await submit(hub)
  await hub.post('SaleCreated', sale({ receiptNo: '1002' }), { eventId: 'O-1' })
  await hub.post('CustomerCreated', customer(), { eventId: 'O-2' })
  await eventually(async () => {
    const states = (await deliveriesOf(hub)).map(({ state }) => state)
    expect(states.length).toBeGreaterThan(5)
    expect(states.filter((state) => !['delivered', 'dead', 'superseded'].includes(state))).toEqual([])
  })
  return {
    ...hub,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await sink?.[Symbol.asyncDispose]()
    },
  }
}

export async function erase(hub: TestHub, who = ZEB.email, how: object = {}) {
  return await hub.admin<ErasedPerson>('people/erase', { who, reason: 'asked', ...how })
}

/** With a schema of its own; skipped without a server. */
export function testOnPostgres(title: string, run: (store: { url: string }) => Promise<void>): void {
  test.skipIf(SERVER === undefined)(`${title} on PostgreSQL (${NO_SERVER} otherwise)`, async () => {
    await using schema = await temporarySchema()
    await run({ url: schema.url })
  })
}

async function submit(hub: TestHub): Promise<void> {
  const { key } = (await hub.admin<{ key: string }>('keys', { system: 'crm', may: 'customers' })).body
  const said = await hub.ask('/v1/customers?directoryOnly=true', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `for ${ZEB.email}`,
    },
    body: JSON.stringify({ extId: 'CRM-471100', email: ZEB.email, firstName: 'Zebedæus', lastName: 'Qvistgaardsen' }),
  })
  expect(said.status).toBeLessThan(300)
}

/** Kari buys something, and the POS notes how Zeb is reached; the event, once it is delivered. */
export async function kariBuysForZeb(hub: TestHub): Promise<number> {
  const kari = { ...sale().customer, customerId: 31, email: 'kari@example.com', firstName: 'Kari', customerExtId: '' }
  const bought = sale({ receiptNo: '1003', customer: kari, comment: `For ${ZEB.email.toLowerCase()}, 41239876` })
  const { id } = (await hub.post('SaleCreated', bought, { eventId: 'K-1' })).body as { id: number }
  await eventually(async () => expect((await deliveriesOf(hub))[0]?.state).toBe('delivered'))
  return id
}

/** A sale that was told, and whatever is owed for it done. */
export async function bought(hub: TestHub, payload: object, eventId: string): Promise<void> {
  await hub.post('SaleCreated', payload, { eventId })
  await eventually(async () => {
    const open = (await deliveriesOf(hub)).filter(({ state }) => ['waiting', 'claimed'].includes(state))
    expect(open).toEqual([])
  })
}

/** As if something had happened to the file. */
export function runSql(file: string, sql: string): void {
  const db = new Database(file)
  try {
    db.exec(sql)
  } finally {
    db.close()
  }
}
