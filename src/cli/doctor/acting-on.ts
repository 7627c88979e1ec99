import type { Config } from '../../config/config.ts'
import { flows } from '../../flows/index.ts'

/** The parts of config that tell what acts on a kind. */
export type Configured = Pick<Config, 'destinations' | 'mirror' | 'platform'>

/** The ports that a destination of a built-in adapter can have; one of the operator's own may have any. */
const PORTS: Readonly<Record<string, readonly string[]>> = {
  files: ['backOffice'],
  sql: ['backOffice'],
  http: [],
  smtp: ['email'],
  'sms-http': ['texts'],
  woocommerce: ['orders', 'customers', 'stock'],
  vendure: ['orders', 'customers', 'stock'],
}

/** The destinations that something goes to because of a kind, as far as config tells. */
export function actingOn({ destinations, mirror }: Configured, kind: string): string[] {
  return [
    ...destinations.filter((one) => actsOn(one, kind)).map(({ name }) => name),
    ...(mirror === 'all' && portsOf(kind).has('mirror') ? ['mirror'] : []),
  ]
}

function actsOn(destination: Config['destinations'][number], kind: string): boolean {
  return flowsOf(destination, kind).length > 0
}

/** The flows by which a kind makes steps for a destination, as far as config tells. */
export function flowsOf({ adapter, options, skip, messages }: Config['destinations'][number], kind: string) {
  const ports = PORTS[adapter] ?? (adapter === 'rest' ? Object.keys(options) : null)
  return flows.filter(
    ({ name, kinds, port, message }) =>
      kinds !== 'all' &&
      kinds.includes(kind) &&
      (ports === null ? port !== 'mirror' : ports.includes(port)) &&
      (message === undefined || messages.includes(message)) &&
      !skip.includes(name),
  )
}

function portsOf(kind: string): Set<string> {
  return new Set(flows.filter(({ kinds }) => kinds !== 'all' && kinds.includes(kind)).map(({ port }) => port))
}
