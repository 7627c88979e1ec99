import type { IntakeItem } from '../../../src/ports/ports.ts'
import { listen } from '../../listen.ts'

/** What a shop that can be asked has listed, a page at a time. */
export interface Pages extends AsyncDisposable {
  url: string
  pages: IntakeItem[][]
  /** The cursors that it was asked with, `''` without one. */
  asked: string[]
}

export async function startPages(pages: IntakeItem[][]): Promise<Pages> {
  const server = await listen((request, response) => {
    const cursor = new URL(request.url ?? '/', 'http://shop').searchParams.get('after') ?? ''
    the.asked.push(cursor)
    const page = Number(cursor)
    const items = the.pages[page] ?? []
    const next = Math.min(page + 1, the.pages.length)
    response.end(JSON.stringify({ items, cursor: String(next), more: next < the.pages.length }))
  })
  const the: Pages = { ...server, pages, asked: [] }
  return the
}
