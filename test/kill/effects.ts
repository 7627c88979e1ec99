import { listen } from '../listen.ts'

export const PROMISES = ['publish', 'find', 'repeat', 'hold'] as const
/** The name of the flow, of its destination, and of its path at the sink. */
export type Promised = (typeof PROMISES)[number]

/** Where effects happen, counted by promise, receipt number and key. */
export interface EffectSink extends AsyncDisposable {
  urlOf(promised: Promised): string
  /** How often each key had its effect, by receipt number. */
  effects: Record<Promised, Map<string, Map<string, number>>>
}

/**
 * A receiver for everything that the hub does. `mischief` says, for each effect, whether its answer is kept back
 * (the effect happened, the caller never hears of it).
 */
export async function startEffectSink(mischief: () => boolean): Promise<EffectSink> {
  const effects: EffectSink['effects'] = { publish: new Map(), find: new Map(), repeat: new Map(), hold: new Map() }
  const server = await listen((request, response) => {
    const promised = request.url?.slice(1) as Promised
    const key = String(request.headers['webhook-id'])
    const receiptNo = key.split('/')[2] ?? ''
    const ofReceipt = effects[promised].get(receiptNo) ?? new Map<string, number>()
    if (request.method === 'GET') {
      response.writeHead(ofReceipt.has(key) ? 200 : 204).end()
      return
    }
    request.resume().on('end', () => {
      ofReceipt.set(key, (ofReceipt.get(key) ?? 0) + 1)
      effects[promised].set(receiptNo, ofReceipt)
      if (mischief()) response.destroy()
      else response.end()
    })
  })
  return {
    urlOf: (promised) => `${server.url}/${promised}`,
    effects,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}
