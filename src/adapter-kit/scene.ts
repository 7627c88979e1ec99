import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import type { Adapter, AdapterInstance } from '../adapters/adapter.ts'
import { messageOf, UserError } from '../domain/values/errors.ts'
import type { Attempt } from '../ports/ports.ts'
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

export const OTHER_ANSWERS: readonly string[] = ['HTML instead of an answer', 'empty answer', 'JSON of another shape']
export const TIMEOUT = 'time-out after success'
/** They refuse whatever else is sent in the same attempt. */
const LASTING: readonly Fault[] = ['429 with Retry-After', 'answer 503', 'answer 401']
export const FAULT_NAMES = [TIMEOUT, ...Object.keys(FAULTS)] as readonly Fault[]

/** An adapter at work on a system that was just started. */
export interface Scene extends AsyncDisposable {
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

export async function startScene(adapter: Adapter, kit: AdapterKit, call: string): Promise<Scene> {
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
