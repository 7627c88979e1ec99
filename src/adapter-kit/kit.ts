/** `tillbridge/adapter/test`: proves an adapter against faults of the network and of its system. Changes by semantic versioning. */

export type { ProxiedRequest } from './fault-proxy.ts'

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { z } from 'zod'
import type { Adapter, AdapterInstance } from '../adapters/adapter.ts'
import { UNKNOWN_CUSTOMER } from '../domain/customers/customer-record.ts'
import { posOrder } from '../domain/orders/order.ts'
import { mayBeDestinationWide, type Outcome, outcomeOf } from '../domain/queue/outcome.ts'
import { messageOf, UserError } from '../domain/values/errors.ts'
import { parseDecimal } from '../domain/values/money.ts'
import type { Flow } from '../flows/flow.ts'
import { flows } from '../flows/index.ts'
import { readSale } from '../platform/payloads/sale.ts'
import { abilitiesOf, perform, TAKES } from '../ports/perform.ts'
import type { Attempt, Call, CustomerMessage, PortName, Ports } from '../ports/ports.ts'
import { lookUpAndPerform, whenUnknown } from '../queue/call.ts'
import { type FaultProxy, type ProxiedRequest, type ProxyFault, startFaultProxy } from './fault-proxy.ts'

/** What the kit needs of the system that an adapter is for; `export default` of its `kit.js`. */
export interface AdapterKit {
  /** Starts the system, with nothing in it: one that imitates it, or the real one. The kit disposes of it. */
  start(): Promise<KitSystem>
  /** Arguments of calls in place of the kit's own, of the n-th thing: `{ 'orders.create': (n) => order }`; undefined: that call is left out. */
  calls?: Record<string, ((n: number) => unknown) | undefined>
  /** Requests that change nothing, where more than GET and HEAD do. */
  isRead?(request: ProxiedRequest): boolean
  /** Why the status alone says that such a call is done, whatever else is answered: `{ 'publish.publish': 'a receiver of any make' }`. */
  statusAlone?: Record<string, string>
  /** Why an effect in doubt may come twice. The adapter's page says so, too. */
  mayRepeat?: string
}

export interface KitSystem extends AsyncDisposable {
  /** Where it speaks HTTP. The kit's faults are put before it. */
  url?: string
  /** The adapter's options, as config has them, for the system at `url`. */
  options(url: string): Record<string, unknown>
  /** How many effects of such calls (`orders.create`) are there, complete. */
  effects(call: string): number | Promise<number>
  /** Its ids of what was there before, as the hub knows them. */
  links?: Attempt['links']
  /** Puts a fault on the next call (null: on none), where it does not speak HTTP. False: it cannot. `executed`: calls it when a call that is not to be answered had its effect. */
  fault?(name: Fault | null, executed: () => void): boolean
}

const JSON_TYPE = { 'content-type': 'application/json' }
const answer = (status: number, body: string, headers: Record<string, string> = JSON_TYPE): ProxyFault => ({
  ...{ type: 'answer', status, headers, body },
})

const FAULTS = {
  'answer lost': { type: 'lose' },
  'request lost': { type: 'cut' },
  '429 with Retry-After': answer(429, '{}', { ...JSON_TYPE, 'retry-after': '30' }),
  'answer 500': answer(500, '{}'),
  'answer 503': answer(503, '{}'),
  'answer 401': answer(401, '{}'),
  'HTML instead of an answer': answer(200, '<!DOCTYPE html><title>Log in</title>', { 'content-type': 'text/html' }),
  'empty answer': answer(200, ''),
  'JSON of another shape': answer(200, '{"unexpected":true}'),
} as const satisfies Record<string, ProxyFault>

export type Fault = keyof typeof FAULTS | typeof TIMEOUT

const OTHER_ANSWERS: readonly string[] = ['HTML instead of an answer', 'empty answer', 'JSON of another shape']
const TIMEOUT = 'time-out after success'
/** They refuse whatever else is sent in the same attempt. */
const LASTING: readonly Fault[] = ['429 with Retry-After', 'answer 503', 'answer 401']
const FAULT_NAMES = [TIMEOUT, ...Object.keys(FAULTS)] as readonly Fault[]

export type Verdict = 'one effect' | 'held and named' | 'may repeat, as it says' | 'not applicable' | 'FAIL'

export interface CaseResult {
  /** `orders.create` */
  call: string
  case: string
  verdict: Verdict
  detail: string
}

/** An adapter that does not stop so long after it is told to is left (ms). */
const GRACE = 1_000

