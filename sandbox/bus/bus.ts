import express from 'express'
import { listen } from '../listen.ts'
import { createBusPage } from './bus-page.ts'
import { type BusEvent, type BusState, createBusReceiver } from './receiver.ts'
import { createVerifier } from './verify.ts'

export interface BusOptions {
  /** 0, the default: any that is free. */
  port?: number
  host?: string
  /** The secret that signs the requests: `whsec_…`. */
  secret: string
  /** The time by which it knows what was recorded and is sent again. */
  now?: () => number
}

/** The retailer's event bus: takes every event that is genuine, keeps each once, and counts the copies. */
export interface Bus extends AsyncDisposable {
  /** Where events are posted, and where people see how many came. */
  url: string
  /** The first of each `webhook-id`, in the order they came. */
  events(): BusEvent[]
  /** How many genuine requests (of this kind, if one is given) had a `webhook-id` that was there already. */
  copies(kind?: string): number
  /** The bus goes down, or works again. Its page goes on. */
  down(on: boolean): void
}

/** Starts the bus; throws where the secret is none. It erases everything when it is disposed of. */
export async function startBus({ port = 0, host = '127.0.0.1', secret, now }: BusOptions): Promise<Bus> {
  const state: BusState = { events: new Map(), copies: [], isDown: false }
  const app = express()
  app.disable('x-powered-by')
  app.use(createBusPage(state))
  app.use(createBusReceiver(state, createVerifier(secret, now)))
  const server = await listen(app, port, host)

  return {
    url: server.url,
    events: () => [...state.events.values()],
    copies: (wanted) => state.copies.filter((kind) => wanted === undefined || kind === wanted).length,
    down(on) {
      state.isDown = on
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
