import type { RequestListener } from 'node:http'
import { doubt } from '../lib/http/recognised.ts'
import type { Refused } from '../lib/http/refused.ts'
import { createOneAtATime } from './one-at-a-time.ts'

interface Options {
  refused: Refused
  /** The hub is about to stop: no connection is to be kept for another request. */
  isStopping: () => boolean
}

/** The steps of every request before it is looked at; Express would take longer for each of them than the step itself. */
export function createListener(app: RequestListener, { refused, isStopping }: Options): RequestListener {
  const mayAsk = createOneAtATime(refused)
  return (request, response) => {
    if (!mayAsk(request, response)) return
    doubt(request, response)
    if (isStopping()) response.setHeader('Connection', 'close')
    request.url = asWritten(request.url ?? '')
    app(request, response)
  }
}

/** A webhook's name that is no percent-encoded UTF-8 is taken as it is written: what is authentic is never refused for it. */
function asWritten(url: string): string {
  if (!url.includes('%') || !url.startsWith('/webhooks/')) return url
  const [path = '', ...query] = url.split('?')
  return isDecodable(path) ? url : [path.replaceAll('%', '%25'), ...query].join('?')
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