/** Of a call of many requests, a fault is put on each of so many. */
const MAX_REQUESTS = 12

/**
 * Runs each call of the adapter through each case: one effect, or held and named. Throws a UserError if the kit gives options that the adapter
 * refuses. An adapter that does not speak HTTP is observed of faults by `fault` of its system.
 */
export async function testAdapter(adapter: Adapter, kit: AdapterKit): Promise<CaseResult[]> {
  const results = optionCases(adapter)
  const calls = await callsOf(adapter, kit)
  for (const { call, argument } of calls) {
    if (argument) results.push(...(await testCall(adapter, kit, call, argument)))
    else results.push({ call, case: 'all', verdict: 'not applicable', detail: 'the kit has no argument: give `calls`' })
  }
  if (calls.length > 0) return results
  return [...results, { call: '-', case: 'ports', verdict: 'FAIL', detail: 'the adapter has no port with a call' }]
}

function optionCases({ options }: Adapter): CaseResult[] {
  const bare = Object.entries(options.shape).filter(([, one]) => !/\w/.test((one as z.ZodType).description ?? ''))
  const issues = options.safeParse({ nonsense: true }).error?.issues ?? []
  const isNamed = issues.some(({ code, message }) => code === 'unrecognized_keys' && message.includes('nonsense'))
  const faults = bare.map(([name]) => `${name} is not described: .describe('…')`)
  if (!isNamed) faults.push('an unknown key is not refused: z.strictObject')
  return faults.map((detail) => ({ call: '-', case: 'options', verdict: 'FAIL', detail }))
}

async function callsOf(adapter: Adapter, kit: AdapterKit) {
  await using scene = await startScene(adapter, kit, '')
  const { ports } = scene.instance
  const unknown = Object.keys(ports).find((port) => !(port in TAKES))
  if (unknown !== undefined)
    throw new UserError(`The adapter has the port ${unknown}, which is none of ${Object.keys(TAKES).join(', ')}.`)
  return abilitiesOf(ports).flatMap((call) => {
    const [port, method = ''] = call.split('.') as [PortName, string?]
    return method in TAKES[port] ? [{ call, argument: { ...SAMPLES, ...kit.calls }[call] }] : []
  })
}

async function testCall(
  adapter: Adapter,
  kit: AdapterKit,
  name: string,
  argument: (n: number) => unknown,
): Promise<CaseResult[]> {
  const [port, method] = name.split('.')
  const deliveryOf = ({ id, links }: Scene, n: number): Delivery => ({
    ...{ key: `Kit:${id}-${n}:${port}:${method}`, previous: 'none', firstTriedAt: null, links },
    call: { port, method, argument: argument(n) } as Call,
  })
  const results: CaseResult[] = []
  let writes = 1

  async function test(title: string, run: (scene: Scene) => Promise<Observed>): Promise<void> {
    await using scene = await startScene(adapter, kit, name)
    const stray: unknown[] = []
    const note = (error: unknown) => void stray.push(error)
    process.on('unhandledRejection', note)
    let observed = await run(scene).catch((error: unknown): Observed => ({ wrong: `the case broke off: ${error}` }))
    process.off('unhandledRejection', note)
    if (stray.length > 0) observed = { wrong: `it leaves an error to nobody, which ends the hub: ${stray[0]}` }
    const { verdict, detail } = judged(observed, await scene.effects(), name, kit)
    const isHeld = title === DONE && verdict !== 'one effect'
    results.push({ call: name, case: title, verdict: isHeld ? 'FAIL' : verdict, detail })
    if (title === DONE) writes = Math.min(Math.max(1, scene.writes()), MAX_REQUESTS)
  }

  await test(DONE, async (scene) => ({ ending: await untilItEnds(scene.instance.ports, deliveryOf(scene, 1)) }))
  if (results[0]?.verdict !== 'one effect') return results
  await test('duplicate', async (scene) => {
    const one = deliveryOf(scene, 1)
    await untilItEnds(scene.instance.ports, one)
    await again(scene, one)
    return { ending: await again(scene, one), inDoubt: true }
  })
  await test('crash between call and outcome', async (scene) => {
    const one = deliveryOf(scene, 1)
    await untilItEnds(scene.instance.ports, one)
    await scene.restart()
    return { ending: await again(scene, one), inDoubt: true }
  })
  await test('reorder', async (scene) => {
    const [older, newer] = [deliveryOf(scene, 1), deliveryOf(scene, 2)]
    const endings = [await untilItEnds(scene.instance.ports, newer), await untilItEnds(scene.instance.ports, older)]
    const ending = await again(scene, newer)
    return { ending: endings.find(({ type }) => type !== 'delivered') ?? ending, expected: 2, inDoubt: true }
  })
  for (const fault of FAULT_NAMES) {
    const before = results.length
    for (let at = 1; at <= writes; at += 1)
      await test(fault, async (scene) => await withFault(scene, deliveryOf(scene, 1), fault, at))
    results.push(worst(results.splice(before)))
  }
  await test('replica lag', async (scene) => {
    const one = deliveryOf(scene, 1)
    if (!(await scene.lag(false))) return { none: NO_HTTP }
    scene.fault('answer lost', writes)
    const first = await attemptOnce(scene.instance.ports, one)
    scene.clear()
    await scene.lag(true)
    const isOpen = first.type === 'unknown'
    const during = isOpen ? await attemptOnce(scene.instance.ports, one, { mayStillLand: true }) : first
    await scene.lag(false)
    return { ending: await untilItEnds(scene.instance.ports, one, during), inDoubt: true }
  })
  return results
}

