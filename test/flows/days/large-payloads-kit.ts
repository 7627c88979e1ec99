import { contentOf, rowsOf } from '../../../packages/tillbridge-adapter-files/src/files.ts'
import { WriteOptions } from '../../../packages/tillbridge-adapter-files/src/options.ts'
import { createReceiptView } from '../../../packages/tillbridge-adapter-smtp/src/receipt.ts'
import { recordsTaken } from '../../../packages/tillbridge-adapter-sql/src/tables.ts'
import { kindOf as kindOfRecord } from '../../../src/adapters/shared/records.ts'
import { WORDINGS } from '../../../src/adapters/wording/file.ts'
import { summaryOf } from '../../../src/admin/orders.ts'
import { BOOKING_NAMES } from '../../../src/domain/accounting/bookings.ts'
import type { PlacedOrder } from '../../../src/domain/orders/which-order.ts'
import { type Event, payloadOf } from '../../../src/domain/queue/event.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { type CallContext, EMPTY_CONTEXT, type EventToRoute, type Flow, type Step } from '../../../src/flows/flow.ts'
import { flows } from '../../../src/flows/index.ts'
import { createProofs } from '../../../src/ingest/parse.ts'
import { kindOf, storeRefOf } from '../../../src/platform/payloads/kinds.ts'
import { readSettlement } from '../../../src/platform/payloads/settlement.ts'
import type { Call } from '../../../src/ports/ports.ts'
import { accountsOf } from '../../domain/accounting/journal-kit.ts'
import { pulledSettlement } from '../../fixtures/payloads.ts'
import { LINEAR } from '../../growth.ts'
import { claimOf } from '../../queue/kit/parts.ts'
import { sourcesOf } from '../../queue/sources.ts'

const RECEIVED = Date.parse('2026-11-20T14:04:00Z')
const proofsOf = createProofs(flows)

const order: PlacedOrder = {
  number: 'A1',
  status: 'Picked',
  storeName: 'Oslo City',
  customer: { name: 'Kari Nordmann', email: 'kari.nordmann@example.com', phone: '+4790012345' },
  lines: [{ gtin: '7090012340011', name: 'T-shirt', quantity: parseDecimal(1) }],
}

const known: CallContext = {
  ...EMPTY_CONTEXT,
  order,
  articleName: 'T-shirt',
  accounts: accountsOf(),
  released: { by: 'kari', reason: 'seen' },
  storeOf: () => ({ storeNo: '101', storeId: '42', storeKey: '101', country: 'NO', zone: 'Europe/Oslo' }),
}

/** What one thing that the hub does with a payload is called, and how long it took (milliseconds of the processor). */
export type Times = Map<string, number>

/**
 * Does with a body what the hub does in its own process, from taking it to what adapters write of the call of each step (of
 * the first and the last of a flow), and measures each. An error that says what the payload lacks is an answer; one of the machine is thrown on.
 */
export function runAll(kind: string, body: Uint8Array): Times {
  const times: Times = new Map()
  const timed = <T>(what: string, work: () => T): T | null => {
    const begin = process.threadCpuUsage()
    try {
      return work()
    } catch (error) {
      if (Object(error).name === 'PermanentError' || Object(error).name === 'HeldError') return null
      throw new Error(`${kind}: ${what} threw ${error}`, { cause: error })
    } finally {
      const { user, system } = process.threadCpuUsage(begin)
      times.set(what, Math.max(times.get(what) ?? 0, (user + system) / 1_000))
    }
  }

  const payload = payloadOf({ body })
  const rules = kindOf(kind)
  const identity = timed('identity', () => rules?.identity?.(payload, 'platform') ?? null)
  const entity = identity?.entity ?? timed('entity', () => rules?.entity?.(payload) ?? null)
  const planned: EventToRoute = {
    kind,
    origin: 'platform',
    identity: identity?.key ?? null,
    entity,
    payload,
    receivedAt: RECEIVED,
  }
  timed('store', () => storeRefOf(kind, payload))
  timed('proofs', () => proofsOf(planned))
  timed('summary', () => summaryOf(kind, payload))
  const event: Event = {
    ...{ id: 1, subscription: null, transportKey: 'T-1', revision: 1, bodyHash: '0'.repeat(32) },
    ...planned,
    body,
  }
  for (const flow of flows.filter(({ kinds }) => kinds === 'all' || kinds.includes(kind))) {
    const steps = timed(`${flow.name}: plan`, () => flow.plan(planned)) ?? []
    for (const step of new Set([...steps.slice(0, 1), ...steps.slice(-1)])) execute(flow, event, step, timed)
  }
  return times
}

function execute(flow: Flow, event: Event, step: Step, timed: <T>(what: string, work: () => T) => T | null) {
  let settlement: ReturnType<typeof readSettlement> | null = null
  const { sources } = sourcesOf({
    async settlements() {
      settlement = readSettlement(pulledSettlement())
      return settlement
    },
  })
  const guarded = {
    ...{ ...claimOf({ firstTriedAt: RECEIVED, ...step }), event, part: step.part, now: RECEIVED, invalidated: 1 },
    ...{ known: { ...known, released: null }, onlyLook: false, makesCall: () => false },
  }
  // What a guard does with the event is done before it asks for anything.
  for (const { name, check } of flow.guards ?? [])
    timed(`${flow.name}: ${name}`, () => void check?.(guarded, sources, signal).catch(isOfMachine))
  const call = timed(`${flow.name}: call`, () => flow.call(event, step, { ...known, settlement }))
  if (call) timed(`${flow.name}: written`, () => written(call))
}

const { signal } = new AbortController()

function isOfMachine(error: Error): void {
  if (error instanceof TypeError || error instanceof RangeError) throw error
}

/** What adapters make of a call in the hub's own process: a file, rows, a receipt. */
function written(call: Call): void {
  if (call.port === 'email' && call.method === 'send' && call.argument.type === 'receipt')
    createReceiptView(call.argument, WORDINGS.en, 'Shop')
  if (call.port !== 'backOffice') return
  const layout = layouts[kindOfRecord(call.method)]
  if (layout) contentOf(layout, [rowsOf(layout, call.method, call.argument, 'K-1')])
  for (const { method, tables } of records)
    if (method === call.method) for (const table of tables) table.rowsOf(call.argument, 'K-1')
}

const layouts = WriteOptions.parse(Object.fromEntries(BOOKING_NAMES.map((method) => [kindOfRecord(method), {}])))
const records = recordsTaken(undefined, true)

/** What takes less is not told from nothing (milliseconds). */
const LEAST = 8

/** What takes longer than linear time, when there is eight times as much of something; and what takes more than `most`. */
export function tooSlow(few: Times, many: Times, most = Infinity): string[] {
  return [...many].flatMap(([what, time]) => {
    const before = few.get(what) ?? 0
    const isLinear = time < LINEAR * Math.max(before, LEAST)
    return isLinear && time < most ? [] : [`${what}: ${Math.round(before)} ms, then ${Math.round(time)} ms`]
  })
}

/** The JSON of a payload in which a list stands that has one in it, that has one in it … */
export function nested(withFilling: (filling: unknown) => unknown, depth: number): Uint8Array {
  const [before = '', after = ''] = JSON.stringify(withFilling(MARK)).split(JSON.stringify(MARK))
  return Buffer.from(`${before}${'['.repeat(depth)}${']'.repeat(depth)}${after}`)
}

const MARK = 'here it goes down'
