import { readFileSync } from 'node:fs'
import type { AdapterInstance } from '../../../src/adapters/adapter.ts'
import type { OrdersPort } from '../../../src/ports/ports.ts'
import { load, MINIMUM } from '../../../test/config/fixture.ts'
import { type Oms, startOms } from '../../../test/peers/oms/oms.ts'
import rest from '../src/rest.ts'

/** The config that a page of docs/adapters shows, read as the hub reads it. */
export async function configOf(page: string, env: Record<string, string>, options = { rest: rest.options }) {
  const [, yaml = ''] = /```yaml\n(destinations:.*?)```/s.exec(readFileSync(`docs/adapters/${page}.md`, 'utf8')) ?? []
  const config = await load(MINIMUM + yaml, { env, options })
  const [destination] = config.destinations
  if (!destination) throw new Error(`The page ${page} has no destination.`)
  return destination
}

export function startRest(options: Record<string, unknown>, destination = 'oms', timeout = 5_000): AdapterInstance {
  return rest.create(rest.options.parse(options), { destination, timeout, concurrency: 2 })
}

export interface WithOms extends AsyncDisposable {
  oms: Oms
  instance: AdapterInstance
  orders: Required<OrdersPort>
}

/** The OMS of the sandbox, and the adapter with the config of the page. */
export async function startWithOms(options: Parameters<typeof startOms>[0] = {}): Promise<WithOms> {
  const oms = await startOms(options)
  const destination = await configOf('home-made-oms', { OMS_URL: oms.url, OMS_CLIENT_SECRET: 'secret-of-the-oms' })
  const instance = startRest(destination.options)
  return {
    oms,
    instance,
    orders: instance.ports.orders as Required<OrdersPort>,
    async [Symbol.asyncDispose]() {
      await instance[Symbol.asyncDispose]()
      await oms[Symbol.asyncDispose]()
    },
  }
}
