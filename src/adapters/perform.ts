import type {
  Attempt,
  Batch,
  BatchItem,
  BatchResult,
  Call,
  Effect,
  PlatformCall,
  PlatformPort,
  PortName,
  Ports,
} from './adapter.ts'

/** A call and the attempt that it is part of. */
export interface Performed {
  call: Call
  attempt: Attempt
}

/**
 * Carries out what goes out together on the ports of a destination: one call, or several of one method that takes a batch.
 * What became of each, in their order; what is thrown holds for all of them.
 */
export async function perform(ports: Ports, together: readonly Performed[]): Promise<BatchResult> {
  const [first] = together
  if (!first) return []
  const { call, attempt } = first
  if (call.port === 'platform' && takesBatch(call)) {
    const results = await performBatch(given(ports, 'platform'), call.method, together)
    if (results.length === together.length) return results
    throw new TypeError(`the adapter gave ${results.length} results for ${together.length} in a batch`)
  }
  if (together.length > 1) throw new TypeError(`${call.port}.${call.method} takes one at a time`)
  return [await performOne(ports, call, attempt)]
}

/** The `find` of a port, where the adapter has one. */
export function finderOf(
  ports: Ports,
  port: PortName,
): ((attempt: Attempt, call: Call) => Promise<Effect | null>) | null {
  const found = ports[port]
  return found?.find ? (attempt, call) => found.find?.(attempt, call) ?? Promise.resolve(null) : null
}

const BATCHES = ['upsertProducts', 'insertProducts', 'savePrices', 'saveCosts', 'setStock'] as const
type BatchMethod = (typeof BATCHES)[number]
type BatchCall = Extract<PlatformCall, { method: BatchMethod }>

function takesBatch(call: PlatformCall): call is BatchCall {
  return (BATCHES as readonly string[]).includes(call.method)
}

/** The flow that made them all is one, so that their methods and the kinds of their arguments are. */
function performBatch(port: PlatformPort, method: BatchMethod, together: readonly Performed[]): Promise<BatchResult> {
  const batch = together.map(({ call, attempt }): BatchItem<unknown> => ({ argument: call.argument, attempt }))
  const carryOut = port[method] as (batch: Batch<unknown>) => Promise<BatchResult>
  return carryOut.call(port, batch)
}

function performOne(ports: Ports, call: Call, attempt: Attempt): Promise<Effect> {
  switch (call.port) {
    case 'publish':
      return given(ports, call.port).publish(call.argument, attempt)
    case 'orders':
      return given(ports, call.port).create(call.argument, attempt)
    case 'email':
    case 'texts':
      return given(ports, call.port).send(call.argument, attempt)
    case 'platform':
      return performPlatform(given(ports, call.port), call, attempt)
  }
}

function performPlatform(port: PlatformPort, call: PlatformCall, attempt: Attempt): Promise<Effect> {
  switch (call.method) {
    case 'saveProductText':
      return port.saveProductText(call.argument, attempt)
    case 'countStock':
      return port.countStock(call.argument, attempt)
    case 'createDelivery':
      return port.createDelivery(call.argument, attempt)
    case 'importSale':
      return port.importSale(call.argument, attempt)
    case 'createOrder':
      return port.createOrder(call.argument, attempt)
    case 'saveCustomer':
      return port.saveCustomer(call.argument, attempt)
    default:
      throw new TypeError(`platform.${call.method} takes a batch`)
  }
}

function given<P extends PortName>(ports: Ports, port: P): NonNullable<Ports[P]> {
  const found = ports[port]
  if (!found) throw new Error(`This destination has no ${port} port.`)
  return found
}
