import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Express } from 'express'
import helmet from 'helmet'

/**
 * Puts helmet's headers on every answer of an app, as its head is written. They are the same each time, so helmet is asked for them
 * once: to set each of them on each answer took a tenth of the time that a webhook takes.
 */
export function answerSafely(app: Express): void {
  const safe = headersOf(helmet())
  const { writeHead } = ServerResponse.prototype
  const write = function (this: ServerResponse, status: number, headers: string[] = []) {
    return writeHead.call(this, status, [...safe, ...headers])
  }
  Object.assign(app.response, { writeHead: write })
}

/** Names and values in turn, as a middleware that answers at once sets them, whoever asks. */
function headersOf(middleware: ReturnType<typeof helmet>): string[] {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  middleware(request, response, () => {})
  return Object.entries(response.getHeaders()).flatMap(([name, value]) => [name, String(value)])
}