/** Whether it had its effect is not known any more, and it comes again. */
async function again({ instance }: Scene, delivery: Delivery): Promise<Ending> {
  delivery.previous = 'open'
  return await untilItEnds(instance.ports, delivery)
}

const DONE = 'done'
const NO_HTTP = 'it does not speak HTTP, and `fault` of its system cannot do that'

/** `none`: why the case is not applicable. */
type Observed =
  | { ending: Ending; expected?: number; inDoubt?: boolean; isOtherAnswer?: boolean }
  | { wrong: string }
  | { none: string }

async function withFault(
  { instance, fault, clear }: Scene,
  delivery: Delivery,
  name: Fault,
  at: number,
): Promise<Observed> {
  const put = fault(name, at)
  if (!put) return { none: NO_HTTP }
  const controller = new AbortController()
  const attempting = attemptOnce(instance.ports, delivery, { signal: controller.signal })
  let first: Outcome | null = null
  if (name === TIMEOUT) {
    await Promise.race([put.hung, attempting])
    controller.abort(new Error('no result within the timeout'))
    first = await Promise.race([attempting, setTimeout(GRACE, null, { ref: false })])
    if (first === null) return { wrong: `it does not stop within ${GRACE} ms when attempt.signal says so` }
  } else first = await attempting
  clear()
  if (name === '429 with Retry-After' && first.type === 'dead')
    return { wrong: `a 429 is no refusal for ever, and became: ${first.why}` }
  const ending = await untilItEnds(instance.ports, delivery, first)
  return { ending, inDoubt: name !== '429 with Retry-After', isOtherAnswer: OTHER_ANSWERS.includes(name) }
}

function judged(
  observed: Observed,
  effects: number,
  call: string,
  { mayRepeat, statusAlone }: AdapterKit,
): Pick<CaseResult, 'verdict' | 'detail'> {
  if ('wrong' in observed) return { verdict: 'FAIL', detail: observed.wrong }
  if ('none' in observed) return { verdict: 'not applicable', detail: observed.none }
  const { ending, expected = 1, inDoubt = false, isOtherAnswer = false } = observed
  const { type, why } = ending
  const fail = (detail: string) => ({ verdict: 'FAIL' as const, detail: why === '' ? detail : `${detail}: ${why}` })
  if (effects > expected && inDoubt && mayRepeat && type === 'delivered')
    return { verdict: 'may repeat, as it says', detail: mayRepeat }
  if (effects > expected) return fail(`${effects} effects instead of ${expected}`)
  const lone = statusAlone?.[call]
  if (type === 'delivered' && effects < expected && isOtherAnswer && lone !== undefined)
    return { verdict: 'not applicable', detail: `the status alone counts: ${lone}` }
  if (type === 'delivered' && effects < expected)
    return fail(`it says done, and ${effects} of ${expected} effects are there`)
  if (type === 'delivered') return { verdict: 'one effect', detail: why }
  if (type === 'endless') return fail('it never ends')
  if (!/\w/.test(why)) return fail('it gives no reason')
  if (type === 'dead' && effects > 0) return fail('it says that it never happened, and it did')
  return { verdict: 'held and named', detail: why }
}

const BADNESS: readonly Verdict[] = ['one effect', 'not applicable', 'may repeat, as it says', 'held and named', 'FAIL']

function worst(results: readonly CaseResult[]): CaseResult {
  const rank = ({ verdict }: CaseResult) => BADNESS.indexOf(verdict)
  return results.reduce((one, other) => (rank(other) > rank(one) ? other : one))
}

