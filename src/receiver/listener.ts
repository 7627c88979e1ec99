import type { IncomingMessage, RequestListener } from 'node:http'
import { doubt, type Refused } from '../lib/http/problem.ts'
import { createPipeliningGuard } from './pipelining.ts'

interface Options {
  refused: Refused
  /** The hub is about to stop: no connection is to be kept for another request. */
  isStopping: () => boolean
}

/** The steps of every request before it is looked at; Express would take longer for each of them than the step itself. */
export function createListener(app: RequestListener, { refused, isStopping }: Options): RequestListener {
  const mayAsk = createPipeliningGuard(refused)
  return (request, response) => {
    if (!mayAsk(request, response)) return
    if (isAmbiguous(request)) {
      refused('not-http', request.socket.remoteAddress)
      response.writeHead(400, { connection: 'close' }).end()
      return
    }
    doubt(request, response)
    if (isStopping()) response.setHeader('Connection', 'close')
    request.url = asWritten(request.url ?? '')
    app(request, response)
  }
}

/** A request that a proxy in front may have read as another one: RFC 9112 has it refused (§3.2, §6.1). Node takes these. */
function isAmbiguous({ headers, rawHeaders }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return true
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
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
