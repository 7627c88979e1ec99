import type { IncomingHttpHeaders } from 'node:http'
import express, { Router } from 'express'
import type { Verifier } from './verify.ts'

/** An event as the bus keeps it. */
export interface BusEvent {
  /** `webhook-id`: the same on every copy. */
  id: string
  /** The kind that the sender names; `unknown` where it names none. */
  kind: string
  /** The bytes as they came, as text. */
  body: string
  receivedAt: Date
}

export interface BusState {
  /** By id, in the order they came first. */
  events: Map<string, BusEvent>
  /** The kind of each copy. */
  copies: string[]
  isDown: boolean
}

/** `POST` to any path: 202 for a new event, 200 for a copy, 401 for what is not genuine. */
export function createBusReceiver(state: BusState, verify: Verifier): Router {
  const router = Router()
  router.post('/{*path}', express.raw({ type: () => true, limit: '64mb' }), ({ headers, body }, response) => {
    if (state.isDown) {
      response.status(503).json({ error: 'The bus is down.' })
      return
    }
    // Without a body express gives none.
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
    const id = verify(headers, bytes)
    if (id === null) {
      response.status(401).json({ error: 'The signature is not right.' })
    } else if (state.events.has(id)) {
      state.copies.push(kindOf(headers))
      response.json({ id, status: 'duplicate' })
    } else {
      state.events.set(id, { id, kind: kindOf(headers), body: bytes.toString(), receivedAt: new Date() })
      response.status(202).json({ id, status: 'accepted' })
    }
  })
  return router
}

function kindOf(headers: IncomingHttpHeaders): string {
  return String(headers['tillbridge-kind'] ?? 'unknown')
}
