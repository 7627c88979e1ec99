import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HubProcess } from '../hub-process.ts'

/** How often a live webhook comes (milliseconds). */
const LIVE_EVERY = 20

/** Sends new webhooks, one after the other, until it is told to end; how long each took (milliseconds). */
export function sendLive(hub: Pick<HubProcess, 'post'>, kind: string) {
  const latencies: number[] = []
  let isOver = false
  const sending = (async () => {
    while (!isOver) {
      const begun = performance.now()
      if (!(await hub.post(kind, { saleGuid: randomUUID() }))) throw new Error('A live webhook was not accepted.')
      latencies.push(performance.now() - begun)
      await sleep(LIVE_EVERY)
    }
  })()
  return {
    async end(): Promise<number[]> {
      isOver = true
      await sending
      return latencies
    },
  }
}
