import express from 'express'
import { listen } from '../listen.ts'
import { bearerOf, createTokenCheck } from '../tokens.ts'
import { createGateway, type GatewayState, type Text } from './gateway.ts'
import { createTextsPage } from './text-page.ts'

export interface TextsOptions {
  /** 0, the default: any that is free. */
  port?: number
  host?: string
  /** The key that the gateway wants as a bearer token. */
  apiKey?: string
}

/** Everybody's telephone: a gateway that takes text messages by HTTP, and a page to read them. */
export interface Texts extends AsyncDisposable {
  /** Where people read the texts; programs post to `/messages` below it. */
  url: string
  apiKey: string
  /** Every text that was taken, the oldest first. */
  texts(): Text[]
  /** From now on, texts to this number (`+4791234567`) are refused. */
  refuse(number: string): void
  /** Texts to this number are taken again. */
  accept(number: string): void
  /** The gateway goes down, or works again. Its page goes on. */
  down(on: boolean): void
}

/** Starts the gateway. It erases everything when it is disposed of. */
export async function startTexts({
  port = 0,
  host = '127.0.0.1',
  apiKey = 'key-of-the-sandbox',
}: TextsOptions = {}): Promise<Texts> {
  const state: GatewayState = { texts: [], refused: new Set(), isDown: false }
  const isKey = createTokenCheck([apiKey])
  const app = express()
  app.disable('x-powered-by')
  app.use(createTextsPage(() => state.texts))
  app.use(createGateway(state, (header) => isKey(bearerOf(header))))
  const server = await listen(app, port, host)

  return {
    url: server.url,
    apiKey,
    texts: () => [...state.texts],
    refuse(number) {
      state.refused.add(number)
    },
    accept(number) {
      state.refused.delete(number)
    },
    down(on) {
      state.isDown = on
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
