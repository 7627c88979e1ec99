import type { createPlatform } from './create-platform.ts'
import type { Listed, WireRecord } from './http/read.ts'
import type { storeShape } from './resources/stock.ts'

export type { EventQuery, EventRecord, LogAnswer, Subscription } from './resources/webhooks.ts'

export type PlatformStore = Omit<ReturnType<typeof storeShape>, 'record'> & { record?: WireRecord }

export interface Platform extends Omit<ReturnType<typeof createPlatform>, 'stores'> {
  stores: { list(signal?: AbortSignal): Promise<Listed<PlatformStore>> }
}