/** A delivery as the hub knows it between two attempts. */
interface Delivery extends Pick<Attempt, 'key' | 'previous' | 'firstTriedAt' | 'links'> {
  call: Call
}

/** What became of a delivery; `why`: in the adapter's words. */
interface Ending {
  type: 'delivered' | 'held' | 'dead' | 'endless'
  why: string
}

/** Of one attempt (ms). */
const ATTEMPT_TIMEOUT = 10_000
const MAX_ATTEMPTS = 8

/** One attempt, made as the hub makes it: what is in doubt is looked up first. Never throws. */
async function attemptOnce(
  ports: Ports,
  delivery: Delivery,
  { signal, mayStillLand = false }: { signal?: AbortSignal; mayStillLand?: boolean } = {},
): Promise<Outcome> {
  const { call, previous, links } = delivery
  const flow = flowOf(call)
  const way = whenUnknown(flow, ports)
  const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT)
  const attempt: Attempt = {
    ...{ key: delivery.key, previous, firstTriedAt: delivery.firstTriedAt, mayStillLand },
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    links,
  }
  delivery.firstTriedAt ??= Date.now()
  const outcome = await resultOf().catch(outcomeOf)
  if (outcome.type === 'unknown') delivery.previous = 'open'
  else if (outcome.type === 'retry' && outcome.scope === 'item') delivery.previous = 'failed'
  return outcome

  async function resultOf(): Promise<Outcome> {
    if (previous === 'open' && way === 'hold')
      return { type: 'held', code: 'uncertain', why: 'in doubt: an operator looks whether it happened' }
    const inDoubtUntil = mayStillLand ? Date.now() + ATTEMPT_TIMEOUT : null
    const unlessFindable = flow.whenInDoubt ?? 'hold'
    const [result] =
      previous === 'open' && way === 'find'
        ? await lookUpAndPerform(ports, [{ call, attempt, onlyLook: false, unlessFindable, inDoubtUntil }])
        : await perform(ports, [{ call, attempt }])
    if (!result || result instanceof Error) return outcomeOf(result ?? new TypeError('the adapter returned nothing'))
    return { type: 'delivered', links: [], note: result.note ?? null }
  }
}

/** Goes on after an outcome as the hub does, without its pauses, until the delivery has ended. */
async function untilItEnds(ports: Ports, delivery: Delivery, first?: Outcome): Promise<Ending> {
  let outcome = first ?? (await attemptOnce(ports, delivery))
  for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts += 1) {
    if (outcome.type === 'delivered') return { type: 'delivered', why: outcome.note ?? '' }
    const isDead = outcome.type === 'dead' && !mayBeDestinationWide(outcome)
    if (isDead || outcome.type === 'held') return { type: isDead ? 'dead' : 'held', why: outcome.why }
    if (outcome.type === 'unknown' && outcome.byHand) return { type: 'held', why: outcome.why }
    outcome = await attemptOnce(ports, delivery)
  }
  return { type: 'endless', why: 'why' in outcome ? outcome.why : '' }
}

/** The flow that makes such a call: it says what becomes of it in doubt. */
function flowOf({ port, method }: Call): Flow {
  const found = flows.find((flow) => flow.port === port && (flow.method ?? method) === method)
  if (!found) throw new TypeError(`No flow calls ${port}.${method}.`)
  return found
}

const GTINS = ['7090012340011', '7090012340028']

/** What the kit calls a port with, where the author gives nothing else: the n-th of several things. */
const SAMPLES: Readonly<Record<string, (n: number) => unknown>> = {
  'publish.publish': (n) => ({
    kind: 'SaleCreated',
    body: Buffer.from(JSON.stringify(salePayload(n))),
    receivedAt: Date.now(),
  }),
  'orders.create': orderOf,
  'orders.draft': orderOf,
  'customers.upsert': customerOf,
  'stock.setLevels': (n) => ({ location: 'web', gtin: GTINS[n - 1], sku: null, level: parseDecimal(7) }),
  'email.send': (n) => receiptTo('kari@example.com', n),
  'texts.send': (n) => receiptTo('+4791234567', n),
  'backOffice.bookSale': (n) => ({
    ...{ storeNo: '101', storeId: '42', storeKey: '101', country: 'NO', stockId: null, day: '2026-11-20' },
    ...{ external: false, sale: readSale(salePayload(n)) },
  }),
}

function orderOf(n: number) {
  return posOrder(readSale(salePayload(n)))
}

function customerOf(n: number) {
  const name = { firstName: 'Kari', lastName: `Nordmann ${n}`, email: `kari.${n}@example.com` }
  return { ...UNKNOWN_CUSTOMER, ...name, customerId: `C-${n}`, countryCode: 'NO' }
}

