import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { withoutBase } from '../dialect.ts'

export interface Recorder extends AsyncDisposable {
  url: string
  /** `PUT /api/Sale`, without the query. */
  asked: string[]
  /** What was sent on a line, in its order; JSON. */
  sent(line: string): unknown[]
  /** From now on, answers to what begins so get lost on their way: it was carried out, and nobody hears of it. Null: no more. */
  lose(begin: string | null): void
}

/** Stands between a client and a platform, passes everything on, and writes down what was asked. */
export async function startRecorder(platform: string): Promise<Recorder> {
  const asked: string[] = []
  let lost: string | null = null
  const bodies: { line: string; chunks: Buffer[] }[] = []
  const server = createServer((incoming, response) => {
    const line = `${incoming.method} ${withoutBase(incoming.url ?? '').replace(/\?.*$/s, '')}`
    const chunks: Buffer[] = []
    asked.push(line)
    bodies.push({ line, chunks })
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    const { method, headers } = incoming
    const onward = request(new URL(incoming.url ?? '/', platform), { method, headers }, (answer) => {
      if (lost !== null && line.startsWith(lost)) {
        answer.resume().on('end', () => response.destroy())
        return
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    lose(begin) {
      lost = begin
    },
    sent: (line) =>
      bodies.filter((one) => one.line === line).map(({ chunks }) => JSON.parse(Buffer.concat(chunks).toString())),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
