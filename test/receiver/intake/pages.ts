import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { IntakeItem } from '../../../src/ports/intake.ts'

/** What a shop that can be asked has listed, a page at a time. */
export interface Pages extends AsyncDisposable {
  url: string
  /** A cursor says how many pages were read. */
  pages: IntakeItem[][]
  /** The cursors that it was asked with, `''` without one. */
  asked: string[]
}

export async function startPages(pages: IntakeItem[][]): Promise<Pages> {
  const server = createServer((request, response) => {
    const cursor = new URL(request.url ?? '/', 'http://shop').searchParams.get('after') ?? ''
    the.asked.push(cursor)
    const page = Number(cursor)
    const items = the.pages[page] ?? []
    const next = Math.min(page + 1, the.pages.length)
    response.end(JSON.stringify({ items, cursor: String(next), more: next < the.pages.length }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const the: Pages = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    asked: [],
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return the
}