function receiptTo(to: string, n: number): CustomerMessage {
  return { type: 'receipt', sale: readSale(salePayload(n)), to, name: 'Kari Nordmann', signature: null }
}

/** A T-shirt for 349 NOK, paid by card (spec, "Sale payload"). */
function salePayload(n: number): object {
  return { ...SALE, receiptNo: `${1000 + n}`, orderNo: `EA-${n}` }
}

const SALE: object = JSON.parse(readFileSync(join(import.meta.dirname, '../../config/adapter/sale.json'), 'utf8'))

/** An adapter at work on a system that was just started. */
interface Scene extends AsyncDisposable {
  /** Another for each: a real system may keep what earlier ones have made. */
  id: string
  instance: AdapterInstance
  writes(): number
  /** Puts a fault on the n-th request that changes something. `hung`: it was executed, and is not answered. */
  fault(name: Fault, at: number): { hung: Promise<void> } | null
  clear(): void
  /** Reads are answered by a system that has seen no write. False: that cannot be. */
  lag(on: boolean): Promise<boolean>
  restart(): Promise<void>
  effects(): Promise<number>
  links: Attempt['links']
}

async function startScene(adapter: Adapter, kit: AdapterKit, call: string): Promise<Scene> {
  await using starting = new AsyncDisposableStack()
  const system = starting.use(await startSystem(kit))
  let replica: KitSystem | null = null
  let isLagging = false
  let writes = 0
  let pending: { at: number; fault: ProxyFault; lasts: boolean } | null = null
  const isRead = (one: ProxiedRequest) => /^(GET|HEAD)$/.test(one.method) || kit.isRead?.(one) === true
  let proxy: FaultProxy | null = null
  if (system.url !== undefined) {
    const { url } = system
    const faultOf = (one: ProxiedRequest) => {
      if (isRead(one)) return null
      writes += 1
      return pending && (writes === pending.at || (pending.lasts && writes > pending.at)) ? pending.fault : null
    }
    proxy = starting.use(
      await startFaultProxy(url, faultOf, (one) => (isLagging && isRead(one) ? (replica?.url ?? url) : url)),
    )
  }
  const parsed = adapter.options.safeParse(system.options(proxy?.url ?? ''))
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new UserError(`The adapter refuses the options of its kit: ${faults.join('; ')}`)
  }
  const create = () => adapter.create(parsed.data, { destination: 'kit', timeout: 3_000, concurrency: 2 })
  const instance = await orSay('The adapter cannot be made', create)
  const open = starting.move()
  const scene: Omit<Scene, typeof Symbol.asyncDispose> = {
    id: randomUUID(),
    instance,
    writes: () => writes,
    fault(name, at) {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (!proxy) return at === 1 && system.fault?.(name, resolve) ? { hung: promise } : null
      const fault = name === TIMEOUT ? { type: 'hang' as const, executed: resolve } : FAULTS[name]
      pending = { at, fault, lasts: LASTING.includes(name) }
      return { hung: promise }
    },
    clear() {
      pending = null
      if (!proxy) system.fault?.(null, () => {})
    },
    async lag(on) {
      if (on && proxy) replica ??= open.use(await startSystem(kit))
      isLagging = on
      return proxy !== null
    },
    async restart() {
      await scene.instance[Symbol.asyncDispose]()
      scene.instance = create()
    },
    async effects() {
      const count = await orSay('effects() of the kit failed', () => system.effects(call))
      if (Number.isInteger(count)) return count
      throw new UserError(`effects() of the kit gives no whole number for ${call}, but ${inspect(count)}.`)
    },
    links: system.links ?? (async () => []),
  }
  return Object.assign(scene, {
    async [Symbol.asyncDispose]() {
      await using _ = open
      await orSay('The adapter cannot be closed', async () => await scene.instance[Symbol.asyncDispose]())
    },
  })
}

async function startSystem(kit: AdapterKit): Promise<KitSystem> {
  const system: Partial<KitSystem> = Object(await orSay('start() of the kit failed', () => kit.start()))
  const { options, effects, [Symbol.asyncDispose]: dispose } = system
  if ([options, effects, dispose].every((one) => typeof one === 'function')) return system as KitSystem
  throw new UserError('start() of the kit must give options, effects and [Symbol.asyncDispose], each a function.')
}

/** What fails outside of a case is for the author to put right. */
async function orSay<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new UserError(`${what}: ${messageOf(error)}`, { cause: error })
  }
}
