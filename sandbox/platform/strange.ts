import { type Request, type Response, Router } from 'express'
import { nothingHere } from './refusal.ts'

/** How a platform may be otherwise than this one is, where the spec does not show it. All of it may be changed at any time. */
export interface Strange {
  /**
   * The answer once an order, a sale or a delivery is there: its id; 200 with nothing, 204, or a word; a page, as what
   * stands in front of a platform may put in its place; or the connection is cut.
   */
  creates: 'id' | 'nothing' | 'no content' | 'a word' | 'a page' | 'cut'
  /** Endpoints that are not there, such as `GET /api/OmniChannel`, in any letters. */
  lacks: string[]
  /** Endpoints that answer 200 with an empty list, as such do down, in any letters. */
  empty: string[]
  /** Whether a request id that came before keeps a delivery from being created again. */
  heedsRequestId: boolean
  /** Whether goods are kept with an online order, without anybody asking for it. */
  keepsForOrders: boolean
  /** Whether updates of orders that customers fetch list parcels, too: none. */
  listsNoParcels: boolean
  /** Whether the event log keeps what events said, besides that they were sent. */
  keepsPayloads: boolean
  /** Events, by their ids, of which the event log does not say when they arose. */
  undated: string[]
  /** Whether the event log answers 200 with nothing, as one that is down. */
  isMute: boolean
}

/** A platform as this one is. */
export function notStrange(): Strange {
  return {
    creates: 'id',
    lacks: [],
    empty: [],
    heedsRequestId: true,
    keepsForOrders: true,
    listsNoParcels: false,
    keepsPayloads: true,
    undated: [],
    isMute: false,
  }
}

const LOG = /^GET \/api\/webhooksevents\//i
const CREATES = /^(POST \/api\/omnichannel|PUT \/api\/(sale|delivery|purchaseorder))$/i

/** Stands before the API, and makes it as strange as it is to be. */
export function createStrange(strange: Strange): Router {
  const router = Router()
  router.use((request, response, next) => {
    const line = `${request.method} ${request.path}`
    const isAmong = (lines: readonly string[]) => lines.some((one) => one.toLowerCase() === line.toLowerCase())
    if (isAmong(strange.lacks)) return nothingHere(request, response)
    if (isAmong(strange.empty)) return void response.json([])
    if (CREATES.test(line)) {
      if (!strange.heedsRequestId) request.body = without('requestId', request.body)
      const { creates } = strange
      if (creates !== 'id') answerOtherwise(request, response, creates)
    }
    if (LOG.test(line) && strange.isMute) return void response.json([])
    if (LOG.test(line) && !strange.keepsPayloads) answerWith(response, (one) => without('payload', one))
    if (LOG.test(line) && strange.undated.length > 0) answerWith(response, (one) => dated(one, strange.undated))
    next()
  })
  return router
}

function answerOtherwise(request: Request, response: Response, creates: Exclude<Strange['creates'], 'id'>): void {
  const json = response.json.bind(response)
  response.json = (body: unknown) => {
    if (response.statusCode >= 300) return json(body)
    if (creates === 'cut') request.socket.destroy()
    else if (creates === 'no content') response.status(204).end()
    else if (creates === 'a page') response.send('<!DOCTYPE html><title>Sign in</title>')
    else response.type('text').send(creates === 'a word' ? 'Ok' : '')
    return response
  }
}

function answerWith(response: Response, written: (record: unknown) => unknown): void {
  const json = response.json.bind(response)
  response.json = (body: unknown) => json(Array.isArray(body) ? body.map(written) : written(body))
}

function dated(record: unknown, undated: readonly string[]): unknown {
  const isUndated = Object.values(Object(record)).some((value) => undated.includes(String(value)))
  return isUndated ? without('createdDateTime', record) : record
}

function without(name: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(Object.entries(body).filter(([key]) => key.toLowerCase() !== name.toLowerCase()))
}
