import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { stockMovement } from '../fixtures/payloads.ts'
import { WEBHOOK_TOKEN } from '../hub.ts'

/** Sends at a rate, as a balancer would: in turn, to the other one where a connection is refused. */
export function startLoad(urls: readonly string[], rate: number) {
  const agent = new Agent({ connections: 16, pipelining: 1, keepAliveTimeout: 60_000 })
  const taken = new Set<number>()
  const others: string[] = []
  const began = performance.now()
  let lasted = 0
  let refused = 0
  let running = true
  let next = 0

  async function send(n: number, turn: number): Promise<void> {
    const url = urls[turn % urls.length]
    try {
      const answer = await request(`${url}/webhooks/StockMovementCreated?token=${WEBHOOK_TOKEN}`, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-event-id': String(n) },
        // Of many articles: in order are only those of one.
        body: JSON.stringify(stockMovement({ movementId: n, gtin: String(7_090_012_340_000 + (n % 50)) })),
      })
      const text = await answer.body.text()
      if (answer.statusCode === 202) taken.add(n)
      else others.push(`${answer.statusCode} ${text}`)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null
      if (code !== 'ECONNREFUSED') others.push(String(error))
      else {
        refused += 1
        await send(n, turn + 1)
      }
    }
  }

  async function sendAll(): Promise<void> {
    const underWay = new Set<Promise<void>>()
    while (running) {
      // As many as the time that has passed asks for, so that a late timer does not slow it down.
      while (next < ((performance.now() - began) / 1_000) * rate) {
        next += 1
        const one: Promise<void> = send(next, next).finally(() => underWay.delete(one))
        underWay.add(one)
      }
      await pause(5)
    }
    await Promise.all(underWay)
  }

  const sending = sendAll()
  return {
    taken,
    others,
    refused: () => refused,
    perSecond: () => Math.round(taken.size / lasted),
    async [Symbol.asyncDispose]() {
      running = false
      await sending
      lasted = (performance.now() - began) / 1_000
      await agent.destroy()
    },
  }
}
