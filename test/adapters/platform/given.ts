import { startPlatform } from '../../../sandbox/platform/platform.ts'
import { createPlatformPort } from '../../../src/adapters/platform/platform-port.ts'
import type { SubmittedOrder } from '../../../src/domain/catalogue/submitted.ts'
import type { Link } from '../../../src/domain/orders/link.ts'
import { createPlatform, type Platform, type PlatformOptions } from '../../../src/platform/platform.ts'
import type { Attempt, Batch, BatchItem, PlatformPort } from '../../../src/ports/ports.ts'
import { type PlatformServer, startPlatformServer } from '../../platform/server.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

interface Ways extends AsyncDisposable {
  platform: Platform
  port: PlatformPort
}

/** The sandbox's platform, and both ways to it: the client, and the port made of it. */
export async function toSandbox(options: Partial<PlatformOptions> = {}) {
  const sandbox = await startPlatform(KEYS)
  return { sandbox, ...waysTo(sandbox.url, options, sandbox) }
}

/** A server that says what it is told to say. */
export async function toServer(options: Partial<PlatformOptions> = {}): Promise<Ways & { server: PlatformServer }> {
  const server = await startPlatformServer()
  return { server, ...waysTo(server.url, options, server) }
}

function waysTo(baseUrl: string, options: Partial<PlatformOptions>, other: AsyncDisposable): Ways {
  const platform = createPlatform({ preset: 'spec', baseUrl, ...KEYS, ...options })
  return {
    platform,
    port: createPlatformPort(platform),
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
    },
  }
}

export const onlineOrder: SubmittedOrder = {
  orderNo: 'W-1001',
  storeId: '42',
  stockId: '12',
  saleDateTime: '2026-11-20T10:00:00+01:00',
  customer: { email: 'kari@example.com', firstName: 'Kari', lastName: 'Li', phone: '', phoneCountryCode: '' },
  lines: [{ gtin: '7090000000011', price: '999.00', quantity: '1' }],
  payments: [],
}

export function attempt(given: Partial<Attempt> & { known?: Omit<Link, 'destination'>[] } = {}): Attempt {
  const { known = [], ...more } = given
  return {
    key: 'DeliverySubmitted:erp/1:create-delivery',
    previous: 'none',
    firstTriedAt: null,
    signal: new AbortController().signal,
    links: async (kind, ids) =>
      known
        .filter((link) => link.kind === kind && ids.includes(link.id))
        .map((link) => ({ ...link, destination: 'platform' })),
    ...more,
  }
}

export function batchOf<Argument>(
  all: readonly Argument[],
  given: Parameters<typeof attempt>[0] = {},
): Batch<Argument> {
  return all.map((argument): BatchItem<Argument> => ({ argument, attempt: attempt(given) }))
}
